package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// streams is a session whose client gets the pieces of answers.
func streams() wire.Config {
	cfg := tools()
	cfg.Streaming = yes()
	return cfg
}

// cut is an answer that breaks off after its first text.
var cut = modeltest.Reply{Text: "a long answer that never ends", CutAfter: 3}

func TestAnAnswerThatBreaksOffIsDroppedAndAskedForAgain(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(streams())
		s.send("go")
		s.until("session.idle")
		events := s.rest()
		last(t, events, "assistant.turn_retry")
		message := last(t, events, "assistant.message")
		if field(message, "content") != "whole" || count(events, "assistant.message") != 1 || count(events, "user.message") != 1 {
			t.Errorf("want one message of the user and one answer:\n%s", types(events))
		}
		if count(events, "assistant.turn_retry") != 1 || count(events, "session.error") != 0 || count(events, "session.idle") != 1 || count(events, "assistant.turn_start") != 1 {
			t.Errorf("want one turn with one retry, and one idle:\n%s", types(events))
		}
		starts := map[string]bool{}
		for _, e := range events {
			if e.Type == "assistant.message_start" {
				starts[field(e, "messageId")] = true
			}
		}
		if len(starts) != 2 || !starts[field(message, "messageId")] {
			t.Errorf("the message of the answer is %s, want one of two ids: %v", field(message, "messageId"), starts)
		}
	}, cut, modeltest.Reply{Text: "whole"})
}

// An abort during the wait has nothing of the answer that broke off.
func TestAnAbortKeepsNothingOfAnAnswerThatBrokeOff(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(streams())
		s.send("go")
		s.until("assistant.turn_retry")
		if err := s.s.Abort(context.Background(), "user_initiated"); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		events := s.rest()
		if got := string(last(t, events, "abort").Data); strings.Contains(got, "long") {
			t.Errorf("the abort has the text that was dropped: %s", got)
		}
	}, cut, modeltest.Silent())
}

func TestARunOutlivesABadMinute(t *testing.T) {
	for name, reply := range map[string]modeltest.Reply{
		"503": modeltest.Failure(503, "", "no"), "529": modeltest.Failure(529, "overloaded_error", "busy"),
		"429 with Retry-After": {Status: 429, Body: "{}", Header: map[string]string{"Retry-After": "7"}}, "a reset": {Text: "x", CutBytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(streams())
				s.send("go")
				s.until("session.idle")
				events := s.rest()
				if field(last(t, events, "assistant.message"), "content") != "whole" || count(events, "user.message") != 1 || count(events, "session.error") != 0 || count(events, "session.idle") != 1 {
					t.Errorf("want one answer and one idle:\n%s", types(events))
				}
			}, aMinuteOf(reply), modeltest.Reply{Text: "whole", Repeat: true})
		})
	}
}

// aMinuteOf is a reply to each request of one minute.
func aMinuteOf(reply modeltest.Reply) modeltest.Reply {
	var since time.Time
	reply.Repeat = true
	reply.When = func(*modeltest.Request) bool {
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) < time.Minute
	}
	return reply
}

func TestARunThatFailsSaysHowLongItWasTried(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(streams())
		s.send("go")
		s.until("session.idle")
		if got := field(last(t, s.rest(), "session.error"), "message"); !strings.Contains(got, "times in 2m0s") {
			t.Errorf("the error is %q", got)
		}
	}, modeltest.Reply{Status: 503, Body: "{}", Repeat: true})
}

// A session that a user or a program opens again is in its last mode, but not in autopilot.
func TestASessionIsOpenedAgainInItsLastModeButNotInAutopilot(t *testing.T) {
	for _, tc := range []struct {
		last, message string // the mode that was set, and that of a message
		held          bool   // a user opens it, and no program
		want          wire.Mode
		turns         int // of the next message, which names no mode
	}{
		{"plan", "", true, "plan", 1},
		{"interactive", "", true, "interactive", 1},
		{"autopilot", "", true, "interactive", 1},
		{"autopilot", "interactive", true, "interactive", 1},
		{"plan", "autopilot", true, "plan", 1},
		{"autopilot", "", false, "interactive", 1},
		{"plan", "", false, "plan", 1},
	} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			ctx := context.Background()
			s := d.create(tools())
			if err := s.s.Settings().SetMode(ctx, wire.Mode(tc.last)); err != nil {
				t.Fatal(err)
			}
			if tc.message != "" {
				if _, err := s.s.Send(ctx, wire.Send{Prompt: "one", AgentMode: tc.message}); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
			}
			d.stop()
			d.start(registry.Options{})
			cfg := tools()
			cfg.SessionID, cfg.ContinuePendingWork, cfg.HoldPendingWork = s.s.ID(), true, tc.held
			s = d.resume(cfg)
			if mode, err := s.s.Settings().Mode(ctx); err != nil || mode != tc.want {
				t.Errorf("%+v: the mode is %s, %v", tc, mode, err)
			}
			asked := len(d.model.Requests())
			s.send("two")
			s.until("session.idle")
			if got := len(d.model.Requests()) - asked; got != tc.turns {
				t.Errorf("%+v: %d turns", tc, got)
			}
		}, modeltest.Reply{Text: "ok", Repeat: true})
	}
}

// A run in autopilot that a process has left goes on in autopilot if a program continues it.
func TestWorkThatIsContinuedStaysInAutopilot(t *testing.T) {
	for _, continued := range []bool{true, false} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			s := d.create(tools())
			if err := s.s.Settings().SetMode(context.Background(), "autopilot"); err != nil {
				t.Fatal(err)
			}
			s.send("one")
			s.until("assistant.turn_start")
			s.rest()
			d.crash()
			want := wire.Mode("interactive")
			if continued {
				want = "autopilot"
			}
			s = d.resume(wire.Config{SessionID: s.s.ID(), ContinuePendingWork: continued})
			if mode, err := s.s.Settings().Mode(context.Background()); err != nil || mode != want {
				t.Errorf("continued %v: the mode is %s, %v", continued, mode, err)
			}
		}, modeltest.Silent(), modeltest.Reply{Text: "ok", Repeat: true})
	}
}

// After a failed run, the queue of a session of a user is held, and continuing sends the failed turn again.
func TestAfterAFailedRunTheQueueOfAUserIsHeld(t *testing.T) {
	for _, user := range []bool{true, false} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			cfg := tools()
			cfg.HoldPendingWork = user
			s := d.create(cfg)
			s.send("one")
			s.send("two")
			s.until("session.idle")
			waiting, err := s.s.Queue().Pending(context.Background())
			if err != nil || waiting.Held != user || waiting.Interrupted != user {
				t.Fatalf("user %v: %+v, %v", user, waiting, err)
			}
			want := "user: one\nuser: two\n"
			if user {
				if len(waiting.Items) != 1 || len(d.model.Requests()) != 1 {
					t.Fatalf("%d wait, %d requests", len(waiting.Items), len(d.model.Requests()))
				}
				if err := s.s.Queue().HandOver(context.Background()); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				want = "user: one\nassistant: ok\nuser: two\n"
			}
			if got := d.conversation(); got != want {
				t.Errorf("user %v: the model read:\n%s\nwant:\n%s", user, got, want)
			}
		}, modeltest.Failure(401, "bad", "wrong key"), modeltest.Reply{Text: "ok", Repeat: true})
	}
}

// A run that has failed, or that the user has aborted, is continued by /retry: the message is not recorded
// twice, and what is held is sent after the run.
func TestRetryContinuesARunThatHasFailedOrWasAborted(t *testing.T) {
	failed := func(s *seat) { s.until("session.idle") }
	wrongKey := modeltest.Failure(401, "bad", "wrong key")
	wrongKey.Delay = time.Second // so that the second message comes during the run
	interrupted := func(s *seat) {
		s.until("assistant.turn_start")
		if _, err := s.s.Queue().InterruptRun(context.Background(), queue.Hold); err != nil {
			s.d.t.Error(err)
		}
	}
	aborted := func(s *seat) {
		s.until("assistant.turn_start")
		if err := s.s.Abort(context.Background(), ""); err != nil {
			s.d.t.Error(err)
		}
	}
	for name, tc := range map[string]struct {
		user  bool // a user has opened the session, and no program
		reply modeltest.Reply
		end   func(s *seat)
		want  string // the conversation after /retry
	}{
		"a failed run of a user":                 {true, wrongKey, failed, "user: one\nassistant: ok\nuser: two\n"},
		"a run that the user has interrupted":    {true, modeltest.Silent(), interrupted, "user: one\nassistant: ok\nuser: two\n"},
		"a run of a program that was aborted":    {false, modeltest.Silent(), aborted, "user: one\n"},
		"a run that was aborted and is reopened": {false, modeltest.Silent(), func(s *seat) { aborted(s); s.d.crash() }, "user: one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				ctx := context.Background()
				cfg := tools()
				cfg.HoldPendingWork = tc.user
				s := d.create(cfg)
				s.refusesRetry("there is nothing to retry")
				s.send("one")
				s.refusesRetry("the agent is at work")
				s.send("two")
				tc.end(s)
				s = d.resume(wire.Config{SessionID: s.s.ID(), ContinuePendingWork: tc.user, HoldPendingWork: tc.user})
				s.rest()
				asked := len(d.model.Requests())
				if result, err := s.s.Commands().Invoke(ctx, "retry", ""); err != nil || result == nil {
					t.Fatalf("%v, %v", result, err)
				}
				s.until("session.idle")
				if got := d.conversation(); got != tc.want {
					t.Errorf("the model read:\n%s\nwant:\n%s", got, tc.want)
				}
				if got, want := len(d.model.Requests())-asked, strings.Count(tc.want, "user:"); got != want {
					t.Errorf("the model was asked %d times, want %d", got, want)
				}
				s.holds(false, false)
				s.refusesRetry("there is nothing to retry")
			}, tc.reply, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// refusesRetry checks that there is no run to continue, and why.
func (s *seat) refusesRetry(why string) {
	s.d.t.Helper()
	if err := s.s.Queue().Retry(context.Background()); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), why) {
		s.d.t.Errorf("the error is %v, want: %s", err, why)
	}
}

// A failed or aborted command of the user is no run of the agent, and a message that was removed is not asked again.
func TestRetryNeedsARunOfTheAgent(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "false", AgentMode: "shell"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		s.refusesRetry("there is nothing to retry")
		s.send("one")
		s.until("session.idle")
		if _, err := s.s.History().Truncate(context.Background(), last(t, s.rest(), "user.message").ID); err != nil {
			t.Fatal(err)
		}
		s.refusesRetry("there is nothing to retry")
	}, modeltest.Failure(401, "bad", "wrong key"))
}
