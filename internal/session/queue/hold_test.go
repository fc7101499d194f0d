package queue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// An interruption stops the run once, and says what becomes of what waits.
func TestAnInterruptionSaysWhatBecomesOfTheQueue(t *testing.T) {
	for name, tc := range map[string]struct {
		how   queue.Interruption
		waits []string // after the run
		next  string   // what the next run begins with
		held  bool
	}{
		"drop": {how: queue.Drop},
		"send": {how: queue.Send, waits: []string{"one", "two", "three", "!steers"}, next: "steers"},
		"hold": {how: queue.Hold, waits: []string{"steers", "one", "two", "three"}, held: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := busy(t)
			for _, want := range []bool{true, false} {
				if done, err := s.q.InterruptRun(t.Context(), tc.how); done != want || err != nil {
					t.Fatalf("%v, %v; want %v", done, err, want)
				}
			}
			s.finish(t)
			s.waits(t, tc.waits...)
			if s.Fold.Hold.Held != tc.held || (s.run != nil) != (tc.next != "") || s.run != nil && s.run.prompt != tc.next {
				t.Errorf("%+v; the run is %+v", s.Fold.Hold, s.run)
			}
		})
	}
	s, _ := busy(t)
	s.Broken = errors.New("the disk is full")
	if done, err := s.q.InterruptRun(t.Context(), queue.Hold); !done || !errors.Is(err, s.Broken) || !s.run.stopped || !s.has("abort") {
		t.Errorf("%v, %v; the run was stopped: %v", done, err, s.run.stopped)
	}
	s, _ = busy(t)
	s.Broken = errors.New("the disk is full")
	s.do(t, func() error {
		if err := s.q.Abort("user_initiated"); !errors.Is(err, s.Broken) || !s.run.stopped || !s.has("abort") {
			t.Errorf("%v; the run was stopped: %v", err, s.run.stopped)
		}
		return nil
	})
	s = newScene()
	if done, err := s.q.InterruptRun(t.Context(), queue.Drop); done || err != nil {
		t.Errorf("an idle session was interrupted: %v, %v", done, err)
	}
}

// A held queue goes on with the next message, which comes first, with an item, or when a client says so.
func TestAHoldEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		goOn func(s *scene, ids []string) error
		want []string
	}{
		"with a message": {func(s *scene, _ []string) error {
			_, err := s.q.Send(context.Background(), wire.Send{Prompt: "before"})
			return err
		}, []string{"before", "one", "two", "three"}},
		"with messages that are sent together": {func(s *scene, _ []string) error {
			_, err := s.q.SendAll(context.Background(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "a"}, {Prompt: "b"}}})
			return err
		}, []string{"a", "b", "one", "two", "three"}},
		"with an item": {func(s *scene, ids []string) error {
			_, err := s.q.SendNow(context.Background(), ids[2])
			return err
		}, []string{"three", "one", "two"}},
		"with the first item": {func(s *scene, ids []string) error {
			_, err := s.q.SendNow(context.Background(), ids[0])
			return err
		}, []string{"one", "two", "three"}},
		"by a client":          {func(s *scene, _ []string) error { return s.q.Pause(context.Background(), false) }, []string{"one", "two", "three"}},
		"when it is handed on": {func(s *scene, _ []string) error { return s.q.HandOver(context.Background()) }, []string{"one", "two", "three"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.say(t, "run")
			ids := s.say(t, "one", "two", "three")
			if done, err := s.q.InterruptRun(t.Context(), queue.Hold); !done || err != nil {
				t.Fatal(done, err)
			}
			s.finish(t)
			if p, err := s.q.Pending(t.Context()); !p.Held || err != nil || s.run != nil {
				t.Fatalf("%+v, %v; the run is %v", p, err, s.run)
			}
			if err := tc.goOn(s, ids); err != nil {
				t.Fatal(err)
			}
			for s.run != nil {
				s.finish(t)
			}
			s.said(t, append([]string{"run"}, tc.want...)...)
			if s.Fold.Hold.Held {
				t.Error("the hold did not end")
			}
		})
	}
}

// A failed run is held, and what waits behind it; it can be tried again, if no agent of another system was to
// answer.
func TestAFailedRunIsHeld(t *testing.T) {
	s, _ := busy(t)
	s.do(t, func() error { s.q.HoldFailed(); return nil })
	if h := s.Fold.Hold; !h.Held || !h.Interrupted || s.why() != "The run has failed. It is held, and so are the queued messages." {
		t.Errorf("%+v: %q", h, s.why())
	}
	s.waits(t, "steers", "one", "two", "three")
	broken, _ := busy(t)
	broken.refuses = "The run was interrupted." // which keeps the message that was to steer the run
	broken.do(t, func() error { broken.q.HoldFailed(); return nil })
	if h := broken.Fold.Hold; h.Held || h.Interrupted {
		t.Errorf("the run is held, %+v, although the message for it is not", h)
	}
	before := len(s.Sent())
	s.do(t, func() error { s.q.HoldFailed(); return nil })
	if len(s.Sent()) != before {
		t.Errorf("it was held twice: %v", s.Types()[before:])
	}
	if err := s.q.Retry(t.Context()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a retry during the run: %v", err)
	}
	s.run.stopped = true
	s.finish(t)
	s.agent = true
	if err := s.q.Retry(t.Context()); fault.KindOf(err) != fault.Denied {
		t.Errorf("a retry of an agent: %v", err)
	}
	s.agent = false
	if err := s.q.Retry(t.Context()); err != nil || s.run == nil || s.run.first != "" || s.Fold.Hold.Held {
		t.Errorf("%v; the run is %+v, held is %+v", err, s.run, s.Fold.Hold)
	}
	s.finish(t)
	if s.run == nil || s.run.prompt != "steers" {
		t.Errorf("the next run is %+v", s.run)
	}
	s = newScene()
	if err := s.q.Retry(t.Context()); fault.KindOf(err) != fault.Conflict {
		t.Errorf("nothing to retry: %v", err)
	}
	s.say(t, "run")
	s.do(t, func() error { s.q.HoldFailed(); return nil })
	s.finish(t)
	if p, err := s.q.Pending(t.Context()); err != nil || p.Held || !p.Interrupted {
		t.Errorf("%+v, %v", p, err)
	}
	if err := s.q.Pause(t.Context(), false); err != nil || s.run == nil || s.Fold.Hold.Interrupted {
		t.Errorf("%v; the run is %v, held is %+v", err, s.run, s.Fold.Hold)
	}
}

// A paused queue keeps its messages in an idle session, but for those that steer.
func TestAPausedQueueWaits(t *testing.T) {
	s := newScene()
	if err := s.q.Pause(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := s.q.Pause(t.Context(), true); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the error is %v", err)
	}
	s.say(t, "one")
	if s.run != nil || s.why() != "The queue is paused." {
		t.Errorf("the run is %v, the user reads %q", s.run, s.why())
	}
	ids, err := s.q.SendAll(t.Context(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "two"}}, Wait: true})
	if fault.KindOf(err) != fault.Unavailable || len(ids) != 1 {
		t.Errorf("%q, %v", ids, err)
	}
	s.send(t, wire.Send{Prompt: "now", Mode: "immediate"})
	if s.run == nil || s.run.prompt != "now" {
		t.Fatalf("the run is %+v", s.run)
	}
	s.finish(t)
	s.waits(t, "one", "two")
	if err := s.q.HandOver(t.Context()); err != nil || s.run == nil || s.run.prompt != "one" {
		t.Errorf("%v; the run is %+v", err, s.run)
	}
}

// While a client changes what a run has left, nothing begins; only one client does at a time.
func TestNothingBeginsWhileTheQueueIsBlocked(t *testing.T) {
	s := newScene()
	s.do(t, func() error {
		if !s.q.Block() || s.q.Block() {
			t.Error("the queue is not blocked once")
		}
		return nil
	})
	s.say(t, "one")
	s.send(t, wire.Send{Prompt: "now", Mode: "immediate"})
	if err := s.q.Retry(t.Context()); s.run != nil || s.q.Ready() || fault.KindOf(err) != fault.Conflict {
		t.Errorf("the run is %v, %v", s.run, err)
	}
	s.gone = true
	s.do(t, func() error { s.q.Drain(); s.q.Free(); return nil })
	if s.run != nil {
		t.Errorf("a run began in a session that closes: %+v", s.run)
	}
	s.gone = false
	s.do(t, func() error { s.q.Drain(); return nil })
	if s.run == nil || s.run.prompt != "now" {
		t.Errorf("the run is %+v", s.run)
	}
}

// A message that waits is taken back at once, one that the model has not answered once its run has ended.
func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		first := s.say(t, "run")[0]
		waits := s.say(t, "one")[0]
		for _, tc := range []struct {
			id, text string
			want     bool
		}{{waits, "other", false}, {waits, "one", true}, {waits, "one", false}, {first, "other", false}} {
			if done, err := s.q.Withdraw(t.Context(), tc.id, tc.text); done.Removed != tc.want || done.Interrupted || err != nil {
				t.Errorf("%q: %+v, %v", tc.text, done, err)
			}
		}
		s.say(t, "after")
		s.unsend = func() (bool, error) {
			if s.run != nil {
				t.Error("the history was changed during a run")
			}
			return true, nil
		}
		done := make(chan wire.QueueWithdrawn, 1)
		go func() {
			d, err := s.q.Withdraw(t.Context(), first, "run")
			if err != nil {
				t.Error(err)
			}
			done <- d
		}()
		synctest.Wait()
		if !s.run.stopped || len(done) > 0 {
			t.Fatal("the run was not stopped")
		}
		s.finish(t)
		if d := <-done; !d.Removed || !d.Interrupted {
			t.Errorf("%+v", d)
		}
		synctest.Wait()
		if s.run == nil || s.run.prompt != "after" {
			t.Errorf("the next run is %+v", s.run)
		}
	})
}

// A client that does not wait for the end of the run leaves a queue that goes on.
func TestAWithdrawalThatIsGivenUpFreesTheQueue(t *testing.T) {
	for name, unsend := range map[string]func() (bool, error){
		"the client leaves":              nil,
		"the history cannot be changed":  func() (bool, error) { return false, errors.New("the disk is full") },
		"the model has answered by then": func() (bool, error) { return false, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene()
				s.unsend = unsend
				first := s.say(t, "run")[0]
				s.say(t, "after")
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					done, err := s.q.Withdraw(ctx, first, "run")
					if name == "the client leaves" && fault.KindOf(err) != fault.Unavailable || done.Removed || !done.Interrupted {
						t.Errorf("%+v, %v", done, err)
					}
				}()
				synctest.Wait()
				if unsend == nil {
					leave()
					synctest.Wait()
				}
				s.finish(t)
				<-ended
				synctest.Wait()
				if s.run == nil || s.run.prompt != "after" {
					t.Errorf("the next run is %+v", s.run)
				}
			})
		})
	}
}

// A client that leaves while its withdrawal stops the run does not block the queue.
func TestAWithdrawalWithoutItsClientFreesTheQueue(t *testing.T) {
	s := newScene()
	first := s.say(t, "run")[0]
	s.say(t, "after")
	s.leaves = true
	if done, err := s.q.Withdraw(t.Context(), first, "run"); done.Removed || done.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", done, err)
	}
	s.do(t, s.late)
	if !s.run.stopped {
		t.Error("the run was not stopped")
	}
	s.finish(t)
	if s.run == nil || s.run.prompt != "after" {
		t.Errorf("the next run is %+v", s.run)
	}
}

// What a process has left is recorded, sent, or held, as the client that opens the session wants it. Commands are
// removed in any case.
func TestASessionIsOpenedWithWhatWaits(t *testing.T) {
	for name, tc := range map[string]struct {
		left        queue.Left
		waits, said []string
		hold        wire.QueueHold
		attached    int
	}{
		"not continued":         {left: queue.Left{Own: true}, said: []string{"one", "shell", "steers"}, attached: 1},
		"of another machine":    {left: queue.Left{}, said: []string{"one", "shell", "steers"}},
		"continued":             {left: queue.Left{Own: true, Continued: true}, waits: []string{"one", "too long", "shell", "!steers"}},
		"held":                  {left: queue.Left{Own: true, Continued: true, Held: true}, waits: []string{"steers", "one", "too long", "shell"}, hold: wire.QueueHold{Held: true}},
		"held with its run":     {left: queue.Left{Own: true, Continued: true, Held: true, Interrupted: true}, waits: []string{"steers", "one", "too long", "shell"}, hold: wire.QueueHold{Held: true, Interrupted: true}},
		"held, of another home": {left: queue.Left{Continued: true, Held: true}, waits: []string{"one", "too long", "shell", "!steers"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.tooLong, s.extension = "too long", "agent"
			for _, m := range []state.Queued{
				{ID: "1", Send: wire.Send{Prompt: "one", Attachments: []byte(`[{"type":"file"}]`)}},
				{ID: "2", Send: wire.Send{Prompt: "too long"}},
				{ID: "3", Send: wire.Send{Prompt: "/compact"}, Command: true},
				{ID: "4", Send: wire.Send{Prompt: "shell", AgentMode: "shell"}},
				{ID: "5", Send: wire.Send{Prompt: "steers", Mode: "immediate"}},
			} {
				s.do(t, func() error { return s.Record("", m.Event("")) })
			}
			s.do(t, func() error { return s.q.Reopen(tc.left) })
			s.do(t, func() error { return s.q.ReopenHold(tc.left) })
			s.waits(t, tc.waits...)
			s.said(t, tc.said...)
			if diff := cmp.Diff(tc.hold, s.Fold.Hold); diff != "" || len(s.attached) != tc.attached || s.run != nil {
				t.Errorf("%d attachments were read, the run is %v, held is (-want +got):\n%s", len(s.attached), s.run, diff)
			}
			if !tc.left.Continued && s.orphans != 1 {
				t.Errorf("the shell command was closed %d times", s.orphans)
			}
			for _, agent := range s.values("user.message", wire.FieldExtension) {
				if agent != "agent" {
					t.Errorf("a message was recorded for %q", agent)
				}
			}
			s.do(t, func() error { return s.q.Reopen(tc.left) })
			before := len(s.Sent())
			s.do(t, func() error { return s.q.ReopenHold(tc.left) })
			if len(s.Sent()) != before {
				t.Errorf("opened again, recorded were %v", s.Types()[before:])
			}
		})
	}
}

// A run that a process has left is held alone if nothing waits behind it.
func TestARunThatAProcessHasLeftIsHeld(t *testing.T) {
	s := newScene()
	s.do(t, func() error {
		return s.q.ReopenHold(queue.Left{Own: true, Continued: true, Held: true, Interrupted: true})
	})
	if s.Fold.Hold != (wire.QueueHold{Interrupted: true}) || s.why() != "The process ended while the agent worked. The run is held." {
		t.Errorf("%+v: %q", s.Fold.Hold, s.why())
	}
	s.do(t, func() error { return s.q.ReopenHold(queue.Left{Own: true, Continued: true}) })
	if s.Fold.Hold != (wire.QueueHold{}) || s.why() != "The interrupted run is no longer held." {
		t.Errorf("%+v: %q", s.Fold.Hold, s.why())
	}
}

// Enter ends a pause whatever is first in the queue, also a command, which is a run of its own. During a run the
// messages before a command reach the model, and the command waits.
func TestAHandOverWithCommands(t *testing.T) {
	shell := wire.Send{Prompt: "first", AgentMode: state.ModeShell}
	for name, put := range map[string]func(*scene) error{
		"of the shell": func(s *scene) error { _, err := s.q.Send(t.Context(), shell); return err },
		"slash": func(s *scene) error {
			return s.q.Enqueue(state.Queued{ID: "c1", Command: true, Send: wire.Send{Prompt: "first"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			if err := s.q.Pause(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			if err := put(s); err != nil {
				t.Fatal(err)
			}
			s.say(t, "two")
			if err := s.q.HandOver(t.Context()); err != nil || s.run == nil || s.run.prompt != "first" {
				t.Errorf("%v; the run is %+v, want the command", err, s.run)
			}
			s = newScene()
			s.say(t, "run", "one")
			if err := put(s); err != nil {
				t.Fatal(err)
			}
			s.say(t, "two")
			if err := s.q.HandOver(t.Context()); err != nil {
				t.Error(err)
			}
			s.waits(t, "!one", "first", "two")
		})
	}
}
