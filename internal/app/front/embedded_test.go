package front

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The interface knows whether everything is allowed.
func TestAllowAllIsDescribed(t *testing.T) {
	f := newFront(t)
	for _, mode := range []wire.PermissionMode{wire.ModeAllowAll, wire.ModeManual} {
		if _, err := f.Client.Session().Permissions().SetMode(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		if d, err := f.Describe(t.Context()); err != nil || d.AllowAll != (mode == wire.ModeAllowAll) {
			t.Errorf("in mode %s: %+v, %v", mode, d, err)
		}
	}
}

// A message in the queue is moved and sent.
func TestQueueIsArranged(t *testing.T) {
	f := newFront(t)
	ctx := t.Context()
	q := f.Client.Session().Queue()
	if err := q.Pause(ctx, true); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if _, err := q.Insert(ctx, wire.Send{Prompt: text}, 9); err != nil {
			t.Fatal(err)
		}
	}
	before, err := f.Queue(ctx)
	if err != nil || len(before.Items) != 2 {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := f.MoveTo(ctx, before.Items[1].ID, 0); err != nil {
		t.Fatal(err)
	}
	after, err := f.Queue(ctx)
	if err != nil || after.Items[0].Text != "two" {
		t.Errorf("%+v, %v", after, err)
	}
}

// A command works in the session that the interface passes, also while another one is being opened.
func TestCommandsWorkInTheSessionThatIsPassed(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		first := h.enter("").Session
		var commands tui.Commands
		switch s := first.(type) {
		case *embedded:
			commands = s.front
		case *attached:
			commands = s.guest
		}
		second := h.enter("").Session
		if _, err := commands.Run(t.Context(), second, "model", "other"); err != nil {
			t.Error(err)
		}
		for _, s := range []tui.Session{first, second} {
			model, _, err := h.program(s.ID()).Settings().Model(t.Context())
			if switched := model == "other"; err != nil || switched != (s == second) {
				t.Errorf("the model of session %s is %q, %v", s.ID(), model, err)
			}
		}
	})
}

// A new session has the plugins of the flags, too.
func TestPluginsOfANewSession(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(
		os.Mkdir(filepath.Join(dir, "commands"), 0o700), os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(`{"name": "plug"}`), 0o600),
		os.WriteFile(filepath.Join(dir, "commands", "shout.md"), []byte("Shout: $ARGUMENTS"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(t)
	f.opts.Settings.Plugins = []string{dir}
	f = f.mustRun(t, "new", "").Session.(*embedded)
	if e := f.mustRun(t, "shout", "hello"); e.Send == nil || !strings.Contains(e.Send.Prompt, "Shout: hello") {
		t.Errorf("/shout: %+v", e)
	}
}

// Notes about the first session are shown in the interface; stderr would spoil the screen.
func TestNotesOfTheFirstSession(t *testing.T) {
	f := newFront(t)
	var stderr bytes.Buffer
	f.Sys.Stderr = &stderr
	f.opts.Settings = &entry.Settings{ID: "notes"}
	s, err := f.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.(*embedded).Client.Tail().Close)
	e, err := f.first(t.Context(), s)
	if want := "there was no session notes, so it was created"; err != nil || e.Text != want || stderr.Len() > 0 {
		t.Errorf("%q, %v, want %q; on stderr: %q", e.Text, err, want, &stderr)
	}
}
