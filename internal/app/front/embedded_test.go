package front

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The interface knows whether everything is allowed.
func TestAllowAllIsDescribed(t *testing.T) {
	f := newFront(t)
	for _, mode := range []wire.PermissionMode{wire.ModeAllowAll, wire.ModeManual} {
		if _, err := f.now().client.Session().Permissions().SetMode(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		if d, err := f.now().Describe(t.Context()); err != nil || d.AllowAll != (mode == wire.ModeAllowAll) {
			t.Errorf("in mode %s: %+v, %v", mode, d, err)
		}
	}
}

// A message in the queue is moved and sent.
func TestQueueIsArranged(t *testing.T) {
	f := newFront(t)
	ctx := t.Context()
	q := f.now().client.Session().Queue()
	if err := q.Pause(ctx, true); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if _, err := q.Insert(ctx, wire.Send{Prompt: text}, 9); err != nil {
			t.Fatal(err)
		}
	}
	before, err := f.now().Queue(ctx)
	if err != nil || len(before.Items) != 2 {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := f.now().MoveTo(ctx, before.Items[1].ID, 0); err != nil {
		t.Fatal(err)
	}
	after, err := f.now().Queue(ctx)
	if err != nil || after.Items[0].Text != "two" {
		t.Errorf("%+v, %v", after, err)
	}
}

// A session is entered while completion and errors use the one that is shown. The race detector finds
// what fails here.
func TestSessionIsEnteredMeanwhile(t *testing.T) {
	f := newFront(t)
	var beside sync.WaitGroup
	beside.Go(func() { f.mustRun(t, "new", "") })
	for range 20 {
		if _, err := f.List(t.Context()); err != nil {
			t.Error(err)
		}
		f.words(errors.New("an error"))
	}
	beside.Wait()
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
	f.mustRun(t, "new", "")
	if e := f.mustRun(t, "shout", "hello"); e.Send == nil || !strings.Contains(e.Send.Prompt, "Shout: hello") {
		t.Errorf("/shout: %+v", e)
	}
}

// What the user should know of the first session is shown in the interface; stderr would spoil the screen.
func TestNotesOfTheFirstSession(t *testing.T) {
	f := newFront(t)
	var stderr bytes.Buffer
	f.Sys.Stderr = &stderr
	f.opts.Settings = &entry.Settings{ID: "notes"}
	s, err := f.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.(*embedded).client.Tail().Close)
	e, err := f.first(t.Context())
	if want := "there was no session notes, so it was created"; err != nil || e.Text != want || stderr.Len() > 0 {
		t.Errorf("%q, %v, want %q; on stderr: %q", e.Text, err, want, &stderr)
	}
}
