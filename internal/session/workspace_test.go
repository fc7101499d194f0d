package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// changes are the calls with which a client changes the workspace.
func changes(s *seat) map[string]func(context.Context) error {
	w := s.s.Workspace()
	return map[string]func(context.Context) error{
		"UpdatePlan": func(ctx context.Context) error { return w.UpdatePlan(ctx, "new") },
		"DeletePlan": w.DeletePlan,
		"CreateFile": func(ctx context.Context) error { return w.CreateFile(ctx, "a/b.txt", "new") },
		"SavePaste":  func(ctx context.Context) error { _, err := w.SavePaste(ctx, "new"); return err },
	}
}

// A client that still has a deleted session cannot bring its folder back.
func TestADeletedSessionIsNotWrittenTo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(brief)
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		for name, change := range changes(s) {
			if err := change(context.Background()); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s = %v, want that the session is not found", name, err)
			}
		}
		if _, err := d.fs.Stat(s.s.Dir()); err == nil {
			t.Error("the folder of the deleted session is there again")
		}
	})
}

// A session that another owner works in is refused, and its workspace stays as it is.
func TestARefusedChangeOfTheWorkspaceChangesNothing(t *testing.T) {
	inShared(t, func(d *desk, store shared) {
		s := d.create(brief)
		if err := s.s.Workspace().UpdatePlan(context.Background(), "old"); err != nil {
			t.Fatal(err)
		}
		other := d.takeOver(store)
		for name, change := range changes(s) {
			if err := change(context.Background()); fault.KindOf(err) != fault.Conflict {
				t.Errorf("%s = %v, want a conflict", name, err)
			}
		}
		if text, _, err := s.s.Workspace().Plan(context.Background()); text != "old" || err != nil {
			t.Errorf("the plan is %q, %v", text, err)
		}
		if list, err := s.s.Workspace().Files(context.Background()); len(list) > 0 || err != nil {
			t.Errorf("the files are %q, %v", list, err)
		}
		other.Close()
		if err := s.s.Workspace().UpdatePlan(context.Background(), "new"); err != nil {
			t.Errorf("once the other owner has gone: %v", err)
		}
	})
}

// hooked is a workspace that calls written after each write of the plan, before its caller
// learns of it.
type hooked struct {
	workspace.Store
	written func()
}

func (h *hooked) Files(session string) workspace.Files { return hookedFiles{h.Store.Files(session), h} }

type hookedFiles struct {
	workspace.Files
	h *hooked
}

func (f hookedFiles) Write(ctx context.Context, name string, data []byte, how workspace.Durability) (bool, error) {
	created, err := f.Files.Write(ctx, name, data, how)
	if strings.HasSuffix(name, "plan.md") && f.h.written != nil {
		f.h.written()
	}
	return created, err
}

// inHooked is inBubble with such a workspace.
func inHooked(t *testing.T, f func(d *desk, h *hooked)) {
	fsys := vfs.NewMem()
	h := &hooked{Store: workspace.Disk{FS: fsys, Dir: func(id string) string { return "/home/session-state/" + id }}}
	d := &desk{fs: fsys}
	d.opts.Workspaces = h
	bubble(t, d, func(d *desk) { f(d, h) })
}

// The caller stops waiting in the moment in which the plan is written.
func TestAChangeThatIsMadeIsRecorded(t *testing.T) {
	inHooked(t, func(d *desk, h *hooked) {
		s := d.create(brief)
		ctx, cancel := context.WithCancel(context.Background())
		h.written = cancel
		if err := s.s.Workspace().UpdatePlan(ctx, "new"); err != nil {
			t.Errorf("UpdatePlan = %v", err)
		}
		if n := count(s.rest(), "session.plan_changed"); n != 1 {
			t.Errorf("%d events report the plan, want one", n)
		}
		if err := s.s.Workspace().UpdatePlan(ctx, "newer"); !errors.Is(err, context.Canceled) {
			t.Errorf("UpdatePlan after the end of its context = %v", err)
		}
		if text, _, err := s.s.Workspace().Plan(context.Background()); text != "new" || err != nil {
			t.Errorf("the plan is %q, %v", text, err)
		}
	})
}

// A session that is closed while its plan is being written waits for that.
func TestClosingWaitsForAChange(t *testing.T) {
	inHooked(t, func(d *desk, h *hooked) {
		s := d.create(brief)
		deleted := make(chan error, 1)
		h.written = func() {
			go func() { deleted <- d.reg.Delete(context.Background(), "s1") }()
			s.rest() // the deletion has come as far as it can
		}
		if err := s.s.Workspace().UpdatePlan(context.Background(), "new"); err != nil {
			t.Errorf("UpdatePlan = %v", err)
		}
		if err := <-deleted; err != nil {
			t.Errorf("Delete = %v", err)
		}
		if _, err := d.fs.Stat("/home/session-state/s1"); err == nil {
			t.Error("the folder of the deleted session is still there")
		}
	})
}
