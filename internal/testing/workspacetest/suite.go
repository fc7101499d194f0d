package workspacetest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Run holds a store to the contract. open returns an empty store each time.
func Run(t *testing.T, open func(t *testing.T) workspace.Store) {
	for name, rule := range map[string]func(t *testing.T, f workspace.Files){
		"what is written is read":      writtenIsRead,
		"a write replaces all":         writeReplaces,
		"a missing file is not there":  missing,
		"names lead nowhere else":      namesStayInside,
		"a limit is kept":              limits,
		"a file is not a folder":       fileIsNoFolder,
		"lists are ordered and short":  lists,
		"a canceled context does none": canceled,
	} {
		t.Run(name, func(t *testing.T) { rule(t, open(t).Files("s1")) })
	}
	t.Run("sessions are apart", func(t *testing.T) {
		store := open(t)
		write(t, store.Files("a"), "plan.md", "of a", true)
		if _, err := store.Files("b").Read(t.Context(), "plan.md", 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("another session's file: %v", err)
		}
		if got := read(t, store.Files("a"), "plan.md"); got != "of a" {
			t.Errorf("the file opened again holds %q", got)
		}
	})
}

func write(t *testing.T, f workspace.Files, name, text string, isNew bool) {
	t.Helper()
	for _, w := range []workspace.Durability{workspace.Durable, workspace.Derived} {
		created, err := f.Write(t.Context(), name, []byte(text), w)
		if err != nil || created != isNew {
			t.Fatalf("Write(%q): created %v, %v", name, created, err)
		}
		isNew = false
	}
}

func read(t *testing.T, f workspace.Files, name string) string {
	t.Helper()
	data, err := f.Read(t.Context(), name, 1<<20)
	if err != nil {
		t.Fatalf("Read(%q): %v", name, err)
	}
	return string(data)
}

func writtenIsRead(t *testing.T, f workspace.Files) {
	for _, text := range []string{"", "text", "\x00\xff bytes", strings.Repeat("long ", 20_000)} {
		if _, err := f.Write(t.Context(), "a/b c/ü.txt", []byte(text), workspace.Durable); err != nil {
			t.Fatal(err)
		}
		if got := read(t, f, "a/b c/ü.txt"); got != text {
			t.Errorf("%d bytes come back, want %d", len(got), len(text))
		}
	}
	data := []byte("kept")
	if _, err := f.Write(t.Context(), "mine", data, workspace.Durable); err != nil {
		t.Fatal(err)
	}
	copy(data, "lost")
	if got := read(t, f, "mine"); got != "kept" {
		t.Errorf("the store keeps the caller's bytes: %q", got)
	}
}

func writeReplaces(t *testing.T, f workspace.Files) {
	write(t, f, "a", "a long text", true)
	write(t, f, "a", "short", false)
	if got := read(t, f, "a"); got != "short" {
		t.Errorf("it holds %q", got)
	}
	if err := f.Remove(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	write(t, f, "a", "again", true)
}

func missing(t *testing.T, f workspace.Files) {
	for _, name := range []string{"none", "no/folder"} {
		if _, err := f.Read(t.Context(), name, 1); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%q): %v", name, err)
		}
		if err := f.Remove(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Remove(%q): %v", name, err)
		}
		if list, err := f.List(t.Context(), name, 10); list != nil || err != nil {
			t.Errorf("List(%q): %v, %v", name, list, err)
		}
	}
}

func namesStayInside(t *testing.T, f workspace.Files) {
	for _, name := range []string{"", "..", "../a", "/a", "a/../../b", "a//b", "./a"} {
		if _, err := f.Write(t.Context(), name, nil, workspace.Durable); err == nil {
			t.Errorf("Write(%q) was taken", name)
		}
		if _, err := f.Read(t.Context(), name, 1); err == nil {
			t.Errorf("Read(%q) was taken", name)
		}
		if err := f.Remove(t.Context(), name); err == nil {
			t.Errorf("Remove(%q) was taken", name)
		}
		if _, err := f.List(t.Context(), name, 1); err == nil {
			t.Errorf("List(%q) was taken", name)
		}
	}
}

func limits(t *testing.T, f workspace.Files) {
	write(t, f, "a", "12345", true)
	if data, err := f.Read(t.Context(), "a", 5); !bytes.Equal(data, []byte("12345")) || err != nil {
		t.Errorf("a file as long as the limit: %q, %v", data, err)
	}
	if _, err := f.Read(t.Context(), "a", 4); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a longer file: %v", err)
	}
}

func fileIsNoFolder(t *testing.T, f workspace.Files) {
	write(t, f, "a/b", "x", true)
	if _, err := f.Write(t.Context(), "a", []byte("y"), workspace.Durable); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if _, err := f.Write(t.Context(), "a/b/c", []byte("y"), workspace.Durable); err == nil {
		t.Error("a file has a file below it")
	}
	if _, err := f.Read(t.Context(), "a", 10); err == nil {
		t.Error("a folder was read")
	}
	if got := read(t, f, "a/b"); got != "x" {
		t.Errorf("the file holds %q", got)
	}
}

func lists(t *testing.T, f workspace.Files) {
	for _, name := range []string{"z", "dir/b", "dir/a", "dir/sub/c"} {
		write(t, f, name, name, true)
	}
	for _, tc := range []struct {
		folder string
		limit  int
		want   []workspace.Info
	}{
		{".", 10, []workspace.Info{{Name: "dir/a", Size: 5}, {Name: "dir/b", Size: 5}, {Name: "dir/sub/c", Size: 9}, {Name: "z", Size: 1}}},
		{"dir", 10, []workspace.Info{{Name: "a", Size: 5}, {Name: "b", Size: 5}, {Name: "sub/c", Size: 9}}},
		{"dir", 2, []workspace.Info{{Name: "a", Size: 5}, {Name: "b", Size: 5}}},
		{"di", 10, nil},
	} {
		got, err := f.List(t.Context(), tc.folder, tc.limit)
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("List(%q, %d): %v (-want +got):\n%s", tc.folder, tc.limit, err, diff)
		}
	}
}

func canceled(t *testing.T, f workspace.Files) {
	write(t, f, "a", "x", true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Write(ctx, "a", []byte("y"), workspace.Durable); !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v", err)
	}
	if _, err := f.Read(ctx, "a", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v", err)
	}
	if got := read(t, f, "a"); got != "x" {
		t.Errorf("it holds %q", got)
	}
}
