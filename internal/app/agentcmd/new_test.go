package agentcmd

import (
	"bytes"
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// An agent's go.mod asks for the Go that package extension needs, no other.
func TestNewAgentsWantOurGo(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mod, []byte("\ngo "+goVersion+"\n")) {
		t.Errorf("go.mod does not say go %s", goVersion)
	}
	if !isCheckout(cli.Absolute("../../..")) || isCheckout(cli.Absolute(".")) {
		t.Error("a checkout is not known as one, or something else is")
	}
}

func TestModulesOfNewAgents(t *testing.T) {
	for _, tc := range []struct {
		agent newAgent
		want  string
	}{
		{newAgent{module: "a", version: "v0.1.0"}, "module a\n\ngo " + goVersion + "\n\nrequire " + modulePath + " v0.1.0\n"},
		{newAgent{module: "a", replace: "/my src"}, "module a\n\ngo " + goVersion + "\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => \"/my src\"\n"},
	} {
		if got := tc.agent.goMod(); got != tc.want {
			t.Errorf("go.mod is %q, want %q", got, tc.want)
		}
	}
	for name, right := range map[string]bool{"a": true, "example.com/a-b/c.d": true, "": false, "a b": false, "/a": false, "a/": false, "..": false, "a//b": false} {
		if moduleName.Get().MatchString(name) != right {
			t.Errorf("module %q is taken: %v", name, !right)
		}
	}
}

// Headers of a recording are taken off where there are some, whatever their line ends.
func TestSplitReply(t *testing.T) {
	for _, tc := range []struct {
		raw    string
		status int
		body   string
	}{
		{"data: x\n\n", 0, "data: x\n\n"},
		{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n", 200, "data: x\n\n"},
		{"HTTP/2 401 \nA: b\n\nno", 401, "no"},
		{"HTTP/1.1 200 OK\r\n\r\n", 200, ""},
		{"HTTP/1.1 200 OK\nno header at all\n\ndata: x", 0, "HTTP/1.1 200 OK\nno header at all\n\ndata: x"},
		{"HTTP/1.1 200 OK", 0, "HTTP/1.1 200 OK"},
		{"", 0, ""},
	} {
		status, _, body := splitReply([]byte(tc.raw))
		if status != tc.status || string(body) != tc.body {
			t.Errorf("splitReply(%q) = %d, %q; want %d, %q", tc.raw, status, body, tc.status, tc.body)
		}
	}
}
