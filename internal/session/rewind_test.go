package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// talk sends messages one after the other and waits for the answers.
func (s *seat) talk(prompts ...string) {
	for _, p := range prompts {
		s.send(p)
		s.until("session.idle")
	}
}

// message is the stored event of a message.
func (d *desk) message(content string) wire.Event {
	d.t.Helper()
	events := d.stored("s1")
	i := slices.IndexFunc(events, func(e wire.Event) bool { return e.Type == "user.message" && field(e, "content") == content })
	if i < 0 {
		d.t.Fatalf("there is no message %q", content)
	}
	return events[i]
}

func (s *seat) truncate(to wire.Event) int64 {
	s.d.t.Helper()
	n, err := s.s.History().Truncate(context.Background(), to.ID)
	if err != nil {
		s.d.t.Fatalf("Truncate: %v", err)
	}
	return n
}

// shown is what getMessages answers, types alone.
func (s *seat) shown() (types []string) {
	s.d.t.Helper()
	lines, err := s.s.History().Events(context.Background())
	if err != nil {
		s.d.t.Fatal(err)
	}
	for _, line := range lines {
		e, err := wire.ParseEvent(line)
		if err != nil {
			s.d.t.Fatal(err)
		}
		types = append(types, string(e.Type))
	}
	return types
}

var brief = wire.Config{SessionID: "s1", SystemMessage: &wire.SystemMessageSet{Mode: "replace", Content: "Be brief."}}

// The model does not read removed history: live, after the conversation has left memory,
// and in another process, also when more is removed.
func TestTheModelForgetsWhatIsTakenBack(t *testing.T) {
	want := "user: one\nassistant: 1\nuser: four\n"
	for name, between := range map[string]func(d *desk, s *seat) *seat{
		"at once":     func(_ *desk, s *seat) *seat { return s },
		"after a nap": func(_ *desk, s *seat) *seat { time.Sleep(time.Hour); return s },
		"in another process": func(d *desk, _ *seat) *seat {
			d.crash()
			d.stop()
			d.start(registry.Options{IdleTimeout: 10 * time.Minute})
			return d.resume(brief)
		},
	} {
		for _, napping := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inBubble(t, vfs.NewMem(), func(d *desk) {
					d.stop()
					d.start(registry.Options{IdleTimeout: 10 * time.Minute})
					s := d.create(brief)
					s.talk("one", "two", "three")
					if napping {
						time.Sleep(time.Hour)
					}
					second, third := d.message("two"), d.message("three")
					if n := s.truncate(third); n != 4 {
						t.Errorf("%d events were removed, want the message, two of the turn and its answer", n)
					}
					if n := s.truncate(second); n != 5 {
						t.Errorf("%d events were removed, want four and the first truncation", n)
					}
					s = between(d, s)
					s.talk("four")
					if diff := cmp.Diff(want, d.conversation()); diff != "" {
						t.Errorf("the model read (-want +got):\n%s", diff)
					}
					for _, e := range []wire.Event{second, third} {
						if _, err := s.s.History().Truncate(context.Background(), e.ID); fault.KindOf(err) != fault.NotFound || err == nil {
							t.Errorf("taking it back again: %v", err)
						}
					}
					time.Sleep(time.Hour) // what the log holds is read again
					s.talk("five")
					if diff := cmp.Diff(want+"assistant: 4\nuser: five\n", d.conversation()); diff != "" {
						t.Errorf("after a while the model read (-want +got):\n%s", diff)
					}
				}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"}, modeltest.Reply{Text: "3"}, modeltest.Reply{Text: "4"}, modeltest.Reply{Text: "5"})
			})
		}
	}
}

func TestTakingBackAResultInterruptsItsCall(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("get"))
		s.send("go")
		s.answer(`"result":"found"`)
		s.until("session.idle")
		s.truncate(last(t, s.told, "tool.execution_complete"))
		s.talk("again")
		if got := d.conversation(); strings.Contains(got, "found") || !strings.Contains(got, "interrupted") {
			t.Errorf("the model read:\n%s", got)
		}
		types := s.shown()
		if n := len(types) - slices.Index(types, "session.info"); n < 4 || types[len(types)-n+1] != "tool.execution_complete" {
			t.Errorf("shown: %q", types)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "get", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"}, modeltest.Reply{Text: "ok"})
}

// A message that waited before the cut and was recorded after it does not wait again.
func TestAWaitingMessageIsNotRevived(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(brief)
		s.send("one")
		s.until("assistant.turn_start")
		s.queue(wire.Send{Prompt: "two"})
		time.Sleep(time.Minute)
		s.rest()
		s.truncate(d.message("two"))
		d.crash()
		s = d.resume(brief)
		s.talk("three")
		if want := "user: one\nassistant: 1\nuser: three\n"; d.conversation() != want {
			t.Errorf("the model read:\n%s", d.conversation())
		}
	}, modeltest.Reply{Text: "1", Delay: time.Second}, modeltest.Reply{Text: "2"}, modeltest.Reply{Text: "3"})
}

// A disk that is full keeps the history as it is.
func TestATruncationThatIsNotRecordedChangesNothing(t *testing.T) {
	full := false
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if full && op.Name == "write" {
			return context.DeadlineExceeded
		}
		return nil
	})
	inBubble(t, disk, func(d *desk) {
		s := d.create(brief)
		s.talk("one", "two")
		before := s.shown()
		full = true
		if _, err := s.s.History().Truncate(context.Background(), d.message("two").ID); err == nil {
			t.Error("Truncate succeeded")
		}
		full = false
		if diff := cmp.Diff(before, s.shown()); diff != "" {
			t.Error(diff)
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}

// A client that leaves while its rewind begins does not keep the session from working.
func TestARewindThatNobodyAwaitsHoldsNothing(t *testing.T) {
	var slow atomic.Bool
	disk := vfs.Fail(vfs.NewMem(), func(vfs.Op) error {
		if slow.Load() {
			return &vfs.Slow{For: time.Minute}
		}
		return nil
	})
	inBubble(t, disk, func(d *desk) {
		s := d.create(brief)
		s.talk("one")
		message := d.message("one").ID
		slow.Store(true)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.s.History().Files().Rewind(ctx, message, false); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Rewind = %v, want that the context has ended while it began", err)
		}
		slow.Store(false)
		s.talk("two")
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}
