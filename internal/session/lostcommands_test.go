package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// leaver is a tool whose command goes on in the background.
type leaver struct{}

func (leaver) Definition() tool.Definition {
	return tool.Definition{Name: "leaver", Trusted: true, Parameters: []byte(`{"type":"object"}`)}
}

func (leaver) Run(context.Context, tool.Call) tool.Result {
	left := wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoCommandLeft, Message: "left"}, wire.FieldLeft, wire.CommandLeft{ShellID: "sh7", Command: "npm run dev"})
	return tool.Result{Outcome: tool.Success, Text: "<running>", After: []wire.Data{left}}
}

// A command that ran in the background ends with its process. The model reads so, once, after a kill and
// after an orderly end.
func TestTheModelLearnsThatItsBackgroundCommandsAreGone(t *testing.T) {
	for name, end := range map[string]func(*desk, *seat){
		"killed": func(d *desk, _ *seat) { d.crash() },
		"closed": func(_ *desk, s *seat) { _ = s.client.Detach(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			tools := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{leaver{}}} }
			bubble(t, &desk{fs: vfs.NewMem(), tools: tools}, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("go")
				s.until("session.idle")
				for range 2 { // the second time there is nothing to tell
					end(d, s)
					s = d.resume(wire.Config{SessionID: "s1"})
				}
				s.send("next")
				s.until("session.idle")
				if got := d.conversation(); strings.Count(got, "shellId sh7: npm run dev") != 1 {
					t.Errorf("the model read:\n%s", got)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "leaver", `{}`)}}, modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two"})
		})
	}
}
