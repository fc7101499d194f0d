package approval

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// runs is a tool for commands that notes what it runs.
type runs struct{ ran []string }

func command(c tool.Call) string {
	var args struct{ Command string }
	_ = json.Unmarshal(c.Arguments, &args) // the tests give objects
	return args.Command
}

func (r *runs) Definition() tool.Definition { return tool.Definition{Name: "bash"} }

func (r *runs) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{Kind: permit.Shell, Tool: "bash", Command: effects.Of(command(c), "/w", "/home/u", asWritten)}, nil
}

func (r *runs) Run(_ context.Context, c tool.Call) tool.Result {
	r.ran = append(r.ran, command(c))
	return tool.Result{Outcome: tool.Success, Text: "ok"}
}

// A command in a text is held by what holds a call of the tool for commands: the mode of the agent, and the hooks.
func TestCommandsInTextsGoRoundNoGuard(t *testing.T) {
	for name, tc := range map[string]struct {
		command string
		mode    agent.Mode
		hooked  hook.Decision
		ran     string
		why     string
	}{
		"allowed":                 {command: "rm x", ran: "rm x"},
		"plan":                    {command: "rm x", mode: agent.Planning, why: "permissionMode of this agent is plan"},
		"dontAsk":                 {command: "make", mode: agent.Unasking, why: "has nobody asked"},
		"a hook denies":           {command: "rm x", hooked: hook.Decision{Denied: "no rm"}, why: "no rm"},
		"a hook asks":             {command: "rm x", hooked: hook.Decision{Permission: "ask"}, why: "it needs your approval"},
		"a hook allows":           {command: "make", hooked: hook.Decision{Permission: "allow"}, ran: "make"},
		"a hook changes":          {command: "rm x", hooked: hook.Decision{Arguments: json.RawMessage(`{"command":"rm y"}`)}, ran: "rm y"},
		"a hook changes too much": {command: "rm x", hooked: hook.Decision{Arguments: json.RawMessage(`{"command":"make"}`)}, why: "it needs your approval"},
	} {
		p, shell := bare(), &runs{}
		p.fake.mode = tc.mode
		allowed, _ := permit.SkillRules("", []string{"Bash(rm:*)"})
		var seen hook.Call
		output, why := p.RunText(t.Context(), Text{
			Shell: shell, AgentID: "a1", Command: tc.command, Allowed: allowed,
			Before: func(_ context.Context, c hook.Call) hook.Decision { seen = c; return tc.hooked },
		})
		if got := strings.Join(shell.ran, ","); got != tc.ran || (why == "") != (tc.why == "") || !strings.Contains(why, tc.why) {
			t.Errorf("%s: ran %q, output %q, why %q; want %q, %q", name, got, output, why, tc.ran, tc.why)
		}
		if seen.Name != "bash" || seen.AgentID != "a1" {
			t.Errorf("%s: the hooks saw %+v", name, seen)
		}
	}
}

// A rule that denies a file, or asks about it, withholds it, and that it lies elsewhere does not.
func TestRulesWithholdFiles(t *testing.T) {
	p := bare()
	deny, err := permit.ParseRule("read(/w/.env)")
	if err != nil {
		t.Fatal(err)
	}
	ask, err := permit.ParseRule("read(/w/asked)")
	if err != nil {
		t.Fatal(err)
	}
	p.Permissions.policy.client.Deny, p.Permissions.policy.client.Ask = []permit.Rule{deny}, []permit.Rule{ask}
	for path, want := range map[string]bool{"/w/.env": true, "/w/asked": true, "/w/a.md": false, "/home/u/notes.md": false} {
		if why := p.Withheld(t.Context(), path); (why != "") != want {
			t.Errorf("%s: %q", path, why)
		}
	}
}
