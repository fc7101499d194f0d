package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestARunTellsItsEventsInOrder(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("What is it?\nTell me.")
		s.answer(`"result":"42"`)
		s.until("session.idle")
		want := `session.start
user.message
  pending_messages.modified
  session.title_changed
  session.skills_loaded
system.message
assistant.turn_start
  assistant.reasoning_delta
  assistant.message_start
  assistant.message_delta
  assistant.tool_call_delta
  assistant.streaming_delta
assistant.reasoning
assistant.message
  assistant.intent
  assistant.usage
  session.usage_info
tool.execution_start
external_tool.requested
  external_tool.completed
tool.execution_complete
assistant.turn_end
assistant.turn_start
  assistant.message_start
  assistant.message_delta
  assistant.streaming_delta
assistant.message
  assistant.usage
  session.usage_info
assistant.turn_end
  assistant.idle
  session.idle
`
		if diff := cmp.Diff(want, squeezed(s.rest())); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got, want := d.conversation(), "user: What is it?\nTell me.\nassistant: Let me see.[lookup {\"q\":\"it\"}]\ntool: 42\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		checkChain(t, s.told)
		if diff := cmp.Diff(persisted(s.told), d.stored("s1")); diff != "" {
			t.Errorf("the sent and the stored events differ (-sent +stored):\n%s", diff)
		}
	},
		modeltest.Reply{Reasoning: "Hm.", Text: "Let me see.", ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "It is 42.", Usage: &modeltest.Usage{Input: 100, Output: 7}},
	)
}

// squeezed lists types like types, with the pieces of a stream as one, and the
// progress reports, whose number depends on time, only where they end.
func squeezed(events []wire.Event) string {
	var out []wire.Event
	for i, e := range events {
		progress := e.Type == "assistant.streaming_delta"
		if progress && i+1 < len(events) && events[i+1].Ephemeral {
			continue
		}
		if n := len(out); !progress && n > 0 && e.Ephemeral && out[n-1].Type == e.Type {
			continue
		}
		out = append(out, e)
	}
	return types(out)
}

// checkChain checks D1's chain: persisted events only, each after the one before.
func checkChain(t *testing.T, events []wire.Event) {
	t.Helper()
	parent := ""
	for _, e := range events {
		if e.ParentID != parent {
			t.Errorf("%s has parent %q, want the last persisted event %q", e.Type, e.ParentID, parent)
		}
		if kind := wire.Kinds[e.Type]; kind.By == "" || kind.Persisted() == e.Ephemeral {
			t.Errorf("%s has ephemeral %v, want persisted %v", e.Type, e.Ephemeral, kind.Persisted())
		}
		if !e.Ephemeral {
			parent = e.ID
		}
	}
}

func persisted(events []wire.Event) (out []wire.Event) {
	for _, e := range events {
		if !e.Ephemeral {
			out = append(out, e)
		}
	}
	return out
}

// Streamed events and events that others record meanwhile are sent in one order.
func TestTheChainHoldsWhileTwoSpeak(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Streaming: yes()})
		s.send("tell me more")
		named := make(chan error, 1)
		go func() {
			var err error
			for n := 0; n < 500 && err == nil; n++ {
				err = s.s.Settings().SetName(context.Background(), fmt.Sprint("name ", n))
			}
			named <- err
		}()
		s.until("session.idle")
		if err := <-named; err != nil {
			t.Fatal(err)
		}
		checkChain(t, s.rest())
	}, modeltest.Reply{Text: strings.Repeat("x", 2000), Piece: 1})
}

func TestWithoutStreamingThereAreNoDeltas(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		for _, e := range s.rest() {
			if strings.HasSuffix(string(e.Type), "_delta") {
				t.Errorf("received a %s", e.Type)
			}
		}
	}, modeltest.Reply{Text: "hello"})
}
