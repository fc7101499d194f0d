package queue_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// inTime runs a test with a clock of its own. The timer of the schedule ends with it.
func inTime(t *testing.T, f func(t *testing.T, s *scene, d *queue.Schedule)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		defer s.q.Schedule().End()
		f(t, s, s.q.Schedule())
	})
}

// wait has time pass, and does what the session's goroutine does when a prompt is due.
func (s *scene) wait(t *testing.T, d time.Duration) {
	t.Helper()
	over := time.After(d)
	for {
		select {
		case <-s.q.Schedule().Due():
			s.do(t, func() error { s.q.Schedule().Fire(); return nil })
			s.Wait()
		case <-over:
			return
		}
	}
}

// A prompt is sent at each of its times, but only once before it has been answered.
func TestAPromptIsSentAtItsTimes(t *testing.T) {
	inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
		if d.Due() != nil {
			t.Error("a session without entries has a timer")
		}
		every, err := d.Add(t.Context(), schedule.Entry{Prompt: "every hour", Every: time.Hour, Recurring: true})
		if err != nil || !every.NextRunAt.Equal(time.Now().Add(time.Hour)) {
			t.Fatalf("%+v, %v", every, err)
		}
		once, err := d.Add(t.Context(), schedule.Entry{Prompt: "once", Display: "shown", At: time.Now().Add(90 * time.Minute)})
		if err != nil || once.ID == every.ID {
			t.Fatalf("%+v, %v", once, err)
		}
		s.wait(t, 61*time.Minute)
		s.said(t, "every hour")
		if s.hooksRead.Load() == 0 {
			t.Error("the hooks were not read before the message")
		}
		if got := s.values("user.message", "source"); !slices.Equal(got, []string{state.ScheduledBy(every.ID)}) {
			t.Errorf("the source is %q", got)
		}
		s.wait(t, 3*time.Hour)
		s.waits(t, "once", "every hour")
		list, err := d.List(t.Context())
		if err != nil || len(list) != 1 || list[0].ID != every.ID {
			t.Errorf("%+v, %v", list, err)
		}
		for s.run != nil {
			s.finish(t)
		}
		s.said(t, "every hour", "shown", "every hour")
		removed, err := d.Stop(t.Context(), every.ID)
		if err != nil || removed == nil || removed.Prompt != "every hour" {
			t.Errorf("%+v, %v", removed, err)
		}
		if removed, err = d.Stop(t.Context(), every.ID); removed != nil || err != nil {
			t.Errorf("it was removed twice: %+v, %v", removed, err)
		}
		s.wait(t, 5*time.Hour)
		s.said(t, "every hour", "shown", "every hour")
	})
}

// Without a client nothing is sent, and nothing later for what was missed.
func TestNothingIsSentWithoutAClient(t *testing.T) {
	inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
		if _, err := d.Add(t.Context(), schedule.Entry{Prompt: "every hour", Every: time.Hour, Recurring: true}); err != nil {
			t.Fatal(err)
		}
		s.alone = true
		s.wait(t, 150*time.Minute)
		s.alone = false
		s.said(t)
		s.wait(t, time.Hour)
		s.said(t, "every hour")
	})
}

// The user alone ends a hold: until then a prompt waits with what is held.
func TestAPromptWaitsWithWhatIsHeld(t *testing.T) {
	inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
		s.say(t, "run")
		s.do(t, func() error { s.q.HoldFailed(); return nil })
		s.finish(t)
		if _, err := d.Add(t.Context(), schedule.Entry{Prompt: "later", Every: time.Hour, Recurring: true}); err != nil {
			t.Fatal(err)
		}
		s.wait(t, 3*time.Hour)
		s.waits(t, "later")
		if h := s.Fold.Hold; !h.Held || !h.Interrupted || s.run != nil || s.Fold.Queue[0].Send.Traceparent != "00-of-the-session" {
			t.Errorf("%+v; the run is %v", h, s.run)
		}
	})
}

// A prompt that cannot be sent is reported, and is removed if it had one time only.
func TestAPromptThatCannotBeSentIsReported(t *testing.T) {
	for name, recurring := range map[string]bool{"once": false, "again and again": true} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
				e := schedule.Entry{Prompt: "later", Recurring: recurring}
				if e.At = time.Now().Add(time.Hour); recurring {
					e.At, e.Every = time.Time{}, time.Hour
				}
				if _, err := d.Add(t.Context(), e); err != nil {
					t.Fatal(err)
				}
				s.tooLong = "later"
				s.wait(t, 90*time.Minute)
				if got := s.values("session.warning", "warningType"); !slices.Equal(got, []string{"schedule_failed"}) {
					t.Errorf("the warnings are %q", got)
				}
				if (len(s.Fold.Schedule) == 1) != recurring {
					t.Errorf("the entries are %+v", s.Fold.Schedule)
				}
			})
		})
	}
}

// Entries that were missed, and those of a log of another machine, are removed when a session is opened.
func TestEntriesOfALogThatIsOpened(t *testing.T) {
	for name, tc := range map[string]struct {
		own  bool
		want []string // the types of the warnings
		left int
	}{
		"of this machine":    {own: true, want: []string{"schedule_missed"}, left: 1},
		"of another machine": {want: []string{"schedule_without_effect", "schedule_missed"}},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
				for _, e := range []schedule.Entry{{Prompt: "every hour", Every: time.Hour, Recurring: true}, {Prompt: "once", At: time.Now().Add(time.Minute)}} {
					if _, err := d.Add(t.Context(), e); err != nil {
						t.Fatal(err)
					}
				}
				d.End()
				time.Sleep(2 * time.Minute) // the process is dead
				s.q = queue.New(s, "s1", nil)
				defer s.q.Schedule().End()
				s.do(t, func() error { return s.q.ReopenHold(queue.Left{Own: tc.own}) })
				if got := s.values("session.warning", "warningType"); !slices.Equal(got, tc.want) || len(s.Fold.Schedule) != tc.left {
					t.Errorf("the warnings are %q, the entries %+v", got, s.Fold.Schedule)
				}
				if list, err := s.q.Schedule().List(t.Context()); err != nil || len(list) != tc.left {
					t.Errorf("%+v, %v", list, err)
				}
			})
		})
	}
}

// An entry whose time cannot be computed, or cannot be told to clients, is removed with the reason, and until then the
// list leaves it out: other programs and other versions write logs, too.
func TestEntriesOfALogWhoseTimesCannotBeTold(t *testing.T) {
	year10000, wraps := int64(253402300800000), int64(-18446744073649) // as nanoseconds, a minute in 64 bits
	for name, tc := range map[string]struct {
		created wire.ScheduleCreated
		why     string
	}{
		"after the year 9999":      {wire.ScheduleCreated{ID: 1, Prompt: "far", At: &year10000}, "the time is after the year 9999"},
		"an interval that wraps":   {wire.ScheduleCreated{ID: 1, Prompt: "far", IntervalMs: &wraps}, "the cron expression"},
		"a zone that is not known": {wire.ScheduleCreated{ID: 1, Prompt: "far", Cron: wire.Optional("0 9 * * *"), Tz: wire.Optional("Mars/Base")}, "not known on this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
				s.do(t, func() error { return s.Record("", &tc.created) })
				if _, err := d.Add(t.Context(), schedule.Entry{Prompt: "every hour", Every: time.Hour, Recurring: true}); err != nil {
					t.Fatal(err)
				}
				list, err := d.List(t.Context())
				if _, encoding := json.Marshal(list); err != nil || encoding != nil || len(list) != 1 {
					t.Errorf("%+v, %v, %v", list, err, encoding)
				}
				d.End()
				s.q = queue.New(s, "s1", nil)
				defer s.q.Schedule().End()
				s.do(t, func() error { return s.q.ReopenHold(queue.Left{Own: true}) })
				if got := s.values("session.warning", "message"); len(got) != 1 || !strings.HasPrefix(got[0], "The scheduled prompt 1 (far) was removed: ") || !strings.Contains(got[0], tc.why) {
					t.Errorf("the warnings are %q", got)
				}
				removed, err := s.q.Schedule().Stop(t.Context(), 1)
				if removed != nil || err != nil || len(s.Fold.Schedule) != 1 {
					t.Errorf("%+v, %v; the entries are %+v", removed, err, s.Fold.Schedule)
				}
			})
		})
	}
}

// Entries that never run, or are too many, are refused, and one that cannot be recorded has no effect.
func TestWrongEntriesAreRefused(t *testing.T) {
	inTime(t, func(t *testing.T, s *scene, d *queue.Schedule) {
		for name, e := range map[string]schedule.Entry{
			"no prompt": {Every: time.Hour, Recurring: true},
			"no time":   {Prompt: "x"},
			"over":      {Prompt: "x", At: time.Now().Add(-time.Hour)},
			"too late":  {Prompt: "x", At: time.UnixMilli(253402300800000)},
			"no cron":   {Prompt: "x", Cron: "nonsense", Recurring: true},
		} {
			if _, err := d.Add(t.Context(), e); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		s.Broken = errors.New("the disk is full")
		hourly := schedule.Entry{Prompt: "x", Every: time.Hour, Recurring: true}
		if _, err := d.Add(t.Context(), hourly); !errors.Is(err, s.Broken) || d.Due() != nil {
			t.Errorf("the error is %v", err)
		}
		s.Broken = nil
		for range state.MaxScheduled {
			if _, err := d.Add(t.Context(), hourly); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.Add(t.Context(), hourly); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the error is %v", err)
		}
		s.Close()
		if _, err := d.List(t.Context()); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the session has closed: %v", err)
		}
	})
}
