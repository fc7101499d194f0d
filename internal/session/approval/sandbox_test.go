package approval

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is a request to run a command in /w.
func run(text string) permit.Request {
	return permit.Request{Kind: permit.Shell, Tool: "bash", Intention: "try it", Command: effects.Of(text, "/w", "/home/u", asWritten)}
}

func cleanPath(p string) string { return p }

// all is a machine on which every sandbox works.
func all() Works { return Works{ReadOnly: true, Workspace: true} }

// confinedSession has a sandbox that is on, with the rules for a terminal.
func confinedSession(works func() Works, rules permit.Rules) tested {
	f := &fake{}
	f.state.Cwd = "/w"
	disk := vfs.NewMem()
	rules.ReadOnly = true
	p, requests := New(Options{
		Session: f, ID: "s1", Dir: "/state/s1", Plan: "plan.md", Start: "/w", Grants: OpenGrants(disk, "/home/permissions.json"), Rules: &rules,
		Paths:   Paths{FS: disk, Resolve: cleanPath, GitRoot: func(string) string { return "" }},
		Sandbox: Sandbox{Works: works, Settings: SandboxSettings{Sandboxing: permit.Sandboxing{On: true, AllowBypass: true}, Deny: []string{"/w/x"}}},
	})
	return tested{p, requests, f}
}

// asksFor has a call ask for a command, and returns what it is answered. answer is given to
// the request, if there is one.
func (p tested) asksFor(t *testing.T, q permit.Request, answer permit.Answer) (got tool.Permission, request wire.Raw) {
	t.Helper()
	before := len(p.fake.of("permission.requested"))
	done := make(chan tool.Permission, 1)
	go func() { done <- p.Requests.Ask(t.Context(), &q, &tool.Call{ID: "c1"}) }()
	synctest.Wait()
	if events := p.fake.of("permission.requested"); len(events) > before {
		request = wire.Raw(events[len(events)-1].Data)
		if ok, err := p.Answer(t.Context(), request.Get("requestId").Text(), answer); !ok || err != nil {
			t.Fatalf("Answer = %v, %v", ok, err)
		}
	}
	return <-done, request
}

var yes, no = permit.Answer{Outcome: permit.Approved}, permit.Answer{Outcome: permit.Rejected}

func TestAnApprovedCommandHasThePolicyOfItsSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{
			Allow: []permit.Rule{{Kind: permit.URL, Argument: "example.com"}}, Folders: permit.Folders{More: []string{"/lib"}},
			Deny: []permit.Rule{{Kind: permit.Read, Argument: ".env"}, {Kind: permit.Write, Argument: "docs/**"}, {Kind: permit.URL, Argument: "evil.example"}},
		})
		reads := &sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{"/w", "/lib"}, Deny: []string{"/w/x", "/w/.env"}}
		writes := &sandbox.Policy{
			Mode: sandbox.WorkspaceWrite, Folders: []string{"/w", "/lib"}, Deny: []string{"/w/x", "/w/.env"}, Protect: []string{"/w/docs"},
			ProtectNames: permit.Rules{}.SandboxProtected(), Network: sandbox.Network{AllowURLs: []string{"example.com"}, DenyURLs: []string{"evil.example"}},
		}
		git := *writes
		git.Git = true
		for _, tc := range []struct {
			text  string
			asked bool
			want  *sandbox.Policy
		}{
			{"ls", false, reads}, {"make", true, writes}, {"git add a", true, &git}, {"cat /srv/hosts", true, nil}, {"cat /usr/hosts", false, reads}, {"cat /etc/hosts", true, reads},
		} {
			got, request := p.asksFor(t, run(tc.text), yes)
			if diff := cmp.Diff(tc.want, got.Sandbox); diff != "" || got.Outcome != permit.Approved || (request != nil) != tc.asked {
				t.Errorf("%s: %v, asked: %v, policy (-want +got):\n%s", tc.text, got.Outcome, request != nil, diff)
			}
			leaves := request.Get("permissionRequest").Get("requestSandboxBypass").True()
			if tc.asked && leaves != (tc.want == nil) {
				t.Errorf("%s: the request says that it leaves the sandbox: %v", tc.text, leaves)
			}
		}
	})
}

// A command can put a link where the working directory was, if that is in another allowed folder.
// The link does not choose what the next command may reach.
func TestALinkInPlaceOfTheWorkingDirectoryOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{})
		leads := "/w"
		p.Requests.files.paths.Resolve = func(path string) string {
			if path == "/w" {
				return leads
			}
			return path
		}
		for _, leads = range []string{"/w", "/home/u/.ssh"} {
			got, _ := p.asksFor(t, run("ls"), yes)
			if got.Sandbox == nil || !slices.Equal(got.Sandbox.Folders, []string{"/w"}) {
				t.Errorf("when it leads to %s: %+v", leads, got.Sandbox)
			}
		}
	})
}

// After a no, the same command is not asked about again; without a client, no command is.
func TestASecondRunIsAskedAboutUntilANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{Allow: []permit.Rule{{Kind: permit.Shell}}})
		again := run("make")
		again.Bypass = "it wrote outside"
		got, request := p.asksFor(t, again, yes)
		about := request.Get("permissionRequest")
		if got.Outcome != permit.Approved || got.Sandbox != nil || about.Get("requestSandboxBypassReason").Text() != "it wrote outside" || about.Get("canOfferSessionApproval").True() {
			t.Errorf("%+v to %s", got, request)
		}
		if got, request := p.asksFor(t, again, no); got.Outcome != permit.Rejected || request == nil {
			t.Errorf("the second time: %+v, asked: %v", got, request != nil)
		}
		if got, request := p.asksFor(t, again, yes); got.Outcome != permit.Unanswerable || request != nil {
			t.Errorf("after a no: %+v, asked: %v", got, request != nil)
		}
		p.fake.silent = true
		again.Command.Text = "make x"
		if got, request := p.asksFor(t, again, yes); got.Outcome != permit.Unanswerable || request != nil {
			t.Errorf("without a client: %+v, asked: %v", got, request != nil)
		}
	})
}

// "Everything that stays in the sandbox" also answers what is open, and ends with a reset.
func TestWhatStaysInTheSandboxIsAllowedForTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{})
		open := make(chan tool.Permission, 1)
		go func() {
			q := run("touch a")
			open <- p.Requests.Ask(t.Context(), &q, &tool.Call{ID: "c0"})
		}()
		synctest.Wait()
		stays := yes
		stays.InSandbox = true
		_, request := p.asksFor(t, run("make"), stays)
		if o := <-open; o.Outcome != permit.Approved || o.Sandbox == nil {
			t.Errorf("the open request: %+v", o)
		}
		if request == nil {
			t.Fatal("the first command was not asked about")
		}
		if got, request := p.asksFor(t, run("make x"), no); got.Outcome != permit.Approved || got.Sandbox == nil || request != nil {
			t.Errorf("the next command: %+v, asked: %v", got, request != nil)
		}
		if got, _ := p.asksFor(t, run("git push"), no); got.Outcome != permit.Rejected {
			t.Errorf("a command that leaves: %+v", got)
		}
		if err := p.Reset(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if _, request := p.asksFor(t, run("make x"), no); request == nil {
			t.Error("after a reset, it is not asked about")
		}
	})
}

// The approvals of /sandbox auto on end with a reset, too, also if the user has answered "s" as well.
func TestAResetEndsThatTheSandboxAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{})
		auto := func() bool {
			s, err := p.Sandbox(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return s.AutoAllow
		}
		for _, on := range []bool{true, false} {
			if err := p.AllowInSandbox(t.Context(), on); err != nil || auto() != on {
				t.Errorf("after AllowInSandbox(%v): %v, %v", on, auto(), err)
			}
		}
		if err := p.AllowInSandbox(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := p.Reset(t.Context(), false); err != nil || auto() {
			t.Errorf("after a reset: %v, %v", auto(), err)
		}
		if err := p.AllowInSandbox(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if err := p.UseSandbox(t.Context(), SandboxSettings{Sandboxing: permit.Sandboxing{On: true, AutoAllow: true}}); err != nil || !auto() {
			t.Errorf("after new settings: %v, %v", auto(), err)
		}
	})
}

// The user can switch on a sandbox that was off from the beginning.
func TestTheUserSwitchesTheSandboxOn(t *testing.T) {
	p := confinedSession(all, permit.Rules{})
	for _, on := range []bool{false, true} {
		if err := p.UseSandbox(t.Context(), SandboxSettings{}); err != nil {
			t.Fatal(err)
		}
		if err := p.SwitchSandbox(t.Context(), on); err != nil {
			t.Fatal(err)
		}
		if s, err := p.Sandbox(t.Context()); err != nil || s.On != on || p.Confines() != on {
			t.Errorf("switched to %t: %+v, %v", on, s, err)
		}
	}
	if err := p.SwitchSandbox(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := p.UseSandbox(t.Context(), SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}); err != nil {
		t.Fatal(err)
	}
	if s, err := p.Sandbox(t.Context()); err != nil || !s.On || !p.Confines() {
		t.Errorf("new settings after the user has switched it off: %+v, %v", s, err)
	}
}

// A client cannot switch off what --sandbox has switched on; the user at the terminal can. With
// --sandbox-required nobody can.
func TestWhoMaySwitchTheSandboxOff(t *testing.T) {
	for name, tc := range map[string]struct {
		locked, required, client, user bool
	}{
		"by default":         {false, false, true, true},
		"--sandbox":          {true, false, false, true},
		"--sandbox-required": {true, true, false, false},
		"a client":           {false, true, true, false},
	} {
		p := confinedSession(all, permit.Rules{})
		settings := SandboxSettings{Sandboxing: permit.Sandboxing{On: true, Required: tc.required}, Locked: tc.locked}
		off := wire.Sandboxed{Config: &wire.SandboxConfig{Enabled: new(bool)}}
		if _, err := (Paths{}).Sandbox(off, settings, "/w"); (err == nil) != tc.client {
			t.Errorf("%s: a client: %v", name, err)
		}
		if err := p.UseSandbox(t.Context(), settings); err != nil {
			t.Fatal(err)
		}
		if err := p.SwitchSandbox(t.Context(), false); (err == nil) != tc.user {
			t.Errorf("%s: the user: %v", name, err)
		}
		if s, err := p.Sandbox(t.Context()); err != nil || s.On == tc.user {
			t.Errorf("%s: after that, on: %v, %v", name, s.On, err)
		}
		if err := p.SwitchSandbox(t.Context(), true); err != nil {
			t.Error(err)
		}
		if s, err := p.Sandbox(t.Context()); err != nil || !s.On {
			t.Errorf("%s: switched on, on: %v, %v", name, s.On, err)
		}
	}
}

func TestTheSandboxIsSwitchedOffOnlyWithARequestToLeaveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{})
		done := make(chan tool.Permission, 2)
		for _, text := range []string{"make", "git push"} {
			q := run(text)
			go func() { done <- p.Requests.Ask(t.Context(), &q, &tool.Call{ID: text}) }()
			synctest.Wait()
		}
		var got []bool
		settings := SandboxSettings{Sandboxing: permit.Sandboxing{On: true, AllowBypass: true}, Locked: true}
		for i, e := range slices.Repeat(p.fake.of("permission.requested"), 2) {
			settings.Locked = i < 2
			if err := p.UseSandbox(t.Context(), settings); err != nil {
				t.Fatal(err)
			}
			ok, err := p.DisableSandbox(t.Context(), wire.Raw(e.Data).Get("requestId").Text())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ok)
		}
		if !slices.Equal(got, []bool{false, false, false, true}) {
			t.Errorf("DisableSandbox of a request that stays, and of one that leaves, locked and not: %v", got)
		}
		if a := <-done; a.Outcome != permit.Approved || a.Sandbox != nil {
			t.Errorf("%+v", a)
		}
		if s, err := p.Sandbox(t.Context()); err != nil || s.On {
			t.Errorf("%+v, %v", s, err)
		}
		if got, _ := p.asksFor(t, run("ls"), yes); got.Sandbox != nil {
			t.Errorf("%+v", got)
		}
	})
}

// The user reads once why there is no sandbox, or a weaker one.
func TestTheUserIsToldOnceHowWellTheSandboxWorks(t *testing.T) {
	none := func() Works { return Works{Why: "no sandbox works here: bwrap is not installed"} }
	weaker := func() Works { return Works{ReadOnly: true, Weaker: "only Landlock works"} }
	for name, tc := range map[string]struct {
		works func() Works
		want  []string
	}{
		"all":    {all, nil},
		"none":   {none, []string{"Commands do not run in a sandbox, so also those that only read need approval: no sandbox works here: bwrap is not installed. `sidestick doctor` says more."}},
		"weaker": {weaker, []string{"The sandbox is weaker than it could be: only Landlock works. `sidestick doctor` says more."}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := confinedSession(tc.works, permit.Rules{})
			p.asksFor(t, requests()["read"], yes)
			for range 2 {
				p.asksFor(t, run("ls"), yes)
			}
			var got []string
			for _, e := range p.fake.of("session.warning") {
				got = append(got, wire.Raw(e.Data).Get("message").Text())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// A session whose sandbox is off does not find out what works: that starts programs.
func TestWhatWorksIsFoundOutOnlyIfTheSandboxIsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		found := 0
		p := confinedSession(func() Works { found++; return all() }, permit.Rules{})
		if err := p.UseSandbox(t.Context(), SandboxSettings{}); err != nil {
			t.Fatal(err)
		}
		before := found
		if _, request := p.asksFor(t, run("ls"), yes); request == nil || found > before {
			t.Errorf("asked: %v; what works was found out %d times", request != nil, found-before)
		}
	})
}

func TestNoSandboxConfinesTheRootFolder(t *testing.T) {
	p := alone(&state.State{})
	p.program = &permit.Rules{Folders: permit.Folders{More: []string{"/"}}, ReadOnly: true}
	p.sandbox.On = true
	q := run("ls")
	d := known(q)
	d.works = all()
	if decided, r := p.decide(d, &q); decided != nil || r.sandbox != nil {
		t.Errorf("%+v in %+v", r.Placed, r.sandbox)
	}
}

func TestWhereHooksOfTheRepositoryRun(t *testing.T) {
	none := func() Works { return Works{Why: "bwrap is missing"} }
	for name, tc := range map[string]struct {
		works  func() Works
		change func(*permit.Sandboxing)
		mode   sandbox.Mode // "" for outside
		fails  bool
	}{
		"on":                 {all, func(*permit.Sandboxing) {}, sandbox.WorkspaceWrite, false},
		"read-only":          {all, func(s *permit.Sandboxing) { s.NoWrites = true }, sandbox.ReadOnly, false},
		"off":                {all, func(s *permit.Sandboxing) { s.On = false }, "", false},
		"none works":         {none, func(*permit.Sandboxing) {}, "", true},
		"none works, needed": {none, func(s *permit.Sandboxing) { s.Required = true }, "", true},
		"none for writing":   {func() Works { return Works{ReadOnly: true} }, func(*permit.Sandboxing) {}, "", true},
		"none for reading":   {func() Works { return Works{Workspace: true} }, func(s *permit.Sandboxing) { s.NoWrites = true }, "", true},
		"in the folder /":    {all, func(s *permit.Sandboxing) { s.Explicit = true }, "", true},
	} {
		rules := permit.Rules{}
		if name == "in the folder /" {
			rules.Folders.More = []string{"/"}
		}
		p := confinedSession(tc.works, rules)
		settings := SandboxSettings{Sandboxing: permit.Sandboxing{On: true}}
		tc.change(&settings.Sandboxing)
		if err := p.UseSandbox(t.Context(), settings); err != nil {
			t.Fatal(err)
		}
		policy, err := p.HookPolicy(t.Context())
		mode := sandbox.Mode("")
		if policy != nil {
			mode = policy.Mode
		}
		if mode != tc.mode || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v, want %q", name, mode, err, tc.mode)
		}
	}
}
