package workspace

import (
	"context"
	"errors"
	"io/fs"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// planName is the file of the plan. The model may change it too.
const planName = "plan.md"

// maxPlan bounds a plan, in bytes: users and models read all of it.
const maxPlan = 1 << 20

// Plan returns the text of the plan; exists reports whether it exists.
func (w *Workspace) Plan(ctx context.Context) (text string, exists bool, err error) {
	data, err := w.files.Read(ctx, planName, maxPlan)
	if err == nil {
		err = checkText(data, maxPlan)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, w.fail("session.plan.read", "the plan", err)
}

// PlanPath returns the path of the plan for programs, whether or not the plan exists.
func (w *Workspace) PlanPath() string { return w.files.Path(planName) }

// UpdatePlan replaces the plan. The new text is stored before recorded is called: if the
// process dies in between, the new plan exists and no client has got an event.
func (w *Workspace) UpdatePlan(ctx context.Context, text string, recorded Recorded) error {
	const op = "session.plan.update"
	if len(text) > maxPlan {
		return fault.New(fault.Invalid, op, w.session, "the plan has %d bytes, want %d at most", len(text), maxPlan)
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	created, err := w.files.Write(ctx, planName, []byte(text), Durable)
	if err != nil {
		return w.fail(op, "the plan", err)
	}
	return recorded(created)
}

// DeletePlan removes the plan. If there is none, recorded is not called.
func (w *Workspace) DeletePlan(ctx context.Context, recorded func() error) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	err := w.files.Remove(ctx, planName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return w.fail("session.plan.delete", "the plan", err)
	}
	return recorded()
}
