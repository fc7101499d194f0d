package effects_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// here are rules of a session that works in /w, with rules for some programs.
func here(allow ...string) permit.Rules {
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true}
	for _, text := range allow {
		rule, err := permit.ParseRule(text)
		if err != nil {
			panic(err)
		}
		r.Allow = append(r.Allow, rule)
	}
	return r
}

// works is a machine on which every sandbox works, in a session at a terminal.
func works(change func(*permit.Sandboxing)) permit.Sandboxing {
	s := permit.Sandboxing{On: true, ReadOnly: true, Workspace: true, AllowBypass: true}
	if change != nil {
		change(&s)
	}
	return s
}

func understood(text string) permit.Request {
	return permit.Request{Kind: permit.Shell, Tool: "bash", Command: effects.Of(text, "/w", "/home/u", func(p string) []string { return []string{p} })}
}

// placed is a row of a table: where a command runs with rules and sandboxes.
type placed struct {
	text    string
	rules   permit.Rules
	sandbox func(*permit.Sandboxing)
	verdict permit.Verdict
	place   permit.Place
}

func (tc placed) check(t *testing.T) {
	t.Helper()
	s := works(tc.sandbox)
	if got := tc.rules.DecideIn(s, understood(tc.text)); got.Verdict != tc.verdict || got.Place != tc.place {
		t.Errorf("%q with %v in %+v: %v %v (%s; %s), want %v %v", tc.text, tc.rules.Allow, s, got.Verdict, got.Place, got.Why, got.Because, tc.verdict, tc.place)
	}
}

const (
	allow, ask, deny  = permit.Allow, permit.Ask, permit.Deny
	outside, readOnly = permit.Outside, permit.InReadOnly
	workspace, git    = permit.InWorkspace, permit.InWorkspaceGit
)

// Changes of [works].
func auto(s *permit.Sandboxing)     { s.AutoAllow = true }
func reading(s *permit.Sandboxing)  { s.Workspace, s.Why = false, "only Landlock works" }
func none(s *permit.Sandboxing)     { s.ReadOnly, s.Workspace, s.Why = false, false, "bwrap is missing" }
func off(s *permit.Sandboxing)      { *s = permit.Sandboxing{Why: "the sandbox is off"} }
func required(s *permit.Sandboxing) { none(s); s.Required = true }
func noWrites(s *permit.Sandboxing) { s.NoWrites, s.Explicit = true, true }
func noBypass(s *permit.Sandboxing) { s.AllowBypass = false }
func excluded(s *permit.Sandboxing) {
	s.Excluded = here("shell(docker:*)", "shell(git:*)").Allow
}

func TestWhereAllowedCommandsRun(t *testing.T) {
	sdk := here() // the client of an SDK is asked about every command
	sdk.ReadOnly = false
	anywhere := here()
	anywhere.Folders.Anywhere = true
	for _, tc := range []placed{
		// Only reads.
		{"ls src | wc -l", here(), nil, allow, readOnly},
		{"ls", here(), reading, allow, readOnly},
		{"ls", here(), none, ask, outside},
		{"ls", here(), off, ask, outside},
		{"ls", here(), required, deny, outside},
		{"ls", here("shell(ls)"), none, allow, outside},
		{"ls", here("shell(ls)"), off, allow, outside},
		{"ls /srv", here(), nil, ask, outside},
		{"cat /srv/hosts /mnt/a /media/a /root/a /home/v/a", anywhere, nil, allow, readOnly},
		{"touch /srv/a /mnt/a /media/a /root/a /home/v/a", anywhere, nil, ask, workspace},
		{"ls /usr; cat /usr/include/stdio.h", here(), nil, allow, readOnly},
		{"ls /etc; cat /usr/include/stdio.h", here(), nil, ask, readOnly},
		{"cat /etc/hosts", here("read(/etc/hosts)"), nil, allow, readOnly},
		{"ls /etc", here(), off, ask, outside},
		{"ls /tmp", here(), nil, ask, workspace},
		{"ls", sdk, nil, ask, readOnly},
		{"ls", sdk, auto, ask, readOnly},
		{"go build -o /tmp/x .", here(), nil, ask, workspace},
		// A rule.
		{"make", here("shell(make)"), nil, allow, workspace},
		{"make | tail -3", here("shell(make)"), nil, allow, workspace},
		{"make | tail -3", here("shell(make)"), off, ask, outside},
		{"make | tail -3", here("shell(make)"), reading, ask, outside},
		{"make", here("shell(make)"), reading, allow, outside},
		{"make", here("shell(make)"), none, allow, outside},
		{"make", here("shell(make)"), off, allow, outside},
		{"make", here("shell(make)"), required, deny, outside},
		{"make", here("shell(make)"), noWrites, allow, readOnly},
		{"make", here("shell(make)"), func(s *permit.Sandboxing) { noWrites(s); reading(s) }, allow, readOnly},
		{"git commit -m x", here("shell(git:*)"), nil, allow, git},
		{"git add -A && git commit -m x", here("shell(git:*)"), nil, allow, git},
		{"go test ./... && git commit -m x", here("shell(git:*)", "shell(go:*)"), nil, allow, workspace},
		{"git status && ls && git commit -m x", here("shell(git:*)"), nil, allow, git},
		{"rm x && git commit -m x", here("shell(git:*)", "shell(rm)"), nil, allow, workspace},
		{"npm install", here("shell(npm install)"), nil, allow, workspace},
		{"git push", here("shell(git push)"), nil, ask, outside},
		{"git push", here("shell(git push)"), noBypass, allow, git},
		{"git push", here("shell(git push)"), off, allow, outside},
		// Excluded.
		{"git push", here("shell(git push)"), excluded, allow, outside},
		{"docker ps", here("shell(docker:*)"), excluded, allow, outside},
		{"docker ps", here(), excluded, ask, outside},
		{"docker ps | sort", here("shell(docker:*)"), excluded, ask, outside},
		{"docker ps $X", here("shell(docker:*)"), excluded, ask, outside}, // docker is known to need more
		{"git commit -m $X", here("shell(git:*)"), excluded, ask, git},
		{"git status", here(), excluded, allow, readOnly},
	} {
		tc.check(t)
	}
}

func TestWhereCommandsRunThatTheUserIsAskedAbout(t *testing.T) {
	for _, tc := range []placed{
		// The user is asked.
		{"make", here(), nil, ask, workspace},
		{"make", here(), reading, ask, outside},
		{"make", here(), required, deny, outside},
		{"echo $X", here(), nil, ask, workspace},
		{"git commit -m \"$(date)\"", here(), nil, ask, git},
		{"cat /srv/hosts", here(), nil, ask, outside},
		{"cp a /srv/b", here(), nil, ask, outside},
		{"cp a /srv/b", here(), noBypass, ask, workspace},
		{"cp a .vscode/tasks.json", here(), nil, ask, outside},
		{"curl https://example.com", here(), nil, ask, outside},
		{"curl https://example.com", here("url(example.com)"), nil, ask, workspace},
		{"curl https://example.com", here(), func(s *permit.Sandboxing) { s.Hosts = here("url(example.com)") }, ask, workspace},
		{"curl http://localhost:8080/x", here(), nil, ask, workspace},
		{"curl http://LOCALHOST.:8080/x", here(), nil, ask, workspace},
		{"curl http://127.0.0.2/x", here(), nil, ask, workspace},
		{"curl http://localhost@example.com/x", here(), nil, ask, outside},
		{"curl 'http://localhost\\@example.com/x'", here(), nil, ask, outside},
		{"git push", here(), nil, ask, outside},
		{"npm install x", here(), nil, ask, outside},
		{"touch a > b", here(), noWrites, ask, outside},
		{"make", here(), noWrites, ask, readOnly},
		// Or not.
		{"make", here(), auto, allow, workspace},
		{"echo $X", here(), auto, allow, workspace},
		{"make", here(), func(s *permit.Sandboxing) { auto(s); reading(s) }, ask, outside},
		{"git commit -m x", here(), auto, allow, git},
		{"git add -A && git commit -m x", here(), auto, allow, git},
		{"go test ./... && git commit -am x", here(), auto, ask, git},
		{"git commit -m \"$(cat <<'EOF'\nFirst.\n\nWhy.\nEOF\n)\"", here(), auto, allow, git},
		{"git switch -c topic && git stash pop && git reset HEAD && git restore --staged a", here(), auto, allow, git},
		{"git checkout -b topic", here(), auto, allow, git},
		{"git tag v1", here(), auto, allow, git},
		{"git gc --prune=now", here(), auto, ask, git},
		{"git reset --hard HEAD~1", here(), auto, ask, git},
		{"git reset --ha", here(), auto, ask, git},
		{"git branch -D topic", here(), auto, ask, git},
		{"git branch -qd topic", here(), auto, ask, git},
		{"git tag --delete v1", here(), auto, ask, git},
		{"git checkout -- .", here(), auto, ask, git},
		{"git checkout main.go", here(), auto, ask, git},
		{"git restore main.go", here(), auto, ask, git},
		{"git stash clear", here(), auto, ask, git},
		{"git switch --discard-changes main", here(), auto, ask, git},
		{"git config core.pager x", here(), auto, ask, git},
		{"python3 x.py && git commit -m x", here(), auto, ask, git},
		{"eval \"$X\"; git commit -m x", here(), auto, ask, git},
		{"git push", here(), auto, ask, outside},
		{"cat /srv/hosts", here(), auto, ask, outside},
		{"sudo make", here(), auto, ask, outside},
		{"timeout 5 sudo make", here(), auto, ask, outside},
		{"git commit -m x; $X", here(), auto, ask, git},
		{"/usr/bin/ssh host", here(), auto, ask, outside},
	} {
		tc.check(t)
	}
}

// It counts where a path leads, not how it is written.
func TestPathsThatLeadOutside(t *testing.T) {
	for text, want := range map[string]permit.Place{"cat /usr/hosts": readOnly, "cat /etc/link": outside, "cp a b": workspace, "cp a link": outside} {
		q := understood(text)
		q.Command = effects.Of(text, "/w", "/home/u", func(p string) []string {
			if strings.HasSuffix(p, "/link") {
				p = "/srv/secret"
			}
			return []string{p}
		})
		if got := here().DecideIn(works(auto), q); got.Place != want || (got.Verdict == ask) != (want == outside) {
			t.Errorf("%q: %v %v (%s), want %v", text, got.Verdict, got.Place, got.Why, want)
		}
	}
}

func TestWhereCommandsRunIfEverythingIsAllowed(t *testing.T) {
	all := here()
	all.All = true
	explicit := func(s *permit.Sandboxing) { s.Explicit = true }
	for _, tc := range []struct {
		text    string
		sandbox func(*permit.Sandboxing)
		verdict permit.Verdict
		place   permit.Place
	}{
		{"make", nil, permit.Allow, permit.Outside},
		{"ls", nil, permit.Allow, permit.Outside},
		{"make", explicit, permit.Allow, permit.InWorkspace},
		{"ls", explicit, permit.Allow, permit.InReadOnly},
		{"cat /srv/hosts", explicit, permit.Allow, permit.InWorkspace},
		{"git commit -m x", explicit, permit.Allow, permit.InWorkspaceGit},
		{"git push", explicit, permit.Allow, permit.InWorkspaceGit},
		{"make", func(s *permit.Sandboxing) { explicit(s); s.Workspace = false }, permit.Ask, permit.Outside},
		{"make", func(s *permit.Sandboxing) { s.Required = true }, permit.Allow, permit.InWorkspace},
	} {
		if got := all.DecideIn(works(tc.sandbox), understood(tc.text)); got.Verdict != tc.verdict || got.Place != tc.place {
			t.Errorf("%q: %v %v (%s), want %v %v", tc.text, got.Verdict, got.Place, got.Why, tc.verdict, tc.place)
		}
	}
}

// A command that outlives the session cannot run in a sandbox. The model chooses that, so it
// is asked about.
func TestDetachedCommandsAreAskedAbout(t *testing.T) {
	for _, tc := range []struct {
		text    string
		rules   permit.Rules
		sandbox func(*permit.Sandboxing)
		verdict permit.Verdict
	}{
		{"ls", here(), nil, permit.Ask},
		{"make", here(), func(s *permit.Sandboxing) { s.AutoAllow = true }, permit.Ask},
		{"make", here("shell(make)"), nil, permit.Ask},
		{"make", here("shell(make)"), func(s *permit.Sandboxing) { s.Excluded = here("shell(make)").Allow }, permit.Allow},
		{"make", here("shell(make)"), func(s *permit.Sandboxing) { s.Workspace = false }, permit.Allow},
		{"ls", here(), func(s *permit.Sandboxing) { s.Workspace = false }, permit.Ask},
		{"make", here("shell(make)"), func(s *permit.Sandboxing) { s.AllowBypass = false }, permit.Deny},
		{"make", here(), func(s *permit.Sandboxing) { none(s); noBypass(s) }, permit.Deny},
		{"ls", here("shell(ls)"), reading, permit.Allow},
	} {
		q := understood(tc.text)
		q.Command.Detached = true
		if got := tc.rules.DecideIn(works(tc.sandbox), q); got.Verdict != tc.verdict || got.Place != permit.Outside {
			t.Errorf("%q with %v: %v %v (%s), want %v outside", tc.text, tc.rules.Allow, got.Verdict, got.Place, got.Why, tc.verdict)
		}
	}
}

// A command that a rule excludes is asked about because of the protected file that it names.
func TestTheReasonOfAnExcludedCommandNamesTheProtectedFile(t *testing.T) {
	s := works(func(s *permit.Sandboxing) { s.Excluded = here("shell(echo)").Allow })
	for text, want := range map[string]string{
		"echo a > .envrc": "/w/.envrc can make programs run by themselves, and is protected; a rule excludes it from the sandbox",
		"echo a > b":      "a rule excludes it from the sandbox",
	} {
		if got := here("shell(echo)").DecideIn(s, understood(text)); got.Verdict != permit.Ask || got.Because != want {
			t.Errorf("%q: %v, %q, want %q", text, got.Verdict, got.Because, want)
		}
	}
}

// Under auto-allow, an unclear command runs without a question, so that it is unclear is not
// why a git command is asked about.
func TestTheReasonOfAGitCommandIsNotThatTheShellWasChanged(t *testing.T) {
	q := understood("git clean -f")
	q.Command.Unclear = "an earlier command may have changed what programs are in this shell"
	got := here().DecideIn(works(auto), q)
	if want := "it may change .git in a way that cannot be taken back"; got.Verdict != permit.Ask || got.Why != want {
		t.Errorf("%v, %q, want %q", got.Verdict, got.Why, want)
	}
}

// A command that runs without a question is never wider than a deny rule, and never about files of
// the user's own.
func TestAutoAllowLeavesDoubtToTheUser(t *testing.T) {
	r := here()
	r.Deny = here("shell(rm)").Allow
	auto := works(func(s *permit.Sandboxing) { s.AutoAllow = true })
	for text, want := range map[string]permit.Verdict{"rm a": permit.Deny, `eval "$X"`: permit.Ask, "touch a": permit.Allow} {
		if got := r.DecideIn(auto, understood(text)); got.Verdict != want {
			t.Errorf("%q: %v (%s), want %v", text, got.Verdict, got.Why, want)
		}
	}
	input := understood("touch a")
	input.Command = permit.Command{Text: "y", Unclear: "it is input", Input: true}
	if got := r.DecideIn(auto, input); got.Verdict != permit.Ask || got.AutoAllowable {
		t.Errorf("input: %+v", got)
	}
	if got := r.DecideIn(works(nil), understood("touch a")); !got.AutoAllowable {
		t.Errorf("the user is not told that auto-allow would spare the question: %+v", got)
	}
}

// Only the user allows a command that has failed in the sandbox to run again, outside.
func TestASecondRunNeedsTheUser(t *testing.T) {
	r := here("shell")
	r.All = true
	q := understood("make")
	q.Bypass = "it wrote /etc/x"
	if got := r.DecideIn(works(nil), q); got.Verdict != permit.Ask || !got.Doubt || !got.AsksOutside || got.Place != permit.Outside {
		t.Errorf("%+v", got)
	}
	if got := r.DecideIn(works(func(s *permit.Sandboxing) { s.AllowBypass = false }), q); got.Verdict != permit.Deny {
		t.Errorf("without leave: %+v", got)
	}
	r.Deny = here("shell(make)").Allow
	if got := r.DecideIn(works(nil), q); got.Verdict != permit.Deny {
		t.Errorf("denied: %+v", got)
	}
}

// A command that only reads is asked about if a deny rule with a pattern may cover what it reads.
func TestASandboxDoesNotSettleDoubtAboutReading(t *testing.T) {
	r := here()
	r.Deny = here("read(*.pem)").Allow
	for text, want := range map[string]permit.Verdict{"grep -r key .": ask, "cat a.txt": allow, "cat a.pem": deny} {
		if got := r.DecideIn(works(nil), understood(text)); got.Verdict != want {
			t.Errorf("%q: %v (%s), want %v", text, got.Verdict, got.Why, want)
		}
	}
}

// A sandbox keeps commands from the files that deny rules name, so there is no doubt in one. It
// does so for names, not for patterns.
func TestASandboxSettlesDoubtAboutFiles(t *testing.T) {
	for _, tc := range []struct {
		denied  string
		sandbox func(*permit.Sandboxing)
		verdict permit.Verdict
		place   permit.Place
	}{
		{"read(.env)", nil, allow, workspace},
		{"read(secrets/**)", nil, allow, workspace},
		{"read(*.pem)", nil, ask, workspace},
		{"write(docs)", nil, allow, workspace},
		{"write(*.pem)", nil, ask, workspace},
		{"read(.env)", off, ask, outside},
		{"read(.env)", reading, ask, outside},
	} {
		r := here("shell(make)")
		r.Deny = here(tc.denied).Allow
		if got := r.DecideIn(works(tc.sandbox), understood("make")); got.Verdict != tc.verdict || got.Place != tc.place {
			t.Errorf("make with %s denied: %v %v (%s), want %v %v", tc.denied, got.Verdict, got.Place, got.Why, tc.verdict, tc.place)
		}
	}
}
