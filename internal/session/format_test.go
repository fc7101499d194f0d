package session_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const countFormat = `{"type":"json_schema","jsonSchema":{"name":"count","description":"How many.","schema":{"type":"object","x":1e0},"strict":false}}`

// formats are the response_format of the calls of the model, "" for none.
func (d *desk) formats() (all []string) {
	for _, r := range d.model.Requests() {
		var body struct {
			Format json.RawMessage `json:"response_format"`
		}
		if err := json.Unmarshal(r.Raw, &body); err != nil {
			d.t.Errorf("%s: %v", r.Raw, err)
		}
		all = append(all, string(body.Format))
	}
	return all
}

// The form of an answer goes to the provider, unchanged, with every call of its run, also if
// the message waited, and with no other call.
func TestTheFormOfAnAnswerIsThatOfItsMessage(t *testing.T) {
	const want = `{"type":"json_schema","json_schema":{"name":"count","description":"How many.","strict":false,"schema":{"type":"object","x":1e0}}}`
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		ask := func(prompt string, format json.RawMessage) {
			if _, err := s.s.Send(d.t.Context(), wire.Send{Prompt: prompt, ResponseFormat: format}); err != nil {
				t.Fatalf("Send: %v", err)
			}
		}
		ask("how many?", json.RawMessage(countFormat))
		asked := s.until("external_tool.requested")
		ask("in words", nil)
		ask("again", json.RawMessage(countFormat))
		s.reply(field(asked, "requestId"), `"result":"42"`)
		s.until("session.idle")
		if diff := cmp.Diff([]string{want, want, "", want}, d.formats()); diff != "" {
			t.Errorf("response_format of the calls (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: `{"n":42}`, Repeat: true},
	)
}

// A message that waits when the process dies has its form afterwards.
func TestTheFormOfAWaitingMessageSurvivesACrash(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("first")
		asked := s.until("external_tool.requested")
		if _, err := s.s.Send(d.t.Context(), wire.Send{Prompt: "count", ResponseFormat: json.RawMessage(countFormat)}); err != nil {
			t.Fatal(err)
		}
		d.crash()
		cfg := tools("lookup")
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		s.reply(field(asked, "requestId"), `"result":"42"`)
		s.until("session.idle")
		got := d.formats()
		if n := len(got); n != 3 || got[n-2] != "" || got[n-1] == "" {
			t.Errorf("response_format of the calls: %q, want it in the last one alone", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: `{"n":42}`, Repeat: true},
	)
}

// All events of a run have its interaction id, and its answers the id of the message that began
// it, also if another message steers it.
func TestEventsNameTheirRun(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		first, err := s.s.Send(d.t.Context(), wire.Send{Prompt: "go"})
		if err != nil {
			t.Fatal(err)
		}
		asked := s.until("external_tool.requested")
		if _, err := s.s.Send(d.t.Context(), wire.Send{Prompt: "hurry", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.reply(field(asked, "requestId"), `"result":"42"`)
		s.until("session.idle")
		second, err := s.s.Send(d.t.Context(), wire.Send{Prompt: "again"})
		if err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		var runs, origins []string
		for _, e := range s.told {
			if id := field(e, "interactionId"); id != "null" && (len(runs) == 0 || runs[len(runs)-1] != id) {
				runs = append(runs, id)
			}
			switch e.Type {
			case "assistant.message":
				origins = append(origins, field(e, "originatingMessageId"))
			case "user.message", "assistant.turn_start", "system.message", "tool.execution_complete":
				if field(e, "interactionId") == "null" {
					t.Errorf("%s has no interactionId", e.Type)
				}
			}
		}
		if len(runs) != 2 {
			t.Errorf("interaction ids %q, want one for each run", runs)
		}
		if diff := cmp.Diff([]string{first, first, second}, origins); diff != "" {
			t.Errorf("originatingMessageId (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}
