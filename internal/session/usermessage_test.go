package session_test

import (
	"context"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A message that hooks are looking at is accepted: whatever happens to the run, it is
// recorded once, or removed by a client.
func TestAMessageOutlivesItsHooks(t *testing.T) {
	for _, tc := range []struct {
		name     string
		budget   wire.Budget
		meet     func(d *desk, s *seat) // while a hook is under way
		recorded int                    // user messages in the end
		calls    int                    // of the model
	}{
		{"its run has no time left", wire.Budget{TimeoutMs: 30_000}, func(_ *desk, s *seat) { s.until("session.idle") }, 1, 0},
		{"the session is closed", wire.Budget{}, func(d *desk, s *seat) {
			if err := s.s.Close(context.Background()); err != nil {
				t.Errorf("Close: %v", err)
			}
		}, 1, 0},
		{"the process dies", wire.Budget{}, func(d *desk, _ *seat) { d.crash() }, 1, 0},
		{"it is removed", wire.Budget{}, func(_ *desk, s *seat) {
			if ok, err := s.s.Queue().RemoveLast(context.Background()); !ok || err != nil {
				t.Errorf("RemoveLastPending = %v, %v", ok, err)
			}
			s.until("session.idle")
		}, 0, 0},
		{"the run is aborted", wire.Budget{}, func(_ *desk, s *seat) {
			if err := s.s.Abort(context.Background(), ""); err != nil {
				t.Error(err)
			}
			s.until("session.idle")
		}, 0, 0},
		{"its client leaves", wire.Budget{}, func(d *desk, s *seat) {
			begin := time.Now()
			other := d.resume(wire.Config{SessionID: "s1"})
			if err := s.client.Detach(context.Background()); err != nil {
				t.Error(err)
			}
			other.until("session.idle")
			if took := time.Since(begin); took > time.Second {
				t.Errorf("a hook of a client that had left was waited for %v", took)
			}
		}, 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				cfg := hookedTools()
				cfg.Budget = &tc.budget
				s := d.createWith(cfg, silentPeer{})
				s.send("hello")
				s.until("hook.start")
				synctest.Wait()
				tc.meet(d, s)
				d.stop()
				d.start(d.opts)
				d.resume(wire.Config{SessionID: "s1"}).rest()
				if recorded, calls := count(d.stored("s1"), "user.message"), len(d.model.Requests()); recorded != tc.recorded || calls != tc.calls {
					t.Errorf("it was recorded %d times and answered %d times, want %d and %d", recorded, calls, tc.recorded, tc.calls)
				}
			}, modeltest.Reply{Text: "hi"})
		})
	}
}

// A log that fails while hooks look at a message ends the run with an error, which no
// client takes for an abort.
func TestADiskThatFailsDuringAHook(t *testing.T) {
	full := false
	failing := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if op.Name == "write" && full {
			return syscall.ENOSPC
		}
		return nil
	})
	client, _ := hooking(map[string]any{"userPromptTransformed": func(map[string]any) any { full = true; return nil }})
	inBubble(t, failing, func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("hello")
		idle := s.until("session.idle")
		if count(s.told, "session.error") != 1 || field(idle, "aborted") == "true" {
			t.Errorf("idle is %s, want an error before it:\n%s", idle.Data, types(s.told))
		}
	}, modeltest.Reply{Text: "hi"})
}
