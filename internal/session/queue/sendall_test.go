package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SendAll waits for the run of its messages, and no longer than its caller does.
func TestSendAllWaitsForItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		s.say(t, "run")
		ctx, leave := context.WithCancel(t.Context())
		ended, left := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := s.q.SendAll(t.Context(), "session.send", wire.SendMessages{Messages: []wire.Send{{Prompt: "one"}}, Wait: true})
			ended <- err
		}()
		synctest.Wait()
		go func() {
			_, err := s.q.SendAll(ctx, "session.send", wire.SendMessages{Messages: []wire.Send{{Prompt: "two"}}, Wait: true})
			left <- err
		}()
		synctest.Wait()
		s.finish(t)
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it returned before its run had ended: %v", err)
		default:
		}
		s.finish(t)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		s.finish(t)
	})
}

// waiting sends a message and waits for its run, beside the test: with Send if m.Wait is set, else with SendAll.
func (s *scene) waiting(t *testing.T, m wire.Send) (ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		if m.Wait {
			_, err := s.q.Send(t.Context(), m)
			done <- err
			return
		}
		_, err := s.q.SendAll(t.Context(), "session.send", wire.SendMessages{Messages: []wire.Send{m}, Mode: m.Mode, Wait: true})
		done <- err
	}()
	synctest.Wait()
	return done
}

// A sender that waits learns at once that its message was dropped, and by what. So does one whose message hooks
// still see when the run is aborted.
func TestASenderLearnsThatItsMessageWasDropped(t *testing.T) {
	for name, drop := range map[string]func(s *scene) error{
		"session.abort": func(s *scene) error {
			return s.Do(t.Context(), func() error { return s.q.Abort("user_initiated") })
		},
		"session.interruptMainTurn": func(s *scene) error { _, err := s.q.InterruptRun(t.Context(), queue.Drop); return err },
		"session.queue.clear":       func(s *scene) error { return s.q.Clear(t.Context()) },
		"session.queue.removeMostRecent": func(s *scene) error {
			_, err := s.q.RemoveLast(t.Context())
			return err
		},
		"session.queue.removeAt": func(s *scene) error { _, err := s.q.Remove(t.Context(), s.Fold.Queue[0].ID); return err },
		"session.queue.withdrawMessage": func(s *scene) error {
			_, err := s.q.Withdraw(t.Context(), s.Fold.Queue[0].ID, "one")
			return err
		},
		"a change of the history": func(s *scene) error {
			defer s.finish(t)
			return s.Do(t.Context(), func() error { s.Fold.Queue = nil; return nil })
		},
	} {
		for n := range 4 {
			idle, alone := n%2 == 0, n/2 == 0
			t.Run(fmt.Sprint(name, " idle ", idle, " alone ", alone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newScene()
					s.hooks = true
					if !idle { // else its own run has begun, and hooks see it
						s.say(t, "run")
						s.finish(t)
						s.do(t, func() error { s.Launch(queue.Message{}, ""); return nil })
					}
					ended := s.waiting(t, wire.Send{Prompt: "one", Wait: alone})
					if err := drop(s); err != nil {
						t.Error(err)
					}
					synctest.Wait()
					select {
					case err := <-ended:
						if fault.KindOf(err) != fault.Canceled || !strings.Contains(err.Error(), name) {
							t.Errorf("the error is %v", err)
						}
					default:
						t.Fatal("it still waits")
					}
				})
			})
		}
	}
}

// What a run has read is not dropped by its abort, and a message that steers a run has the end of that run.
func TestASenderWaitsForTheRunThatReadsItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		s.say(t, "run")
		s.afterChange = func() { // the run is faster than the sender
			s.do(t, func() error {
				_, err := s.q.Record(queue.Message{Queued: s.Fold.Queue[0]}, "steering", prompt.UserMessage{Text: "now"}, "")
				return err
			})
		}
		steers := s.waiting(t, wire.Send{Prompt: "now", Mode: "immediate"})
		s.afterChange = nil
		own := s.waiting(t, wire.Send{Prompt: "own", Wait: true})
		if len(steers) > 0 {
			t.Fatal("the run has not ended")
		}
		first := s.run
		s.do(t, func() error {
			_, err := s.q.Record(queue.Message{Queued: s.Fold.Queue[0]}, "queued", prompt.UserMessage{}, "")
			return err
		})
		s.do(t, func() error { return s.q.Abort("user_initiated") })
		synctest.Wait()
		if len(steers)+len(own) > 0 {
			t.Fatal("the run has not ended")
		}
		s.finish(t)
		if a, b := <-steers, <-own; a != nil || b != nil || s.run == first {
			t.Errorf("%v, %v", a, b)
		}
	})
}

// A message that is recorded at once has its run, too.
func TestASenderInAnIdleSessionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		ended := s.waiting(t, wire.Send{Prompt: "one", Wait: true})
		if s.run == nil || len(ended) > 0 {
			t.Fatalf("the run is %+v", s.run)
		}
		s.finish(t)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended = s.waiting(t, wire.Send{Prompt: "two", Wait: true})
		s.Close()
		s.finish(t)
		if err := <-ended; fault.KindOf(err) != fault.NotFound {
			t.Errorf("the session closes: %v", err)
		}
	})
}
