package tool_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const edited = "File ${workdir}/f updated with changes."

// edits has calls of edit, and what becomes of the file.
var edits = []struct{ name, file, old, new, want, text string }{
	{"a word", "a b c", "b", "x", "a x c", edited},
	{"a deletion", "a\nb\nc\n", "b\n", "", "a\nc\n", edited},
	{"over lines", "a\nb\nc\n", "a\nb", "x", "x\nc\n", edited},
	{"Windows line ends", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", edited},
	{"Windows line ends as they are", "a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n", edited},
	{"within a line of Windows", "a b\r\n", "b", "c", "a c\r\n", edited},
	{"the first line after a byte order mark", "\ufeffa\n", "a\n", "b\n", "\ufeffb\n", edited},
	{"bytes that are not UTF-8 are kept", "\xff a", "a", "b", "\xff b", edited},
	{"replacement marks are nothing special", "a", "a", "$1 \\1", "$1 \\1", edited},
	{
		"twice", "a\nb\na\n", "a", "x", "",
		"${workdir}/f: old_str occurs 2 times, at lines 1, 3; nothing was changed. Add lines around the one that you mean, so that it occurs once",
	},
	{
		"overlapping", "\naaaa", "aa", "x", "",
		"${workdir}/f: old_str occurs 3 times, at lines 2, 2, 2; nothing was changed. Add lines around the one that you mean, so that it occurs once",
	},
	{
		"other spaces", "if x {\n\treturn 1\n}\n", "if x {\n    return 1\n}", "", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. These lines are the same but for spaces, tabs or line ends:\n1. if x {\n2. \treturn 1\n3. }\nTake them over exactly.",
	},
	{
		"a near miss", "one two three\nfour five six seven\neight\n", "four five nine seven", "", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. The lines that come nearest:\n2. four five six seven\nTake over what is really there.",
	},
	{
		"the best of several", "func a(x int) {\n}\nfunc a(y int) {\n\treturn\n}\n", "func a(z int) {\n\treturn\n}", "", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. The lines that come nearest:\n3. func a(y int) {\n4. \treturn\n5. }\nTake over what is really there.",
	},
	{
		"nothing like it", "alpha\n", "zebra", "x", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. No line of the file is like it. Use view to see what the file holds.",
	},
	{
		"blank lines are like nothing", "\n\n\n", "zebra\n\nzulu\n", "x", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. No line of the file is like it. Use view to see what the file holds.",
	},
	{
		"the numbers of view", "a\nb\n", "1. a\n2. b", "x", "",
		"${workdir}/f: old_str does not occur in the file; nothing was changed. It occurs without the line numbers that view shows: leave those out of old_str.",
	},
	{"an empty file", "", "a", "b", "", "${workdir}/f: old_str does not occur in the file; nothing was changed. No line of the file is like it. Use view to see what the file holds."},
	{"nothing to look for", "a", "", "b", "", "old_str is empty; give the text to replace. To write a new file use create"},
	{"no change", "a", "a", "a", "", "old_str and new_str are the same; there is nothing to change"},
}

func TestEdit(t *testing.T) {
	for _, tc := range edits {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"f": tc.file})
			call := jsonOf(t, map[string]any{"path": "f", "old_str": tc.old, "new_str": tc.new})
			q, r := p.ask(t, "edit", call), p.run(t, "edit", call)
			kind, outcome, want := permit.Write, tool.Success, tc.want
			if tc.text != edited {
				kind, outcome, want = permit.Read, tool.Failure, tc.file
			}
			if got := p.out(r.Text); got != tc.text || r.Outcome != outcome {
				t.Errorf("%s, the model reads\n%s\nwant\n%s", r.Outcome, got, tc.text)
			}
			if got := p.read(t, "f"); got != want {
				t.Errorf("the file holds %q, want %q", got, want)
			}
			if q.Kind != kind || (q.Diff == "") != (kind == permit.Read) || r.Detail != "" && r.Detail != q.Diff {
				t.Errorf("asked to %s, with the change %q, made %q", q.Kind, q.Diff, r.Detail)
			}
		})
	}
}

func TestEditAsksWithADiff(t *testing.T) {
	p := newPlace(t, map[string]string{"sub/f.txt": "a\nb\nc\n"})
	path := filepath.Join(p.cwd, "sub/f.txt")
	got := p.ask(t, "edit", `{"path":"sub/../sub/f.txt","old_str":"b","new_str":"x"}`)
	want := &permit.Request{
		Kind: permit.Write, Tool: "edit", Intention: "Edit file: " + path, Path: permit.Path{Name: path, Real: path},
		Diff: "--- a/sub/f.txt\n+++ b/sub/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateAsksWithTheContents(t *testing.T) {
	p := newPlace(t, nil)
	path, text := filepath.Join(p.cwd, "new/f.txt"), "a\nb\n"
	got := p.ask(t, "create", `{"path":"new/f.txt","file_text":"a\nb\n"}`)
	want := &permit.Request{
		Kind: permit.Write, Tool: "create", Intention: "Create file: " + path, Path: permit.Path{Name: path, Real: path},
		Diff: "--- /dev/null\n+++ b/new/f.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n", Contents: &text,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if entries, err := os.ReadDir(p.cwd); err != nil || len(entries) > 0 {
		t.Errorf("asking made %v (%v)", entries, err)
	}
}

func TestEditKeepsTheMode(t *testing.T) {
	p := newPlace(t, map[string]string{"f": "a"})
	path := filepath.Join(p.cwd, "f")
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o666} {
		os.WriteFile(path, []byte("a"), 0)
		os.Chmod(path, mode)
		r := p.run(t, "edit", `{"path":"f","old_str":"a","new_str":"b"}`)
		if info, err := os.Stat(path); err != nil || info.Mode() != mode || r.Outcome != tool.Success {
			t.Errorf("%s, the mode is %v (%v), want %v", r.Text, info.Mode(), err, mode)
		}
	}
	os.Chmod(path, 0o444)
	r := p.run(t, "edit", `{"path":"f","old_str":"b","new_str":"c"}`)
	if want := "${workdir}/f is read-only (mode -r--r--r--); it was left as it is"; r.Outcome != tool.Failure || p.out(r.Text) != want {
		t.Errorf("%s: %s", r.Outcome, r.Text)
	}
	onlyHolds(t, p, "f")
}

func onlyHolds(t *testing.T, p place, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(p.cwd)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(names, got); err != nil || diff != "" {
		t.Errorf("the folder (%v):\n%s", err, diff)
	}
}

func TestCreate(t *testing.T) {
	for _, tc := range []struct{ name, path, text, want string }{
		{"in new folders", "a/b/c.txt", "x\n", "Created file ${workdir}/a/b/c.txt with 2 characters"},
		{"empty", "new", "", "Created file ${workdir}/new with 0 characters"},
		{"characters are UTF-16 units", "new", "é😀", "Created file ${workdir}/new with 3 characters"},
		{"over a file", "file", "x", "${workdir}/file exists already; nothing was written. Use view to read it and edit to change it, or choose another path."},
		{"over a folder", "folder", "x", "${workdir}/folder is a folder; nothing was created. Choose another path."},
		{"below a file", "file/x", "x", "Nothing was created. ${workdir}/file/x: a part of the path is a file, not a folder, or was removed just now"},
		{"through a dangling link", "dangling", "x", "Created file ${workdir}/dangling with 1 characters"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"file": "old", "folder/": ""})
			os.Symlink("target/new", filepath.Join(p.cwd, "dangling"))
			call := jsonOf(t, map[string]any{"path": tc.path, "file_text": tc.text})
			q, r := p.ask(t, "create", call), p.run(t, "create", call)
			if got := p.out(r.Text); got != tc.want {
				t.Errorf("the model reads\n%s\nwant\n%s", got, tc.want)
			}
			if p.read(t, "file") != "old" {
				t.Error("the old file was changed")
			}
			for _, dir := range []string{".", "a/b", "target"} {
				if left, _ := filepath.Glob(filepath.Join(p.cwd, dir, ".sidestick-*")); left != nil {
					t.Errorf("%v is left", left)
				}
			}
			if wrote := r.Outcome == tool.Success; wrote != (len(r.Edits) == 1) || wrote && r.Edits[0] != (wire.FileEdit{Kind: "create", Path: q.Path.Real}) {
				t.Errorf("it says that it has changed %+v", r.Edits)
			}
			switch {
			case r.Outcome == tool.Success && (p.read(t, tc.path) != tc.text || q.Kind != permit.Write):
				t.Errorf("asked to %s, it holds %q", q.Kind, p.read(t, tc.path))
			case r.Outcome == tool.Success && tc.name == "through a dangling link" && q.Path.Real != filepath.Join(p.cwd, "target/new"):
				t.Errorf("asked for %+v", q.Path)
			case strings.HasPrefix(tc.name, "over") && q.Kind != permit.Read:
				t.Errorf("asked to %s for nothing", q.Kind)
			}
		})
	}
}

// Changes of one file that are asked for at once are all made.
func TestParallelEditsLoseNothing(t *testing.T) {
	p := newPlace(t, map[string]string{"f": "<0><1><2><3><4><5><6><7>"})
	edit := p.tool(t, "edit")
	var calls []tool.Call
	for i := range 8 {
		old := "<" + string(rune('0'+i)) + ">"
		c := p.call(t, "edit", jsonOf(t, map[string]any{"path": "f", "old_str": old, "new_str": "x"}))
		c.Permitted, _ = edit.Request(t.Context(), c)
		calls = append(calls, c)
	}
	var all sync.WaitGroup
	for _, c := range calls {
		all.Go(func() {
			if r := edit.Run(t.Context(), c); r.Outcome != tool.Success {
				t.Error(r.Text)
			}
		})
	}
	all.Wait()
	if got := p.read(t, "f"); got != "xxxxxxxx" {
		t.Errorf("the file holds %q", got)
	}
	onlyHolds(t, p, "f")
}

// The file may change between the question and the edit.
func TestEditAfterAChange(t *testing.T) {
	const args = `{"path":"f","old_str":"b","new_str":"x"}`
	for _, tc := range []struct{ name, first, then, want, text string }{
		{"elsewhere in the file", "a b", "b z", "x z", "File ${workdir}/f updated with changes."},
		{"a doomed one that would work now", "a", "b", "b", "${workdir}/f changed while permission was asked for: old_str occurs once now. Nothing was written; call edit again."},
		{"a good one that is doomed now", "b", "bb", "bb", "${workdir}/f: old_str occurs 2 times, at lines 1, 1; nothing was changed. Add lines around the one that you mean, so that it occurs once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"f": tc.first})
			c := p.call(t, "edit", args)
			c.Permitted = p.ask(t, "edit", args)
			put(t, filepath.Join(p.cwd, "f"), tc.then, false)
			r := p.tool(t, "edit").Run(t.Context(), c)
			if got := p.read(t, "f"); got != tc.want || p.out(r.Text) != tc.text {
				t.Errorf("it holds %q, want %q; the model reads\n%s\nwant\n%s", got, tc.want, p.out(r.Text), tc.text)
			}
		})
	}
}

// A link stays one: what it leads to is changed.
func TestEditThroughALink(t *testing.T) {
	p := newPlace(t, map[string]string{"dir/f": "a"})
	must(t, os.Symlink("dir/f", filepath.Join(p.cwd, "link")))
	r := p.run(t, "edit", `{"path":"link","old_str":"a","new_str":"b"}`)
	if to, err := os.Readlink(filepath.Join(p.cwd, "link")); err != nil || to != "dir/f" || p.read(t, "dir/f") != "b" {
		t.Errorf("%s; the link leads to %q (%v), the file holds %q", r.Text, to, err, p.read(t, "dir/f"))
	}
}
