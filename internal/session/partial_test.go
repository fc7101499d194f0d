package session_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const cutOff = "<reminder>The user interrupted your last message before it was complete. The user has read it as far as it is above.</reminder>"

// cutOffAnswer is an answer that stalls after its first words.
func cutOffAnswer() modeltest.Reply {
	return modeltest.Reply{Reasoning: "Hm.", Text: "word by word by word", Piece: 8, StallAfter: 3}
}

// The text of an answer that the user interrupted is in the log, and the model reads it with the
// next message: without its reasoning, and marked.
func TestAnInterruptedAnswerIsKept(t *testing.T) {
	for name, interrupt := range map[string]func(s *seat) error{
		"abort": func(s *seat) error { return s.s.Abort(context.Background(), "") },
		"interrupt": func(s *seat) error {
			_, err := s.s.Queue().InterruptRun(context.Background(), queue.Send)
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
		if _, err := s.s.Queue().SendAll(context.Background(), "session.sendMessages", wire.SendMessages{}); err != nil {
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

// longAnswer is an answer of which 12 MiB arrive before it stalls. Each of its characters has six bytes
// in JSON that escapes HTML.
func longAnswer() modeltest.Reply {
	return modeltest.Reply{Text: strings.Repeat("<", 12<<20-4) + "end.more", Piece: 1 << 20, StallAfter: 12}
}

// However long the answer is that the user interrupts: the log says that it was interrupted, has its
// end, and the queue is held, or dropped.
func TestAnInterruptedLongAnswerIsRecorded(t *testing.T) {
	for name, tc := range map[string]struct {
		interrupt func(s *seat) error
		held      []string
	}{
		"abort": {func(s *seat) error { return s.s.Abort(context.Background(), "") }, nil},
		"interrupt": {func(s *seat) error {
			_, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold)
			return err
		}, []string{"two"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", Streaming: new(true)})
				s.send("one")
				s.until("assistant.message_delta")
				synctest.Wait()
				s.send("two")
				if err := tc.interrupt(s); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				s.holds(tc.held != nil, false, tc.held...)
				if got := d.said(); len(got) != 1 {
					t.Errorf("sent were %q", got)
				}
				d.crash()
				s = d.resume(continued())
				s.holds(tc.held != nil, false, tc.held...)
				abort := wire.Raw(last(t, d.stored("s1"), "abort").Data).Get(wire.FieldCutOff)
				if got := abort.Get("content").Text(); len(got) != 256<<10 || !strings.HasSuffix(got, "<end.") {
					t.Errorf("the log has %d bytes of the answer, and its end is %q", len(got), got[max(0, len(got)-10):])
				}
				if got, want := string(abort.Get("omitted")), fmt.Sprint(12<<20-256<<10); got != want {
					t.Errorf("%s bytes are omitted, want %s", got, want)
				}
				d.model.Add(modeltest.Reply{Text: "x", Repeat: true})
				s.send("continue")
				s.until("session.idle")
				next := d.model.Requests()[1].Messages[3].Content
				if want := "before it was complete. It was too long to be kept: only the end of what the user has read is above.</reminder>\n"; !strings.Contains(next, want) {
					t.Errorf("the next message is %q", next)
				}
			}, longAnswer())
		})
	}
}

// A log that cannot be written keeps neither the interruption nor the hold, and the user reads so.
func TestAnInterruptionThatCannotBeRecordedIsAnError(t *testing.T) {
	for name, interrupt := range map[string]func(s *seat) error{
		"abort": func(s *seat) error { return s.s.Abort(context.Background(), "") },
		"interrupt": func(s *seat) error {
			done, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold)
			if !done {
				return fmt.Errorf("no run was interrupted: %w", err)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			full := false
			failing := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
				if op.Name == "write" && full {
					return syscall.ENOSPC
				}
				return nil
			})
			inBubble(t, failing, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("one")
				s.until("assistant.turn_start")
				s.send("two")
				s.rest()
				full = true
				if err := interrupt(s); err == nil || !strings.Contains(err.Error(), "the run was stopped, but ") || !strings.Contains(err.Error(), "no space left") {
					t.Errorf("the interruption returned %v", err)
				}
				s.until("session.idle")
				if got := count(s.told, "abort"); got != 1 {
					t.Errorf("%d abort events", got)
				}
			}, modeltest.Reply{Silent: true})
		})
	}
}
