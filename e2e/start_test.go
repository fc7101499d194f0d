package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
)

// transports are the ways in which an SDK starts the program.
var transports = []struct {
	name    string
	connect func(home string, args ...string) copilot.RuntimeConnection
}{
	{"stdio", func(home string, args ...string) copilot.RuntimeConnection {
		return copilot.StdioConnection{Path: binary, Args: args, Env: environment(home)}
	}},
	{"TCP", func(home string, args ...string) copilot.RuntimeConnection {
		return copilot.TCPConnection{Path: binary, Args: args, Env: environment(home)}
	}},
}

func TestAnApplicationStartsTalksAndStops(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			home := t.TempDir()
			model := script(t, say("Hello, Ann."))
			c := started(t, copilot.ClientOptions{Connection: transport.connect(home), WorkingDirectory: home, LogLevel: "error"})

			pong, err := c.Ping(soon(t), "hello")
			if err != nil || pong.Message != "pong: hello" {
				t.Errorf("Ping = %+v, %v", pong, err)
			}
			status, err := c.GetStatus(soon(t))
			if err != nil || status.ProtocolVersion != copilot.GetSDKProtocolVersion() || status.Version == "" {
				t.Errorf("GetStatus = %+v, %v", status, err)
			}
			auth, err := c.GetAuthStatus(soon(t))
			if err != nil || auth.IsAuthenticated {
				t.Errorf("GetAuthStatus = %+v, %v; want nobody", auth, err)
			}

			s := create(t, c, copilot.SessionConfig{SessionID: "s1", Provider: at(model)})
			if got := s.ask("I am Ann."); got != "Hello, Ann." {
				t.Errorf("the answer is %q", got)
			}
			if err := c.Stop(); err != nil {
				t.Errorf("Stop: %v", err)
			}

			log, err := os.ReadFile(filepath.Join(home, "session-state", "s1", "events.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(log)), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, `"type":"session.shutdown"`) {
				t.Errorf("the log ends with %s, want the shutdown", last)
			}
		})
	}
}

func TestAnUnknownFlagFailsTheStartAndIsNamed(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			c := copilot.NewClient(&copilot.ClientOptions{Connection: transport.connect(t.TempDir(), "--no-such-flag")})
			defer c.ForceStop()
			err := c.Start(soon(t))
			if err == nil || !strings.Contains(err.Error(), "stderr") || !strings.Contains(err.Error(), "no-such-flag") {
				t.Errorf("Start = %v, want the flag and what stderr said", err)
			}
		})
	}
}

func TestARuntimeWithATokenTakesNobodyElse(t *testing.T) {
	s := serve(t, t.TempDir(), "COPILOT_CONNECTION_TOKEN=secret")
	for _, tc := range []struct {
		name, token string
		want        string
	}{
		{"no token", "", "AUTHENTICATION_FAILED"},
		{"a wrong token", "guess", "AUTHENTICATION_FAILED"},
		{"the token", "secret", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.URIConnection{URL: s.url, ConnectionToken: tc.token}})
			defer c.ForceStop()
			switch err := c.Start(soon(t)); {
			case tc.want == "" && err != nil:
				t.Errorf("Start = %v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("Start = %v, want %s", err, tc.want)
			}
		})
	}
}

// Mode "empty" is for servers with many users. The SDK then switches off everything that
// looks at the machine, with a call after each create that must succeed.
func TestModeEmptyWorks(t *testing.T) {
	home := t.TempDir()
	model := script(t, call("look", `{}`), say("Seen."))
	c := started(t, copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: binary, Env: environment(home)}, Mode: copilot.ModeEmpty, BaseDirectory: home,
	})
	look := copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) { return "a tree", nil })
	look.SkipPermission = true
	s := create(t, c, copilot.SessionConfig{Provider: at(model), Tools: []copilot.Tool{look}, AvailableTools: []string{"custom:*"}})
	if got := s.ask("Look."); got != "Seen." {
		t.Errorf("the answer is %q", got)
	}
	for _, m := range lastRequest(t, model).Messages {
		if m.Role == "system" && strings.Contains(strings.ToLower(m.Content), "current working directory") {
			t.Errorf("the model was told where it runs:\n%s", m.Content)
		}
	}
}
