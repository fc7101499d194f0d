package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// besides is another process on the disk of d, with the same model. The test stops it.
func (d *desk) besides(opts registry.Options) *desk {
	other := &desk{t: d.t, fs: d.fs, model: d.model}
	other.start(opts)
	return other
}

// Another process has removed an event. This process, which has not seen that yet, cannot
// remove the event again, and with it what the other process recorded afterwards.
func TestAnEventIsRemovedByOneProcessOnly(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		a := d.create(brief)
		a.talk("one", "two", "three")
		two, three := d.message("two"), d.message("three")
		other := d.besides(registry.Options{})
		b := other.resume(brief)
		b.truncate(two)
		b.talk("four")
		if n, err := a.s.History().Truncate(context.Background(), three.ID); err == nil || fault.KindOf(err) != fault.NotFound {
			t.Errorf("Truncate = %d, %v, want that there is no such event", n, err)
		}
		other.stop()
		a.talk("five")
		if diff := cmp.Diff("user: one\nassistant: ok\nuser: four\nassistant: ok\nuser: five\n", d.conversation()); diff != "" {
			t.Errorf("the model read (-want +got):\n%s", diff)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A client that sets a mode gets it, although another process has set a different one
// meanwhile.
func TestAModeIsComparedWithThatOfAnotherProcess(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		a := d.create(brief)
		a.talk("one")
		other := d.besides(registry.Options{})
		defer other.stop()
		b := other.resume(brief)
		if err := b.s.Settings().SetMode(ctx, "plan"); err != nil {
			t.Fatal(err)
		}
		if err := b.s.Settings().SetName(ctx, "chosen by the user"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.s.Permissions().SetMode(ctx, wire.ModeAllowAll); err != nil {
			t.Fatal(err)
		}
		if mode, err := a.s.Permissions().SetMode(ctx, wire.ModeManual); mode != wire.ModeManual || err != nil {
			t.Errorf("setting the permission mode = %q, %v", mode, err)
		}
		if err := a.s.Settings().SetMode(ctx, "interactive"); err != nil {
			t.Error(err)
		}
		if applied, err := a.s.Settings().SetAutoName(ctx, "made from the conversation"); applied || err != nil {
			t.Errorf("the name that the user chose was replaced: %v, %v", applied, err)
		}
		a.talk("two")
		mode, _ := a.s.Settings().Mode(ctx)
		permissions, _ := a.s.Permissions().Mode(ctx)
		if mode != "interactive" || permissions != wire.ModeManual {
			t.Errorf("the modes are %q and %q, want interactive and manual", mode, permissions)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// Clients do not see events that another process has removed, also before the next run.
func TestEventsThatAnotherProcessRemovedAreNotShown(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		a := d.create(brief)
		a.talk("one", "two", "three")
		other := d.besides(registry.Options{})
		other.resume(brief).truncate(d.message("two"))
		other.stop()
		if err := a.s.Settings().SetName(ctx, "named"); err != nil { // reads the events of the other process
			t.Fatal(err)
		}
		users := 0
		for _, kind := range a.shown() {
			if kind == "user.message" {
				users++
			}
		}
		if users != 1 {
			t.Errorf("%d messages of the user are shown, want 1", users)
		}
		if keep, err := a.s.History().Keeping(ctx, nil); keep == nil || err != nil {
			t.Errorf("the pages of the log have removed events: %v", err)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
