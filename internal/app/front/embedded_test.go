package front

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The interface knows whether everything is allowed.
func TestAllowAllIsDescribed(t *testing.T) {
	f := newFront(t)
	for _, mode := range []wire.PermissionMode{wire.ModeAllowAll, wire.ModeManual} {
		if _, err := f.now.client.Session().Permissions().SetMode(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		if d, err := f.now.Describe(t.Context()); err != nil || d.AllowAll != (mode == wire.ModeAllowAll) {
			t.Errorf("in mode %s: %+v, %v", mode, d, err)
		}
	}
}

// A message in the queue is moved and sent.
func TestQueueIsArranged(t *testing.T) {
	f := newFront(t)
	ctx := t.Context()
	q := f.now.client.Session().Queue()
	if err := q.Pause(ctx, true); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if _, err := q.Insert(ctx, wire.Send{Prompt: text}, 9); err != nil {
			t.Fatal(err)
		}
	}
	before, err := f.now.Queue(ctx)
	if err != nil || len(before.Items) != 2 {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := f.now.MoveTo(ctx, before.Items[1].ID, 0); err != nil {
		t.Fatal(err)
	}
	after, err := f.now.Queue(ctx)
	if err != nil || after.Items[0].Text != "two" {
		t.Errorf("%+v, %v", after, err)
	}
}
