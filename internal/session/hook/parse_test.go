package hook

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// FuzzFile reads arbitrary files: every command that comes out can be run.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x","cwd":"..","timeoutSec":1e300,"env":{"A":"$B"},"matcher":"a|b"}]}}`,
		`{"version":1,"hooks":{"":[{"type":"command","bash":"\u0000"}]}}`, `{"version":1,"hooks":null}`, `[]`, ``, "{\"version\":1e400}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var f found
		f.parse(projectfiles.Of(projectfiles.Hooks, projectfiles.Root)[0], "a.json", "/work", "/work", text)
		for _, c := range f.commands {
			if c.Text == "" || !filepath.IsAbs(c.dir) || c.Limit <= 0 || c.Limit > 10*time.Minute {
				t.Errorf("%s gives %+v", text, c)
			}
		}
		if len(f.commands) > maxCommands {
			t.Errorf("%d commands", len(f.commands))
		}
	})
}

// GitHub's MCP server has two names, and a matcher with one of them is called for its tools.
func TestAMatcherWithEitherNameOfGitHubsServer(t *testing.T) {
	for _, matcher := range []string{"github-get_me", "github-mcp-server-get_.*"} {
		var f found
		f.parse(projectfiles.Of(projectfiles.Hooks, projectfiles.Root)[0], "a.json", "/work", "/work", []byte(`{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"x","matcher":"`+matcher+`"}]}}`))
		for tool, want := range map[string]bool{"github-get_me": true, "github-mcp-server-get_me": true, "github-mcp-server-other": false, "get_me": false} {
			if _, got := (commandHook{command: f.commands[0]}).serves("preToolUse", Call{Name: tool}, map[string]any{"toolName": tool}); got != want {
				t.Errorf("the matcher %s and the tool %s: %v, want %v", matcher, tool, got, want)
			}
		}
	}
}

// FuzzCommandOutput reads arbitrary output of commands: it is a JSON object or nothing.
func FuzzCommandOutput(f *testing.F) {
	for _, seed := range []string{`{}`, "a\n{}\n", "{\n}", "{", "[]", `"x"`, "", "x\n{\"a\":1} y"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := commandOutput(text)
		var object map[string]any
		if err == nil && out != nil && (json.Unmarshal(out, &object) != nil || object == nil) {
			t.Errorf("%q gives %q", text, out)
		}
	})
}
