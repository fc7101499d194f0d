package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func drafts(t *testing.T, dir, place string) *Drafts {
	t.Helper()
	d := NewDrafts(vfs.OS{}, dir, place)
	t.Cleanup(d.Close)
	return d
}

func keep(t *testing.T, d *Drafts, text string) {
	t.Helper()
	if err := d.Keep(Draft{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// take is the text that a new terminal gets.
func take(t *testing.T, d *Drafts) string {
	t.Helper()
	got, ok, err := d.Take()
	if err != nil || ok != (got.Text != "") {
		t.Fatal(got, ok, err)
	}
	return got.Text
}

// A draft outlives its terminal, and is offered once, in its place.
func TestADraftOutlivesItsTerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	first := drafts(t, dir, "/work")
	want := Draft{Text: "half [file 1: a.go]", Shell: true, Files: []File{{Path: "/work/a.go", Name: "a.go", Label: "[file 1: a.go]"}}, At: time.Unix(1, 0).UTC()}
	if err := first.Keep(want); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if got := take(t, drafts(t, dir, "/work")); got != "" {
		t.Errorf("a terminal that still runs loses %q", got)
	}
	first.Close()
	if got := take(t, drafts(t, dir, "/other")); got != "" {
		t.Errorf("another folder gets %q", got)
	}
	second := drafts(t, dir, "/work")
	if got, ok, err := second.Take(); !ok || err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v: %s", ok, err, cmp.Diff(want, got))
	}
	if got := take(t, drafts(t, dir, "/work")); got != "" {
		t.Errorf("a third terminal gets %q, too", got)
	}
	keep(t, second, "") // it was sent
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("what is left after the draft was sent: %v", left)
	}
}

// Two terminals in one folder keep two drafts. The newest is offered first.
func TestTerminalsHaveTheirOwnDrafts(t *testing.T) {
	dir := t.TempDir()
	one, two := drafts(t, dir, "/work"), drafts(t, dir, "/work")
	keep(t, one, "of one")
	keep(t, two, "of two")
	names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for i, name := range names { // a file system may have coarse times
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(i, err)
		}
		at := time.Unix(1000, 0)
		if strings.Contains(string(text), "of two") {
			at = time.Unix(2000, 0)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	one.Close()
	two.Close()
	for _, want := range []string{"of two", "of one", ""} {
		if got := take(t, drafts(t, dir, "/work")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What the history does not keep, and what is too long, is not kept as a draft either, nor is the draft before it.
func TestDraftsThatAreNotKept(t *testing.T) {
	for _, text := range []string{"", " a secret", strings.Repeat("x", LongestDraft+1)} {
		dir := t.TempDir()
		d := drafts(t, dir, "/work")
		keep(t, d, "before")
		keep(t, d, text)
		d.Close()
		if got := take(t, drafts(t, dir, "/work")); got != "" {
			t.Errorf("%.10q was kept", got)
		}
	}
}

// Files that are no drafts are removed, and so are the oldest drafts beyond the bound.
func TestOldAndDamagedDraftsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for i := range mostDrafts + 3 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("other-%d%s", i, draftEnd)), []byte(`{"text":"x"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := drafts(t, dir, "/work")
	keep(t, d, "text")
	damaged := d.name
	d.Close()
	if err := os.WriteFile(filepath.Join(dir, damaged+draftEnd), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := take(t, drafts(t, dir, "/work")); got != "" {
		t.Errorf("a damaged draft: %q", got)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*"+draftEnd)); len(names) != mostDrafts-1 {
		t.Errorf("%d drafts are left, want %d", len(names), mostDrafts-1)
	}
}
