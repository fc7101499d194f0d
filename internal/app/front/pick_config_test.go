package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// /config lists the settings with where each comes from; choosing one lets the user write its new value, which the next
// start has.
func TestSettingsAreChanged(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	f := newFront(t)
	f.Sys.Getenv = os.Getenv
	e := f.mustRun(t, "config", "")
	wantIn(t, shownList(e.Pick.List), "Settings", "model", "A change counts from the next start", "not set")
	if got := press(t, e.Pick, "v", "i", "m", "enter"); got.Draft != "/config vim " || !got.Close {
		t.Errorf("%+v", got)
	}
	wantIn(t, f.mustRun(t, "config", "vim true").Text, "vim is set in", "next start")
	e = f.mustRun(t, "config", "")
	press(t, e.Pick, "v", "i", "m")
	wantIn(t, shownList(e.Pick.List), "config.jsonc:2", "true")
	for arg, want := range map[string]string{"vim perhaps": "want true or false", "vin": "did you mean vim?", "vim true --project": "cannot set vim"} {
		if _, err := f.run(t.Context(), "config", arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("/config %s: %v, want %q", arg, err, want)
		}
	}
	edit := f.mustRun(t, "config", "edit").Edit
	if text, err := os.ReadFile(edit.Path); err != nil || !strings.Contains(string(text), `"vim": true`) {
		t.Fatalf("the file to edit is %q, %v", text, err)
	}
	if err := os.WriteFile(edit.Path, []byte(`{"vim": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := edit.Then(t.Context()); err == nil || !strings.Contains(err.Error(), "kept as you wrote it, but has an error") {
		t.Errorf("after a wrong edit: %q, %v", said, err)
	}
}

// /memory lists the files with instructions, also those that could be written, and opens the chosen one in the editor.
func TestInstructionsAreEdited(t *testing.T) {
	f := newFront(t, modeltest.Reply{Text: "hello", Repeat: true})
	home := f.runtime.Parts.Config.Home.Value
	e := f.mustRun(t, "memory", "")
	wantIn(t, shownList(e.Pick.List), "AGENTS.md  ", "not there yet")
	own := press(t, e.Pick, "c", "o", "p", "i", "l", "o", "t", "-", "enter").Edit
	if own == nil || own.Path != filepath.Join(home, "copilot-instructions.md") {
		t.Fatalf("%+v", own)
	}
	if err := os.WriteFile(own.Path, []byte("Say hello.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := own.Then(t.Context()); said != "" || err != nil {
		t.Error(said, err)
	}
	e = f.mustRun(t, "memory", "")
	press(t, e.Pick, "c", "o", "p", "i", "l", "o", "t", "-")
	wantIn(t, shownList(e.Pick.List), "with every message", "Say hello.")
}
