package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// queue sends while the session is busy and returns the ids that were answered.
func (s *seat) queue(messages ...wire.Send) (ids []string) {
	s.d.t.Helper()
	for _, m := range messages {
		id, err := s.s.Send(context.Background(), m)
		if err != nil {
			s.d.t.Fatalf("Send(%q): %v", m.Prompt, err)
		}
		ids = append(ids, id)
	}
	return ids
}

// messages are the ids of the user messages among events, in order.
func messages(events []wire.Event) (ids []string) {
	for _, e := range events {
		if e.Type == "user.message" {
			ids = append(ids, field(e, "messageId"))
		}
	}
	return ids
}

func TestAMessageThatWaitsSurvivesTheProcess(t *testing.T) {
	for _, tc := range []struct {
		name     string
		goOn     bool
		asked    int // model calls after the restart, before anything is sent
		messages []wire.Send
		order    []int // in which they are recorded
	}{
		{"and is answered if the client continues", true, 3, []wire.Send{{Prompt: "second"}, {Prompt: "third"}}, []int{0, 1}},
		{"the one that was to steer comes first", true, 2, []wire.Send{{Prompt: "second"}, {Prompt: "aside", Mode: "immediate"}}, []int{1, 0}},
		{"and is in the log if not", false, 0, []wire.Send{{Prompt: "second"}, {Prompt: "third"}}, []int{0, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("first")
				s.until("assistant.turn_start")
				ids := s.queue(tc.messages...)
				s.rest()
				calls := len(d.model.Requests())
				d.crash()
				s = d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: tc.goOn})
				events := s.rest()
				want := []string{messages(d.stored("s1"))[0]}
				for _, i := range tc.order {
					want = append(want, ids[i])
				}
				if diff := cmp.Diff(want, messages(d.stored("s1"))); diff != "" {
					t.Errorf("messages in the log (-accepted +recorded):\n%s", diff)
				}
				if got := len(d.model.Requests()) - calls; got != tc.asked {
					t.Errorf("the model was asked %d times, want %d", got, tc.asked)
				}
				if got := count(events, "session.idle"); tc.goOn != (got == 1) || got > 1 {
					t.Errorf("%d idles:\n%s", got, types(events))
				}
				checkChain(t, d.stored("s1"))
			}, modeltest.Silent(), modeltest.Reply{Text: "2"}, modeltest.Reply{Text: "3"}, modeltest.Reply{Text: "4"})
		})
	}
}

func TestAnAbortDropsWhatWaitsAlsoAfterARestart(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("first")
		s.until("assistant.turn_start")
		s.queue(wire.Send{Prompt: "second"})
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		d.crash()
		d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: true}).rest()
		if got := messages(d.stored("s1")); len(got) != 1 {
			t.Errorf("%d messages in the log, want the one that was not dropped", len(got))
		}
	}, modeltest.Silent())
}

func TestHeadersOfAMessageThatWaitsAreSentAndNotStored(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("first")
		s.queue(wire.Send{Prompt: "second", RequestHeaders: map[string]string{"X-Who": "secret-ada"}})
		s.answer(`"result":"r"`)
		s.until("session.idle")
		requests := d.model.Requests()
		if got := requests[len(requests)-1].Header.Get("X-Who"); got != "secret-ada" {
			t.Errorf("the model call has the header %q", got)
		}
		for _, e := range d.stored("s1") {
			if string(wire.Raw(e.Data).Get("queued").Get("requestHeaders")) != "" {
				t.Errorf("headers are stored: %s", e.Data)
			}
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}

// A client whose result was accepted need not keep it.
func TestAResultIsAcknowledgedOnceItIsKept(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		s.answer(`"result":"r"`)
		if got := count(d.stored("s1"), "tool.execution_complete"); got != 1 {
			t.Errorf("the client was acknowledged, and %d results are in the log", got)
		}
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "1"})
}
