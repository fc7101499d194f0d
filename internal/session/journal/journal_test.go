package journal_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is a session around a journal; it implements [journal.Host]. The fields belong to its
// goroutine.
type scene struct {
	*journal.Journal
	store   *logtest.Memory
	running running
	busy    bool
	claimed error // what Claimed returns
	calls   []string
}

// running counts goroutines.
type running struct{ sync.WaitGroup }

func (r *running) Hold()    { r.Add(1) }
func (r *running) Release() { r.Done() }

func (s *scene) Recorded(batch []wire.Event) {
	s.note("recorded " + string(batch[len(batch)-1].Type))
}
func (s *scene) Carried()               {}
func (s *scene) Settle(context.Context) {}
func (s *scene) Deleted()               { s.note("deleted") }
func (s *scene) Busy() bool             { return s.busy }
func (s *scene) LogBroken(error)        { s.note("broken") }
func (s *scene) note(call string)       { s.calls = append(s.calls, call) }

func (s *scene) Claimed(news bool) error {
	s.note(map[bool]string{true: "claimed with news", false: "claimed"}[news])
	return s.claimed
}

func (s *scene) ClaimLost(error) (run bool) {
	s.note("lost")
	return s.busy
}

const secret = "sk-0123456789abcdef"

// inBubble runs a test with a session of a store, whose goroutine ends with the test.
func inBubble(t *testing.T, f func(t *testing.T, s *scene)) { keeping(t, 0, f) }

// keeping is inBubble with a store that has claims kept for that long.
func keeping(t *testing.T, keep time.Duration, f func(t *testing.T, s *scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{store: &logtest.Memory{Keep: eventlog.Keeping{Keep: keep}}}
		stream, err := s.store.Create(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		secrets := new(obs.Redactor)
		secrets.Add(secret)
		s.Journal = journal.New(stream, journal.Options{
			ID: "s1", Host: s, Secrets: secrets, Logger: slog.New(slog.DiscardHandler), Running: &s.running,
			StartID: func(_, cwd string) (string, error) { return "start of " + cwd, nil },
		})
		end := make(chan struct{})
		s.Go("loop", func() { s.loop(end) })
		f(t, s)
		close(end)
		s.running.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// loop is the session's goroutine.
func (s *scene) loop(end <-chan struct{}) {
	defer s.Mail().Close()
	for {
		over, wanted := s.Spare()
		select {
		case f := <-s.Mail().Functions():
			f.Run()
		case <-s.Lost():
			s.LoseClaim()
		case <-over:
			s.GiveBackSpare()
		case <-wanted:
			s.GiveBackSpare()
		case <-end:
			return
		}
	}
}

// held reports whether another process could not work in the session now.
func (s *scene) held(t *testing.T) bool {
	t.Helper()
	stream, err := s.store.Open(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	lease, err := stream.Claim(t.Context(), "another")
	if err != nil {
		return true
	}
	lease.Release()
	return false
}

// change carries out a command.
func (s *scene) change(t *testing.T, f func() error) error {
	t.Helper()
	return s.Change(t.Context(), f)
}

func told(text string) wire.Data { return &wire.SessionInfo{InfoType: "test", Message: text} }

// tell records an event.
func (s *scene) tell(t *testing.T, text string) error {
	t.Helper()
	return s.change(t, func() error { return s.Record("", told(text)) })
}

// told are the messages of the log, each with the id of its event.
func (s *scene) lines(t *testing.T) (events []wire.Event) {
	t.Helper()
	for rec, err := range s.Read(t.Context(), 1) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func (s *scene) want(t *testing.T, calls ...string) {
	t.Helper()
	if !slices.Equal(s.calls, calls) {
		t.Errorf("the session was told %q, want %q", s.calls, calls)
	}
}

func TestWhatIsRecordedChangesTheState(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		tail := s.Tail(0)
		defer tail.Close()
		err := s.change(t, func() error {
			start := &wire.SessionStart{SessionID: "s1", Version: 1, StartTime: time.Now(), Context: &wire.WorkingDirectory{Cwd: "/work"}}
			return s.Record("", start, told("hello, "+secret))
		})
		events := s.lines(t)
		if err != nil || len(events) != 2 || events[0].ID != "start of /work" || events[1].ParentID != events[0].ID {
			t.Fatalf("%v: the log is %v", err, events)
		}
		if strings.Contains(string(events[1].Data), secret) {
			t.Errorf("a secret is in the log: %s", events[1].Data)
		}
		if s.Cwd() != "/work" || s.State().Seq != 2 || s.State().LastID != events[1].ID || s.Len() != 2 {
			t.Errorf("the folder is %q, the state at %d of %d", s.Cwd(), s.State().Seq, s.Len())
		}
		s.Emit("a1", told("briefly"))
		for rec := range tail.Records(t.Context()) {
			if !rec.Ephemeral {
				continue
			}
			e, err := wire.ParseEvent(rec.JSON)
			if err != nil || e.ParentID != events[1].ID || e.AgentID != "a1" {
				t.Errorf("an ephemeral event is %+v, %v", e, err)
			}
			break
		}
		s.want(t, "claimed", "recorded session.info")
	})
}

// Between commands another process may work in the session; the next command sees what it has recorded.
func TestAnotherProcessMayWorkBetweenCommands(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		if err := s.tell(t, "one"); err != nil {
			t.Fatal(err)
		}
		other, err := s.store.Open(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		lease, err := other.Claim(t.Context(), "another")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.tell(t, "refused"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("while another process works: %v, want a conflict", err)
		}
		e := wire.Event{Header: wire.Header{ID: "e2", Time: time.Now(), Type: "session.info"}, Data: []byte(`{"infoType":"test","message":"two"}`)}
		if err := lease.Append(t.Context(), 1, [][]byte{wire.AppendEvent(nil, &e)}, false); err != nil {
			t.Fatal(err)
		}
		lease.Release()
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		s.calls = nil
		if err := s.tell(t, "three"); err != nil || s.State().Seq != 3 || s.lines(t)[2].ParentID != "e2" {
			t.Errorf("after another process: %v, the state is at %d, and the log is %v", err, s.State().Seq, s.lines(t))
		}
		s.want(t, "claimed with news", "recorded session.info")
		if !s.Unfinished() {
			t.Error("nobody closes what the other process may have left open")
		}
	})
}

// A run that loses its claim records nothing more, and neither does any command until it has ended.
func TestALostClaimEndsTheRun(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		_ = s.change(t, func() error { s.busy = true; return nil })
		other, lease := s.store.TakeOver("s1", "another")
		synctest.Wait()
		lease.Release()
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.tell(t, "too late"); err == nil || s.Cannot() == nil || s.Len() != 0 {
			t.Errorf("a run without a claim recorded an event: %v", err)
		}
		_ = s.Post(t.Context(), func() error { s.busy = false; s.Rest(); return nil })
		if err := s.tell(t, "again"); err != nil {
			t.Errorf("after the run: %v", err)
		}
		s.want(t, "claimed", "lost", "claimed", "recorded session.info")
	})
}

func TestADeletedSessionIsNotFound(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		if err := s.store.Delete(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if err := s.tell(t, "too late"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v, want that it is not found", err)
		}
		s.want(t, "deleted")
	})
}

// What works under the claim keeps it: a run, and a change beside the log.
func TestTheClaimIsKeptWhileSomethingNeedsIt(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		if err := s.tell(t, "one"); err != nil || s.held(t) {
			t.Fatalf("%v: an idle session keeps its claim", err)
		}
		err := s.Beside(t.Context(), func() error {
			if !s.held(t) {
				t.Error("another process may work during a change beside the log")
			}
			return s.Post(t.Context(), func() error {
				if !s.Changing() {
					t.Error("a session may leave memory during a change beside the log")
				}
				return nil
			})
		})
		if err != nil || s.held(t) {
			t.Errorf("%v: the claim outlasts the change", err)
		}
	})
}

// A store may say that claims are kept: until their time is over, or another owner asks.
func TestAClaimIsKeptForAWhile(t *testing.T) {
	keeping(t, time.Minute, func(t *testing.T, s *scene) {
		if err := s.tell(t, "one"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if err := s.tell(t, "two"); err != nil { // the minute begins anew
			t.Fatal(err)
		}
		s.want(t, "claimed", "recorded session.info", "claimed", "recorded session.info")
		time.Sleep(59 * time.Second)
		if !s.held(t) {
			t.Error("the claim was given back before its time")
		}
		synctest.Wait() // that has asked for it
		if s.held(t) {
			t.Error("the claim is kept although another owner has asked for it")
		}
		if err := s.tell(t, "three"); err != nil {
			t.Fatal(err)
		}
		for range 61 { // a client that only asks does not prolong the time
			time.Sleep(time.Second)
			if err := s.Do(t.Context(), func() error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if s.held(t) {
			t.Error("the claim is kept although its time is over")
		}
	})
}

func TestACommandOfASessionThatClosesIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		_ = s.Post(t.Context(), func() error { s.BeginClose(); return nil })
		if err := s.tell(t, "too late"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v, want that it is not found", err)
		}
		if err := s.Post(t.Context(), func() error { return s.Record("", told("the end")) }); err != nil {
			t.Errorf("what ends a session is not recorded: %v", err)
		}
	})
}

func TestABrokenJournalStaysReadable(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		if err := s.tell(t, "one"); err != nil {
			t.Fatal(err)
		}
		why := errors.New("the disk is full")
		_ = s.Post(t.Context(), func() error { s.Break(why); s.Break(errors.New("later")); return nil })
		s.calls = nil
		if err := s.tell(t, "two"); !errors.Is(err, why) || !errors.Is(s.Cannot(), why) {
			t.Errorf("%v, want the first reason", err)
		}
		s.want(t) // no claim: the host would record what it closes
		if len(s.lines(t)) != 1 {
			t.Error("the log cannot be read")
		}
	})
}

func TestAPanicHarmsNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, s *scene) {
		if err := s.change(t, func() error { panic("oh") }); fault.KindOf(err) != fault.Internal {
			t.Errorf("%v, want an internal error", err)
		}
		s.Go("test", func() { panic("oh") })
		if err := s.tell(t, "one"); err != nil {
			t.Errorf("after a panic: %v", err)
		}
	})
}
