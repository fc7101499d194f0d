package front_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALongPasteIsFoldedAndSentWhole(t *testing.T) {
	t.Parallel()
	d := sit(t, say("Read."))
	d.write("see ")
	d.pastes(strings.Repeat("a pasted line\n", 300))
	d.shows("see [300 lines pasted]")
	d.press("enter")
	d.shows("Read.")
	d.leave()
	if got := strings.Count(d.model.Requests()[0].Last().Content, "a pasted line\n"); got < 299 {
		t.Errorf("the model got %d lines", got)
	}
}

// A paste never acts, whatever it contains.
func TestPastedKeysDoNothing(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), say("Made."))
	d.says("make it")
	d.asks("touch one")
	d.pastes("y\n\x1b[A\x03\x04")
	d.press("ctrl+l")
	if d.made("one") {
		t.Error("a paste has answered")
	}
	d.press("esc")
	d.shows("Tab to answer")
	d.press("ctrl+u")
	d.press("esc")
	d.turns("touch one")
	d.press("q", "enter")
	d.shows("interrupted")
	d.idle()
	if d.made("one") {
		t.Error("the command has run")
	}
	d.press("ctrl+c")
	if !strings.Contains(d.now(), "again to leave") {
		d.empty()
	}
}

func TestLinesAndEdits(t *testing.T) {
	t.Parallel()
	d := sit(t, say("Read."))
	d.write("one")
	d.press("alt+enter")
	d.write("two 漢字 👍🏽")
	d.press("backspace", "ctrl+j")
	d.write("three\\")
	d.press("enter")
	d.write("four")
	d.shows("› one\n  two 漢字\n  three\n  four")
	d.press("up", "up", "up", "ctrl+e")
	d.write("!")
	d.shows("› one!")
	d.press("enter")
	d.shows("Read.")
	d.leave()
	if got, want := d.model.Requests()[0].Last().Content, "one!\ntwo 漢字 \nthree\nfour"; !strings.Contains(got, want) {
		t.Errorf("the model got %q, want %q", got, want)
	}
}

func TestFilesAreCompleted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, say("Read."))
	for _, name := range []string{"apple.go", "banana.go", "cherry.md"} {
		if err := os.WriteFile(filepath.Join(d.folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.start()
	d.empty()
	d.write("look at @bna")
	d.shows("banana.go")
	d.press("tab")
	d.shows("› look at @banana.go")
	d.press("ctrl+c")
	d.empty()
	d.shows("test-model") // the session is open
	d.write("/und")
	d.shows("› undo", "go back to before the last message")
	d.press("esc")
	d.hides("go back to before")
	d.press("ctrl+c")
	d.empty()
	d.leave()
}

func TestACommandOfTheUser(t *testing.T) {
	t.Parallel()
	d := sit(t, say("I see."))
	d.press("!")
	d.write("echo mine; false")
	d.shows("! echo mine; false")
	d.press("enter")
	d.matches(`✗ \[1\] \$ echo mine; false.*exit code 1`)
	d.shows("    mine")
	d.says("what was that?")
	d.shows("I see.")
	d.leave()
	told := false
	for _, m := range d.model.Requests()[0].Messages {
		told = told || strings.Contains(m.Content, "echo mine")
	}
	if !told {
		t.Error("the model does not learn of it")
	}
}

func TestTheEditorOfTheUser(t *testing.T) {
	t.Parallel()
	d := newDesk(t, say("Read."))
	editor := filepath.Join(d.home, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\ntrap : INT\necho editing\nuntil read answer; do :; done\necho \"$answer\" >>\"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = []string{"EDITOR=" + editor}
	d.start()
	d.empty()
	d.types("first")
	d.press("ctrl+g")
	d.shows("editing")
	d.press("ctrl+c") // the signal is for the editor
	d.write(", from the editor\n")
	d.shows("› first, from the editor")
	d.press("enter")
	d.shows("Read.")
	d.leave()
	if got := d.model.Requests()[0].Last().Content; !strings.Contains(got, "first, from the editor") {
		t.Errorf("the model got %q", got)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	d := sit(t, say("One."), say("Two."))
	d.says("the first thing")
	d.shows("One.")
	d.says("another one")
	d.shows("Two.")
	d.idle()
	d.press("up")
	d.shows("› another one\n")
	d.press("up")
	d.hides("› another one\ntest-model")
	d.press("ctrl+c")
	d.empty()
	d.press("ctrl+r")
	d.write("first")
	d.shows("the first thing")
	d.press("enter")
	d.press("ctrl+c")
	d.empty()
	d.press("ctrl+d")
	d.ends()
	d.checkWritten()
}
