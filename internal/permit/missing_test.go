package permit_test

import (
	"path"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// allowRule is a rule that a test writes as text.
func allowRule(t *testing.T, text string) permit.Rule {
	t.Helper()
	r, err := permit.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func program(name string) permit.Program {
	return permit.Program{Name: name, Words: append(strings.Fields(name), "x")}
}

func shellRequest(c permit.Command) permit.Request {
	return permit.Request{Kind: permit.Shell, Command: c}
}

func fileAt(kind permit.Kind, name string) permit.Request {
	return permit.Request{Kind: kind, Path: permit.Path{Name: name, Real: name}}
}

var missing = []struct {
	name        string
	allow, deny string
	request     permit.Request
	want        string // rules and folders, or "!" and the reason
}{
	{"a write", "", "", fileAt(permit.Write, "/w/a"), "write"},
	{"a file that makes programs run", "write", "", fileAt(permit.Write, "/w/.envrc"), "write(/w/.envrc)"},
	{"a write outside", "write", "", fileAt(permit.Write, "/tmp/a"), "write(/tmp/a)"},
	{"a read outside", "read", "", fileAt(permit.Read, "/etc/hostname"), "read(/etc/hostname)"},
	{"a name with a star", "", "", fileAt(permit.Read, "/etc/a*b"), `read(/etc/a\*b)`},
	{"a path that leads nowhere", "", "", permit.Request{Kind: permit.Read, Path: permit.Path{Name: "/x"}}, "! /x is outside"},
	{"a program", "", "", shellRequest(permit.Command{Programs: []permit.Program{program("go test")}}), "shell(go test:*)"},
	{
		"a second program", "shell(go test:*)", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("go test"), program("go vet")}}), "shell(go vet:*)",
	},
	{
		"two programs", "", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("go test"), program("go vet")}}), "shell(go test:*) shell(go vet:*)",
	},
	{
		"output to a file", "shell(echo:*)", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("echo")}, Redirects: true, Paths: []permit.Path{{Name: "/w/o", Real: "/w/o"}}}), "write",
	},
	{
		"a file that makes programs run, as output", "shell(echo:*)", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("echo")}, Redirects: true, Paths: []permit.Path{{Name: "/w/.envrc", Real: "/w/.envrc"}}}),
		"! /w/.envrc can make programs run by themselves",
	},
	{
		"a path outside", "", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("rm")}, Paths: []permit.Path{{Name: "/tmp/d/o", Real: "/tmp/d/o"}}}), "shell(rm:*) in /tmp/d",
	},
	{
		"an address in a command", "", "",
		shellRequest(permit.Command{Programs: []permit.Program{program("curl")}, URLs: []string{"http://127.0.0.1:4400/x"}}), "url(http://127.0.0.1:4400) shell(curl:*)",
	},
	{
		"a program beside the working directory", "", "",
		shellRequest(permit.Command{Dir: "/w/sub", Programs: []permit.Program{program("./x.sh")}}), "shell",
	},
	{"a program with a strange name", "", "", shellRequest(permit.Command{Programs: []permit.Program{program("*")}}), "shell"},
	{"an unclear command", "shell(npm:*)", "", shellRequest(permit.Command{Unclear: "it sets FOO", Programs: []permit.Program{program("npm")}}), "! it is not clear what"},
	{
		"a command that may be denied", "", "shell(rm)",
		shellRequest(permit.Command{Unclear: "$X", Hidden: true}), "!! it is not clear whether shell(rm) denies it",
	},
	{"an address", "", "", permit.Request{Kind: permit.URL, Address: "http://127.0.0.1:4400/x"}, "url(http://127.0.0.1:4400)"},
	{"an address by https", "", "", permit.Request{Kind: permit.URL, Address: "https://go.dev/x"}, "url(go.dev)"},
	{"an address that is none", "", "", permit.Request{Kind: permit.URL, Address: "::"}, "url"},
	{"a tool", "", "", permit.Request{Kind: permit.CustomTool, Tool: "deploy"}, "deploy"},
	{"a tool that no rule can name", "", "", permit.Request{Kind: permit.CustomTool, Tool: "it is"}, "! no rule covers it"},
	{"a confirmation", "", "", permit.Request{Kind: permit.CustomTool, Tool: "x", Personal: true}, "!! the user decides"},
	{"what is denied", "", "write", fileAt(permit.Write, "/w/a"), "!! denied by write"},
	{"what is allowed", "write", "", fileAt(permit.Write, "/w/a"), ""},
}

// The result of Missing is enough for the request, and each rule in it can be written on
// the command line.
func TestMissing(t *testing.T) {
	for _, tc := range missing {
		t.Run(tc.name, func(t *testing.T) {
			r := permit.Rules{Folders: permit.Folders{Primary: "/w"}}
			if tc.allow != "" {
				r.Allow = []permit.Rule{allowRule(t, tc.allow)}
			}
			if tc.deny != "" {
				r.Deny = []permit.Rule{allowRule(t, tc.deny)}
			}
			m := r.Missing(tc.request, path.Dir)
			var words []string
			for _, allow := range m.Rules {
				words = append(words, allow.String())
				r = r.With(allowRule(t, allow.String()))
			}
			for _, dir := range m.Folders {
				words = append(words, "in "+dir)
				r.Folders.More = append(r.Folders.More, dir)
			}
			got := strings.Join(words, " ")
			switch {
			case m.OnlyUser:
				got = "!! " + m.Why
			case m.Why != "":
				got = "! " + m.Why
			case r.Decide(tc.request).Verdict != permit.Allow:
				t.Errorf("with %q the verdict is still %v", got, r.Decide(tc.request))
			}
			if got != tc.want && !(strings.HasPrefix(tc.want, "!") && strings.HasPrefix(got, tc.want)) {
				t.Errorf("Missing is %q, want %q", got, tc.want)
			}
		})
	}
}
