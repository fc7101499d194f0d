package front

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The session tells the end of a command in the background that no call waits for.
func TestEndOfAJobIsTold(t *testing.T) {
	goOn := filepath.Join(t.TempDir(), "go")
	ways(t, func(t *testing.T, h *house) {
		_ = os.Remove(goOn) // of the other way
		s := h.enter("")
		if _, err := h.program(s.ID()).Permissions().SetMode(t.Context(), wire.ModeAllowAll); err != nil {
			t.Fatal(err)
		}
		s.say("wait in the background")
		shown := cell.New(cell.Options{})
		for e := range s.events {
			shown.Event(e, e.Time)
			if e.Type == "session.idle" {
				if all := shown.Jobs(); len(all) != 1 {
					t.Fatalf("%+v", all)
				}
				if err := os.WriteFile(goOn, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if e.Get("infoType").Text() == wire.InfoCommandEnded {
				break
			}
		}
		if left := shown.Jobs(); len(left) > 0 {
			t.Errorf("%+v is shown as running", left)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "bash", Arguments: `{"command":"until test -e ` + goOn + `; do sleep 0.05; done","description":"wait","mode":"async"}`}}}, modeltest.Reply{Text: "it runs"})
}
