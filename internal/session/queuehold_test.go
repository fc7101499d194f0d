package session_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// waiting is what every client of the session is told of the queue.
func (s *seat) waiting() (texts []string, held, interrupted bool) {
	s.d.t.Helper()
	p, err := s.s.Queue().Pending(context.Background())
	if err != nil {
		s.d.t.Fatal(err)
	}
	for _, i := range p.Items {
		texts = append(texts, i.DisplayText)
	}
	return texts, p.Held, p.Interrupted
}

// holds checks what waits.
func (s *seat) holds(held, interrupted bool, want ...string) {
	s.d.t.Helper()
	texts, h, i := s.waiting()
	if diff := cmp.Diff(want, texts); diff != "" || h != held || i != interrupted {
		s.d.t.Errorf("held %v, interrupted %v; want %v, %v; what waits (-want +got):\n%s", h, i, held, interrupted, diff)
	}
}

// said is what the user messages of the log say.
func (d *desk) said() (texts []string) {
	for _, e := range d.stored("s1") {
		if e.Type == "user.message" {
			texts = append(texts, field(e, "content"))
		}
	}
	return texts
}

// continued is how a user interface continues a session.
func continued() wire.Config {
	return wire.Config{SessionID: "s1", ContinuePendingWork: true, HoldPendingWork: true}
}

// A queue that is held stays held after a restart, until a client of the session, whichever it is,
// lets it go on or sends something.
func TestAHoldIsAStateOfTheSession(t *testing.T) {
	for name, tc := range map[string]struct {
		goOn  func(s *seat) error
		order []string
	}{
		"until it is let go on": {func(s *seat) error { return s.s.Queue().Pause(context.Background(), false) }, []string{"one", "two", "three"}},
		"until a message": {func(s *seat) error {
			_, err := s.s.Send(context.Background(), wire.Send{Prompt: "before"})
			return err
		}, []string{"one", "before", "two", "three"}},
		"until messages are sent together": {func(s *seat) error {
			_, err := s.s.Queue().SendAll(context.Background(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "before"}, {Prompt: "too"}}})
			return err
		}, []string{"one", "before", "too", "two", "three"}},
		"until an item is sent": {func(s *seat) error {
			p, err := s.s.Queue().Pending(context.Background())
			if err == nil {
				_, err = s.s.Queue().SendNow(context.Background(), p.Items[1].ID)
			}
			return err
		}, []string{"one", "three", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("one")
				s.until("assistant.turn_start")
				s.send("three")
				s.steer("two")
				if done, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold); !done || err != nil {
					t.Fatalf("%v, %v", done, err)
				}
				s.until("session.idle")
				s.holds(true, false, "two", "three")
				d.crash()
				s = d.resume(continued())
				other := d.resume(continued())
				s.rest()
				s.holds(true, false, "two", "three")
				other.holds(true, false, "two", "three")
				if got := d.said(); len(got) != 1 {
					t.Errorf("sent were %q", got)
				}
				d.model.Add(modeltest.Reply{Text: "x", Repeat: true})
				if err := tc.goOn(other); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				s.holds(false, false)
				if diff := cmp.Diff(tc.order, d.said()); diff != "" {
					t.Errorf("sent were (-want +got):\n%s", diff)
				}
				d.crash() // the end of the hold is in the log, too
				d.resume(continued()).holds(false, false)
			}, modeltest.Reply{Silent: true})
		})
	}
}

// A user interface holds the work that a killed process left behind: the run, and the messages that waited
// for its end, also what was to steer it.
func TestWhatAKilledProcessLeftIsHeld(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start")
		s.send("two")
		s.steer("three")
		s.rest() // the model has been asked
		calls := len(d.model.Requests())
		d.crash()
		for range 2 { // a second restart forgets nothing
			s = d.resume(continued())
			s.rest()
			s.holds(true, true, "three", "two")
			if got := len(d.model.Requests()); got != calls {
				t.Errorf("the model was asked %d times by itself", got-calls)
			}
			d.crash()
		}
		s = d.resume(continued())
		d.model.Add(modeltest.Reply{Text: "first"}, modeltest.Reply{Text: "x", Repeat: true})
		if err := s.s.Queue().Pause(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: one\nassistant: first\nuser: three\nassistant: x\nuser: two\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		s.holds(false, false)
	}, modeltest.Reply{Silent: true})
}

// A question that a killed process had asked is asked again, and the run goes on only with the answer.
func TestAQuestionOfAKilledProcessIsAskedAgain(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("one")
		s.until("permission.requested")
		s.send("two")
		d.crash()
		cfg := tools("ask")
		cfg.ContinuePendingWork, cfg.HoldPendingWork = true, true
		s = d.resume(cfg)
		s.until("permission.requested")
		s.holds(true, false, "two")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}})
}

// A program that continues a session lets a hold of the user end, as it always continued everything.
func TestAProgramThatContinuesEndsAHold(t *testing.T) {
	for _, goOn := range []bool{true, false} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			s := d.create(wire.Config{SessionID: "s1"})
			s.send("one")
			s.until("assistant.turn_start")
			s.send("two")
			if _, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold); err != nil {
				t.Fatal(err)
			}
			s.until("session.idle")
			d.crash()
			d.model.Add(modeltest.Reply{Text: "x", Repeat: true})
			s = d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: goOn})
			s.rest()
			s.holds(false, false)
			if got := d.said(); len(got) != 2 {
				t.Errorf("sent were %q", got)
			}
		}, modeltest.Reply{Silent: true})
	}
}

// A queue in which nothing waits any more is not held: what comes later does not wait for the user.
func TestAnEmptyQueueIsNotHeld(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start")
		s.send("two")
		if _, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if err := s.s.Queue().Clear(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.holds(false, false)
	}, modeltest.Reply{Silent: true})
}

// A scheduled prompt is no message of the user: it waits with what the user holds, and once only.
func TestAScheduledPromptWaitsWithWhatIsHeld(t *testing.T) {
	for name, tc := range map[string]struct {
		queued      []string // before the run is interrupted
		interrupted bool     // by the end of the process
		order       []string // in which the messages reach the model
	}{
		"a held queue":       {[]string{"two"}, false, []string{"one", "three", "two", "scheduled"}},
		"an interrupted run": {nil, true, []string{"one", "three", "scheduled"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				if _, err := s.s.Queue().Schedule().Add(context.Background(), schedule.Entry{Prompt: "scheduled", Every: time.Minute, Recurring: true}); err != nil {
					t.Fatal(err)
				}
				s.send("one")
				s.until("assistant.turn_start")
				for _, m := range tc.queued {
					s.send(m)
				}
				if tc.interrupted {
					s.rest()
					d.crash()
					s = d.resume(continued())
				} else if _, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold); err != nil {
					t.Fatal(err)
				}
				s.rest()
				s.holds(len(tc.queued) > 0, tc.interrupted, tc.queued...)
				<-time.After(3*time.Minute + time.Second)
				s.rest()
				s.holds(true, tc.interrupted, append(tc.queued, "scheduled")...)
				if got := d.said(); len(got) != 1 {
					t.Errorf("sent were %q", got)
				}
				d.model.Add(modeltest.Reply{Text: "x", Repeat: true})
				s.send("three")
				s.rest()
				if diff := cmp.Diff(tc.order, d.said()); diff != "" {
					t.Errorf("sent were (-want +got):\n%s", diff)
				}
				s.holds(false, false)
			}, modeltest.Reply{Silent: true})
		})
	}
}

// The hand-over also ends the pause of a client, and sends what waits before a command.
func TestTheHandOverEndsAPause(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		q := s.s.Queue()
		if err := q.Pause(context.Background(), true); err != nil {
			t.Fatal(err)
		}
		s.send("one")
		s.holds(false, false, "one")
		if err := q.HandOver(context.Background()); err != nil {
			t.Error(err)
		}
		s.until("session.idle")
		s.holds(false, false)
	}, modeltest.Reply{Text: "x"})
}

// A hold that cannot be recorded is not promised.
func TestAHoldThatIsNotRecordedIsAnError(t *testing.T) {
	full := false
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if full && op.Name == "write" {
			return syscall.ENOSPC
		}
		return nil
	})
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start")
		s.send("two")
		full = true
		done, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold)
		if !done || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("interrupted %v, %v; want an error", done, err)
		}
		s.until("session.idle")
		full = false
	}, modeltest.Reply{Silent: true})
}
