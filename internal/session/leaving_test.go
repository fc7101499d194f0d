package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// slowLog is a desk on whose disk each write to a log takes a minute while slow is set.
func slowLog(t *testing.T, f func(d *desk, slow *atomic.Bool), replies ...modeltest.Reply) {
	var slow atomic.Bool
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if slow.Load() && op.Name == "write" && strings.HasSuffix(op.Path, "events.jsonl") {
			return &vfs.Slow{For: time.Minute}
		}
		return nil
	})
	inBubble(t, disk, func(d *desk) { f(d, &slow) }, replies...)
}

// second is a context that ends after a second.
func second(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

// afterASecond checks that a call returned when its context ended.
func afterASecond(t *testing.T, what string, begin time.Time, err error) {
	t.Helper()
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
		t.Errorf("%s = %v after %v, want the error of its context after 1s", what, err, took)
	}
}

// A caller whose context ends returns at once. Its command is carried out to the end if it
// has begun, once, and never if it has not.
func TestACallerOfASlowSessionReturns(t *testing.T) {
	slowLog(t, func(d *desk, slow *atomic.Bool) {
		s := d.create(brief)
		slow.Store(true)
		begin := time.Now()
		afterASecond(t, "SetName", begin, s.s.Settings().SetName(second(d.t), "begun"))
		begin = time.Now()
		afterASecond(t, "the next SetName", begin, s.s.Settings().SetName(second(d.t), "waits"))
		_, err := s.s.Send(second(d.t), wire.Send{Prompt: "never"})
		afterASecond(t, "Send", begin.Add(time.Second), err)
		slow.Store(false)
		name, err := s.s.Settings().Name(d.t.Context()) // waits for the one that has begun
		if name != "begun" || err != nil {
			t.Errorf("the name is %q, %v, want that of the command that had begun", name, err)
		}
		stored := d.stored("s1")
		if names, messages := count(stored, "session.info"), count(stored, "user.message"); names != 1 || messages != 0 {
			t.Errorf("%d names and %d messages are stored, want the one name:\n%s", names, messages, types(stored))
		}
	})
}

// A run can be aborted while the log is slow: the abort waits for the write that is under
// way, and for nothing else.
func TestAnAbortWaitsForOneSlowWrite(t *testing.T) {
	slowLog(t, func(d *desk, slow *atomic.Bool) {
		s := d.create(brief)
		s.send("go")
		s.until("assistant.turn_start")
		slow.Store(true)
		begin := time.Now()
		afterASecond(t, "SetName", begin, s.s.Settings().SetName(second(d.t), "begun"))
		begin = time.Now()
		afterASecond(t, "Abort", begin, s.s.Abort(second(d.t), ""))
		if err := s.s.Abort(d.t.Context(), ""); err != nil {
			t.Errorf("Abort: %v", err)
		}
		if took := time.Since(begin); took > 2*time.Minute {
			t.Errorf("the abort took %v", took)
		}
		slow.Store(false)
		s.until("session.idle")
		if told := s.rest(); count(told, "abort") != 1 || count(told, "session.idle") != 1 {
			t.Errorf("want one abort and one idle:\n%s", types(told))
		}
	}, modeltest.Silent())
}

// A client that stops waiting for its resume is not attached, and one that stops waiting
// for its detachment is detached: neither keeps the session in memory.
func TestAClientThatLeavesASlowSessionIsNotAttached(t *testing.T) {
	slowLog(t, func(d *desk, slow *atomic.Bool) {
		s := d.create(brief)
		slow.Store(true)
		begin := time.Now()
		_, err := d.reg.Resume(second(d.t), brief, nil, nil)
		afterASecond(t, "Resume", begin, err)
		begin = time.Now()
		afterASecond(t, "Detach", begin, s.client.Detach(second(d.t)))
		slow.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		select {
		case <-s.s.Closed():
		default:
			t.Error("the session is still in memory")
		}
	})
}

// An approval that is being saved when its caller stops waiting is saved, and counts.
func TestAnApprovalIsSavedWithoutItsCaller(t *testing.T) {
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if op.Name == "rename" && filepath.Base(op.Path) == "permissions.json" {
			return &vfs.Slow{For: time.Minute}
		}
		return nil
	})
	opts := registry.Options{Permissions: "/home/permissions.json", Resolve: filepath.Clean}
	bubble(t, &desk{fs: disk, opts: opts}, func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		begin := time.Now()
		_, err := s.s.Permissions().Answer(second(d.t), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation})
		afterASecond(t, "Answer", begin, err)
		if ok, err := s.s.Permissions().Answer(d.t.Context(), id, permit.Answer{Outcome: permit.Rejected}); ok || err != nil {
			t.Errorf("a later answer = %v, %v, want that the first counts", ok, err)
		}
		if kind := field(s.until("permission.completed"), "result", "kind"); !strings.HasPrefix(kind, "approved") {
			t.Errorf("the request was %s", kind)
		}
		if data, err := d.fs.ReadFile("/home/permissions.json"); err != nil || !strings.Contains(string(data), "ask") {
			t.Errorf("saved %s, %v", data, err)
		}
		s.answer(`"result":"r"`)
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}}, modeltest.Reply{Text: "done"})
}
