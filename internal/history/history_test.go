package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func open(t *testing.T, path string) *History {
	t.Helper()
	h, err := Open(t.Context(), vfs.OS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func add(t *testing.T, h *History, folder string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := h.Add(t.Context(), folder, text); err != nil {
			t.Error(err)
		}
	}
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

// Messages are kept in order, with their folders, for the owner alone.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "history")
	h := open(t, path)
	add(t, h, "/a", "one", "one", " secret", "two\nlines", "", "one", strings.Repeat("x", Longest+1))
	add(t, h, "/b", "one", "three")
	for _, h := range []*History{h, open(t, path)} {
		same(t, "a", []string{"one", "two\nlines", "one"}, h.Lines("/a"))
		same(t, "b", []string{"one", "three"}, h.Lines("/b"))
		same(t, "all", []string{"one", "two\nlines", "one", "one", "three"}, h.Lines(""))
	}
	for _, name := range []string{path, path + ".lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// A file of an earlier version loses nothing; damage costs a line.
func TestOldAndDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("\"old\"\n\"two\\nlines\"\n[]\n\"torn\n{\"text\":\"new\",\"folder\":\"/a\"}\n{}\nnull\n{\"text\":\"to"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, path)
	add(t, h, "/b", "added")
	for _, h := range []*History{h, open(t, path)} {
		same(t, "a", []string{"old", "two\nlines", "new"}, h.Lines("/a"))
		same(t, "b", []string{"old", "two\nlines", "added"}, h.Lines("/b"))
	}
}

// A file with too many messages, or too large ones, is cut to the newest.
func TestTheFileIsCut(t *testing.T) {
	for name, tc := range map[string]struct {
		n, size, want int
	}{"many": {2*Most + 10, 1, Most}, "large": {100, 60 << 10, 34}} {
		path := filepath.Join(t.TempDir(), "history")
		var b strings.Builder
		for i := range tc.n {
			fmt.Fprintf(&b, "%q\n", fmt.Sprint(i, strings.Repeat("x", tc.size)))
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, path)
		lines := open(t, path).Lines("")
		if len(lines) != tc.want || !strings.HasPrefix(lines[len(lines)-1], fmt.Sprint(tc.n-1)) {
			t.Errorf("%s: %d messages", name, len(lines))
		}
		if data, err := os.ReadFile(path); err != nil || strings.Count(string(data), "\n") != tc.want || !strings.HasPrefix(string(data), `{"text":`) {
			t.Errorf("%s: %d bytes in the file, %v", name, len(data), err)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "history"))
	h.fs = vfs.NewMem()
	for i := range 3 * Most {
		add(t, h, "/a", fmt.Sprint(i))
	}
	if n := len(h.Lines("")); n > 2*Most {
		t.Errorf("%d messages", n)
	}
}

// Several processes add messages while others cut the file: no message is lost.
func TestSeveralAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var old strings.Builder
	for i := range 2 * Most {
		fmt.Fprintf(&old, "\"old %d\"\n", i)
	}
	if err := os.WriteFile(path, []byte(old.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for p := range 8 {
		all.Go(func() {
			for i := range 10 {
				h, err := Open(t.Context(), vfs.OS{}, path)
				if err == nil {
					err = h.Add(t.Context(), "/a", fmt.Sprintf("%d.%d", p, i))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := strings.Join(open(t, path).Lines("/a"), "\n") + "\n"
	for p := range 8 {
		for i := range 10 {
			if line := fmt.Sprintf("\n%d.%d\n", p, i); !strings.Contains(lines, line) {
				t.Errorf("%q is missing", line)
			}
		}
	}
}

// A message that cannot be stored is in memory, and the error says so.
func TestAFailureCostsTheFileOnly(t *testing.T) {
	dir := t.TempDir()
	h, err := Open(t.Context(), vfs.OS{}, dir) // a folder
	if err == nil {
		t.Error("a folder was opened as a history")
	}
	if err := h.Add(t.Context(), "/a", "one"); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("added: %v", err)
	}
	same(t, "a", []string{"one"}, h.Lines("/a"))
}

// A message that is remembered is there at once; its file is written by the function, which another
// process that has the lock cannot hold up for longer than its context allows.
func TestRemember(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h, err := Open(t.Context(), vfs.OS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := vfs.Lock(t.Context(), vfs.OS{}, path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	store := h.Remember("/a", "one")
	same(t, "at once", []string{"one"}, h.Lines("/a"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store(ended); err == nil {
		t.Error("the file was written although another process has the lock")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), vfs.OS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "in the file", []string{"one"}, again.Lines("/a"))
	if store := h.Remember("/a", "one"); store != nil {
		t.Error("a repeated message is stored")
	}
}
