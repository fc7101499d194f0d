package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A tool that no provider accepts does not fail the calls of the model: the user is warned once, and
// the other tools are offered.
func TestAToolThatNoProviderAcceptsIsLeftOut(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("good", "text", "list")
		for i := range cfg.Tools {
			switch cfg.Tools[i].Name {
			case "text":
				cfg.Tools[i].Parameters = json.RawMessage(`{"type":"string"}`)
			case "list":
				cfg.Tools[i].Parameters = json.RawMessage(`[]`)
			}
		}
		s := d.create(cfg)
		s.send("one")
		warned := s.until("session.warning")
		for _, name := range []string{"text: its schema describes a value of the type \"string\"", "list: its schema is not an object"} {
			if !strings.Contains(field(warned, "message"), name) || field(warned, "warningType") != "tool_schema" {
				t.Errorf("the warning is %s, want it to say %s", field(warned, "message"), name)
			}
		}
		s.until("session.idle")
		s.send("two")
		s.until("session.idle")
		if n := count(d.stored(s.s.ID()), "session.warning"); n != 1 {
			t.Errorf("%d warnings, want one", n)
		}
		for _, r := range d.model.Requests() {
			if body := string(r.Raw); !strings.Contains(body, `"name":"good"`) || strings.Contains(body, `"name":"text"`) || strings.Contains(body, `"name":"list"`) {
				t.Errorf("sent %s", body)
			}
		}
	}, modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok"})
}
