package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestCheckpoints(t *testing.T) {
	ctx := t.Context()
	w := New("s1", Folder{FS: vfs.NewMem(), Dir: "/s1"})
	if list, err := w.Checkpoints(ctx); list != nil || err != nil {
		t.Errorf("before there is one: %v, %v", list, err)
	}
	for i, title := range []string{"The first one", "a | b\nc", "../../etc/passwd", "日本"} {
		number, file, err := w.AddCheckpoint(ctx, title, "text of "+title)
		if err != nil || number != int64(i+1) || filepath.Dir(file) != "/s1/checkpoints" {
			t.Errorf("%q is %d in %s, %v", title, number, file, err)
		}
		if text, exists, err := w.Checkpoint(ctx, number); text != "text of "+title || !exists || err != nil {
			t.Errorf("%q reads %q, %t, %v", title, text, exists, err)
		}
	}
	want := []Checkpoint{
		{Number: 1, Title: "The first one", File: "001-the-first-one.md"},
		{Number: 2, Title: "a | b c", File: "002-a-b-c.md"},
		{Number: 3, Title: "../../etc/passwd", File: "003-etc-passwd.md"},
		{Number: 4, Title: "日本", File: "004.md"},
	}
	list, err := w.Checkpoints(ctx)
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, number := range []int64{0, -1, 5, 1 << 62} {
		if _, exists, err := w.Checkpoint(ctx, number); exists || err != nil {
			t.Errorf("%d: %t, %v", number, exists, err)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add("# Checkpoints\n\n| # | Title | File |\n|---|---|---|\n| 1 | one \\| two | 001.md |\n")
	f.Add("| 999999999 | | a.md |\n|1|x|../secret.md|\n| 2 | y | .hidden.md |\n| 3 | z | /etc/passwd |")
	f.Fuzz(func(t *testing.T, index string) {
		last := int64(-1)
		for _, c := range parseIndex(index) {
			if c.Number < last || !filepath.IsLocal(c.File) || strings.ContainsAny(c.File, `/\`) {
				t.Errorf("%+v", c)
			}
			last = c.Number
		}
	})
}

func FuzzFileName(f *testing.F) {
	for _, name := range []string{"a.txt", "a/../b", "../a", "/a", "a/../../b", ".", "", "a\x00b", "..", "a/..", `a\..\..\b`, "con", strings.Repeat("a/", 600)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		local, err := fileName(name)
		if err == nil && (!filepath.IsLocal(local) || local == "." || strings.ContainsRune(local, 0)) {
			t.Errorf("%q becomes %q", name, local)
		}
	})
}
