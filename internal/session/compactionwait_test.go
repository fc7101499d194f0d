package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const overview = "<overview>It is about numbers.</overview>"

// late is a summary that takes half a minute.
func late(size int) []modeltest.Reply {
	return summaries(size, modeltest.Reply{Text: overview, Delay: 30 * time.Second})
}

// behind talks until a compaction is under way beside the runs.
func (d *desk) behind() *seat {
	d.t.Helper()
	s := d.create(small(wire.Config{}))
	for range 20 {
		s.talk("more")
		if count(s.rest(), "session.compaction_start") > 0 {
			return s
		}
	}
	d.t.Fatalf("no compaction began:\n%s", types(s.told))
	return nil
}

// full talks until a run does not call the model, because its window is full.
func (s *seat) full() {
	s.d.t.Helper()
	for range 20 {
		asked := len(s.d.model.Requests())
		s.send("more")
		synctest.Wait()
		if len(s.d.model.Requests()) == asked {
			return
		}
		s.until("session.idle")
	}
	s.d.t.Fatalf("no run waited for the summary:\n%s", types(s.told))
}

// When the window is full before a summary has arrived, the next call waits for it, and the
// model then reads it.
func TestACallWaitsForTheSummaryThatIsUnderWay(t *testing.T) {
	narrow(t, func(d *desk) {
		s := d.behind()
		s.full()
		if count(s.rest(), "session.compaction_complete") > 0 {
			t.Error("the summary was there already")
		}
		s.until("session.idle")
		if e := last(t, s.told, "session.compaction_complete"); field(e, "success") != "true" {
			t.Errorf("compaction_complete is %s", e.Data)
		}
		if said := d.conversation(); !strings.Contains(said, "It is about numbers.") {
			t.Errorf("the model read\n%s", said)
		}
	}, late(1100)...)
}

func TestARunThatWaitsForASummaryIsAborted(t *testing.T) {
	narrow(t, func(d *desk) {
		s := d.behind()
		s.full()
		begin := time.Now()
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		if e := s.until("session.idle"); field(e, "aborted") != "true" {
			t.Errorf("session.idle is %s", e.Data)
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("the run ended after %v", took)
		}
	}, late(1100)...)
}

func TestOneCompactionAtATime(t *testing.T) {
	narrow(t, func(d *desk) {
		s := d.behind()
		_, err := s.s.Compaction().Run(context.Background(), "")
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "summarized already") {
			t.Errorf("Run = %v, want that the conversation is being summarized already", err)
		}
		s.until("session.compaction_complete")
		if n := count(s.rest(), "session.compaction_start"); n != 1 {
			t.Errorf("%d compactions began, want one", n)
		}
	}, late(1100)...)
}

// delayed has one operation of a disk take ten seconds, once that is asked for.
type delayed struct {
	operation, file string
	on              atomic.Bool
}

func (s *delayed) rule(op vfs.Op) error {
	if op.Name == s.operation && strings.Contains(op.Path, s.file) && s.on.Swap(false) {
		return &vfs.Slow{For: 10 * time.Second}
	}
	return nil
}

// A summary of a conversation that was rewound meanwhile is given up, whenever that happens,
// and the conversation stays as the rewind left it.
func TestARewindOvertakesASummary(t *testing.T) {
	for _, tc := range []struct {
		name   string
		slow   *delayed
		rests  bool // the conversation is only in the log when the compaction is asked for
		begins bool // before the rewind
	}{
		{"before it begins", &delayed{operation: "read", file: "events.jsonl"}, true, false},
		{"while the model writes it", &delayed{}, false, true},
		{"while it is saved", &delayed{operation: "write", file: "checkpoints/"}, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			summary := modeltest.Reply{Text: overview}
			if tc.slow.file == "" {
				summary.Delay = 30 * time.Second
			}
			bubble(t, &desk{fs: vfs.Fail(vfs.NewMem(), tc.slow.rule)}, func(d *desk) {
				d.stop()
				d.opts.IdleTimeout = time.Minute
				d.start(d.opts)
				s := d.create(small(wire.Config{}))
				s.talk("one", "two")
				if tc.rests {
					time.Sleep(2 * time.Minute)
				}
				ended := make(chan error, 1)
				tc.slow.on.Store(true)
				go func() { _, err := s.s.Compaction().Run(context.Background(), ""); ended <- err }()
				synctest.Wait()
				s.truncate(d.message("two"))
				if err := <-ended; fault.KindOf(err) != fault.Conflict {
					t.Errorf("Run = %v, want that the conversation was changed", err)
				}
				if begun := count(s.rest(), "session.compaction_start") == 1; begun != tc.begins {
					t.Errorf("the compaction began: %v", begun)
				}
				if tc.begins {
					if e := last(t, s.told, "session.compaction_complete"); field(e, "success") != "false" || !strings.Contains(field(e, "error"), "changed while") {
						t.Errorf("compaction_complete is %s", e.Data)
					}
				}
				if list, err := s.s.Workspace().Checkpoints(context.Background()); err != nil || tc.slow.operation != "write" && len(list) != 0 {
					t.Errorf("checkpoints are %v, %v", list, err)
				}
				s.talk("three")
				if got, want := d.conversation(), "user: one\nassistant: x\nuser: three\n"; got != want {
					t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
				}
			}, summaries(1, summary)...)
		})
	}
}
