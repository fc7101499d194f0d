package workspace

import (
	"context"
	"errors"
	"io/fs"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// planName is the file of the plan. The model may write to it too.
const planName = "plan.md"

// maxPlan bounds a plan, in bytes: people and models read it whole.
const maxPlan = 1 << 20

// Plan returns the text of the plan; exists reports whether there is one.
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

// PlanPath is where programs find the plan, or would.
func (w *Workspace) PlanPath() string { return w.files.Path(planName) }

// UpdatePlan makes text the plan. It is in storage before recorded is called: a process
// that dies between the two leaves the new plan, and no client was sent an event.
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
