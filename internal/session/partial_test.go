package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const cutOff = "<reminder>The user interrupted your last message before it was complete. The user has read it as far as it is above.</reminder>"

// cutOffAnswer is an answer that stalls after its first words.
func cutOffAnswer() modeltest.Reply {
	return modeltest.Reply{Reasoning: "Hm.", Text: "word by word by word", Piece: 8, StallAfter: 3}
}

// What an answer had said when the user interrupted it is in the log, and the model reads it with the
// next message: without its reasoning, and marked.
func TestAnInterruptedAnswerIsKept(t *testing.T) {
	for name, interrupt := range map[string]func(s *seat) error{
		"abort": func(s *seat) error { return s.s.Abort(context.Background(), "") },
		"interrupt": func(s *seat) error {
			_, err := s.s.Queue().InterruptRun(context.Background(), session.SendQueue)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", Streaming: new(true)})
				s.send("count")
				s.until("assistant.message_delta")
				synctest.Wait()
				if err := interrupt(s); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				streamed := ""
				for _, e := range s.rest() {
					if e.Type == wire.MessageDelta {
						streamed += field(e, "deltaContent")
					}
				}
				abort := wire.Raw(last(t, s.told, "abort").Data).Get(wire.FieldCutOff)
				if got := abort.Get("content").Text(); streamed == "" || got != streamed {
					t.Fatalf("the log has %q of the answer, the clients have got %q", got, streamed)
				}
				d.crash()
				s = d.resume(wire.Config{SessionID: "s1", Streaming: new(true)})
				d.model.Add(modeltest.Reply{Text: "fine"})
				s.send("continue")
				s.until("session.idle")
				if got, want := d.conversation(), "user: count\nassistant: "+streamed+"\nuser: continue\n"; got != want {
					t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
				}
				request := d.model.Requests()[1]
				if !strings.HasPrefix(request.Messages[3].Content, cutOff+"\n") {
					t.Errorf("the next message is %q", request.Messages[3].Content)
				}
				if strings.Contains(fmt.Sprint(request), "Hm.") {
					t.Error("the model got the reasoning of the answer that was cut off")
				}
			}, cutOffAnswer())
		})
	}
}

// A run that continues without a message ends its request with a message of the user, because some
// models refuse to continue their own.
func TestAnInterruptedAnswerIsNotTheLastMessage(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Streaming: new(true)})
		s.send("count")
		s.until("assistant.message_delta")
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		d.model.Add(modeltest.Reply{Text: "fine"})
		if _, err := s.s.Queue().SendAll(context.Background(), wire.SendMessages{}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "\nuser: "+cutOff+"\n") {
			t.Errorf("the model read:\n%s", got)
		}
	}, cutOffAnswer())
}

// An abort while a tool runs keeps nothing: the answer before it is recorded.
func TestAnAbortAfterAnAnswerKeepsNothingTwice(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("lookup")
		cfg.Streaming = new(true)
		s := d.create(cfg)
		s.send("go")
		s.until("external_tool.requested")
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got := wire.Raw(last(t, s.told, "abort").Data).Get(wire.FieldCutOff); got != nil {
			t.Errorf("the abort has %s", got)
		}
	}, modeltest.Reply{Text: "Let me see.", ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}})
}
