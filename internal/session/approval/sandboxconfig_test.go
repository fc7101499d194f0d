package approval

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// configured reads the configuration of a client that works in /w, where every path is its own
// real path.
func configured(t *testing.T, text string, program SandboxSettings) (*SandboxChange, error) {
	t.Helper()
	var given wire.Sandboxed
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		t.Fatal(err)
	}
	return Paths{FS: vfs.NewMem(), Resolve: cleanPath}.Sandbox(given, program, "/w")
}

// A configuration adds to what this program requires and excludes, and takes nothing of it away.
func TestAConfigurationIsAddedToTheProgram(t *testing.T) {
	docker := permit.Rule{Kind: permit.Shell, Argument: "docker:*", From: "flag"}
	for name, tc := range map[string]struct {
		text              string
		program           permit.Sandboxing
		required, auto    bool
		explicit, noTools bool
	}{
		"nothing":             {`{"enabled": true}`, permit.Sandboxing{}, true, false, true, false},
		"need not work":       {`{"enabled": true, "failIfUnavailable": false}`, permit.Sandboxing{}, false, false, true, false},
		"needed by the flag":  {`{"enabled": true, "failIfUnavailable": false}`, permit.Sandboxing{Required: true}, true, false, true, false},
		"auto-allow":          {`{"enabled": true, "autoAllowBashIfSandboxed": true}`, permit.Sandboxing{}, true, true, true, false},
		"auto-allow, by flag": {`{"enabled": true}`, permit.Sandboxing{AutoAllow: true}, true, true, true, false},
		"no toolchains":       {`{"enabled": true, "allowDevToolAccess": false}`, permit.Sandboxing{}, true, false, true, true},
	} {
		tc.program.Excluded = []permit.Rule{docker}
		c, err := configured(t, `{"sandboxConfig": `+tc.text[:len(tc.text)-1]+`, "excludedCommands": ["shell(make)"]}}`, SandboxSettings{Sandboxing: tc.program})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := c.Settings
		if !s.On || s.Required != tc.required || s.AutoAllow != tc.auto || s.Explicit != tc.explicit || s.NoTools != tc.noTools {
			t.Errorf("%s: %+v", name, s)
		}
		if len(s.Excluded) != 2 || s.Excluded[0] != docker || s.Excluded[1].Argument != "make" {
			t.Errorf("%s: excluded: %v", name, s.Excluded)
		}
	}
}

// The files that a client names are resolved; denied ones get rules that keep other tools from
// them.
func TestTheFilesOfAConfiguration(t *testing.T) {
	c, err := configured(t, `{"sandbox": {"enabled": true, "userPolicy": {"filesystem":
		{"readonlyPaths": ["lib", "/lib2"], "readwritePaths": ["/o", "/o"], "deniedPaths": ["secret", "/k"]}}}}`, SandboxSettings{})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Settings
	got := [][]string{s.Read, s.Write, s.Deny, s.Shown}
	if diff := cmp.Diff([][]string{{"/w/lib", "/lib2"}, {"/o"}, {"/w/secret", "/k"}, {"/w/lib", "/lib2", "/o"}}, got); diff != "" {
		t.Error(diff)
	}
	r := permit.Rules{All: true, Deny: s.Denies}
	for path, want := range map[string]permit.Verdict{"/w/secret": permit.Deny, "/k/x": permit.Deny, "/w/x": permit.Allow} {
		q := permit.Request{Kind: permit.Read, Path: permit.Path{Name: path, Real: path}}
		if d := r.Decide(q); d.Verdict != want {
			t.Errorf("reading %s: %v (%s)", path, d.Verdict, d.Why)
		}
	}
}

// Absent fields of the network allow every host. A blocked host is blocked in the proxy and in
// the rules.
func TestTheNetworkOfAConfiguration(t *testing.T) {
	for text, want := range map[string]sandbox.Network{
		`{}`: {Allow: []string{"*"}},
		`{"allowedHosts": ["a.example"], "blockedHosts": ["b.example"]}`:           {Allow: []string{"a.example"}, Deny: []string{"b.example"}},
		`{"allowOutbound": false}`:                                                 {},
		`{"allowOutbound": false, "allowedHosts": ["a.example"]}`:                  {},
		`{"allowLocalNetwork": true}`:                                              {Allow: []string{"*"}, Local: true},
		`{"proxy": {"url": "http://p.example:3128"}}`:                              {Allow: []string{"*"}, Upstream: "http://p.example:3128"},
		`{"proxy": {"url": "http://p.example", "username": "u", "password": "x"}}`: {Allow: []string{"*"}, Upstream: "http://u:x@p.example"},
	} {
		c, err := configured(t, `{"sandbox": {"enabled": true, "userPolicy": {"network": `+text+`}}}`, SandboxSettings{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(&want, c.Settings.Network); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if noted := strings.Contains(text, `false, "allowedHosts"`); (len(c.Notes) > 0) != noted {
			t.Errorf("%s: the notes are %q", text, c.Notes)
		}
		if hosts := c.Settings.Hosts; (len(hosts.Allow) > 0) != (len(want.Allow) > 0) || (len(hosts.Deny) > 0) != (len(want.Deny) > 0) {
			t.Errorf("%s: the rules are %v", text, hosts)
		}
	}
}

// A setting that cannot be honoured, and that would allow more if it were ignored, is an error
// that names the field.
func TestConfigurationsThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`{"sandbox": {"enabled": true}, "sandboxConfig": {"enabled": true}}`: "two names of one setting",
		`{"sandbox": {}}`: "sandbox.enabled: it is missing",
		`{"sandbox": {"enabled": true, "excludedCommands": ["write"]}}`:                                                 "only commands can be excluded",
		`{"sandbox": {"enabled": true, "userPolicy": {"filesystem": {"readonlyPaths": ["/"]}}}}`:                        "readonlyPaths: \"/\" is the whole file system",
		`{"sandbox": {"enabled": true, "userPolicy": {"filesystem": {"deniedPaths": ["~/x"]}}}}`:                        "deniedPaths: \"~/x\": ~ is not expanded",
		`{"sandbox": {"enabled": true, "userPolicy": {"filesystem": {"readwritePaths": [""]}}}}`:                        "readwritePaths: it cannot be known",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"allowedHosts": ["a b"]}}}}`:                          "allowedHosts",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"blockedHosts": ["http://a"]}}}}`:                     "blockedHosts",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"proxy": {"url": "socks5://p"}}}}}`:                   "proxy.url: it is not the address of a proxy",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"proxy": {"url": "http://u@p"}}}}}`:                   "proxy.url: it has a user",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"proxy": {"url": "http://p:0"}}}}}`:                   "proxy.url: a port",
		`{"sandbox": {"enabled": true, "userPolicy": {"network": {"proxy": {"url": "http://p", "password": "$KEY"}}}}}`: "proxy.password: references",
	} {
		if _, err := configured(t, text, SandboxSettings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if c, err := configured(t, `{}`, SandboxSettings{}); c != nil || err != nil {
		t.Errorf("without a configuration: %+v, %v", c, err)
	}
}

// The settings of a client narrow the sandbox of every command, and deny rules hold in its
// network.
func TestThePolicyHasTheSettingsOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := confinedSession(all, permit.Rules{Deny: []permit.Rule{{Kind: permit.URL, Argument: "evil.example"}, {Kind: permit.Read, Argument: ".env"}}})
		err := p.UseSandbox(t.Context(), SandboxSettings{
			Sandboxing: permit.Sandboxing{On: true, AllowBypass: true}, Read: []string{"/r"}, Write: []string{"/o"}, Deny: []string{"/w/x"}, KeepDir: true, NoTools: true,
			Network: &sandbox.Network{Allow: []string{"*"}, DenyURLs: []string{"bad.example"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		reads := &sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{"/w"}, Read: []string{"/r"}, Deny: []string{"/w/x", "/w/.env"}, NoTools: true}
		git := *reads
		git.Mode, git.Write, git.Protect, git.ProtectNames = sandbox.WorkspaceWrite, []string{"/o"}, []string{"/w"}, permit.Rules{}.SandboxProtected()
		git.Network = sandbox.Network{Allow: []string{"*"}, DenyURLs: []string{"bad.example", "evil.example"}}
		for text, want := range map[string]*sandbox.Policy{"ls": reads, "git add a": &git} {
			got, _ := p.asksFor(t, run(text), yes)
			if diff := cmp.Diff(want, got.Sandbox); diff != "" {
				t.Errorf("%s: (-want +got):\n%s", text, diff)
			}
		}
	})
}
