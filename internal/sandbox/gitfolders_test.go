//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// layout writes files below a new folder. BASE in their text stands for it.
func layout(t *testing.T, files map[string]string) (base string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(os.Expand(text, func(string) string { return base })), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// A worktree brings the folder of its repository into a sandbox only if both name each other,
// and if it looks like one: otherwise a file in a project could bring in any repository.
func TestTheFolderOfAWorktree(t *testing.T) {
	for name, tc := range map[string]struct {
		work   string // the project
		shared string // the folder that must or must not be brought in
		files  map[string]string
		want   bool
	}{
		"a worktree": {"work", "repo/.git", map[string]string{
			"work/.git": "gitdir: $BASE/repo/.git/worktrees/work\n", "repo/.git/worktrees/work/gitdir": "$BASE/work/.git\n", "repo/.git/worktrees/work/commondir": "../..\n",
		}, true},
		"the worktree of another folder": {"work", "repo/.git", map[string]string{
			"work/.git": "gitdir: $BASE/repo/.git/worktrees/work\n", "repo/.git/worktrees/work/gitdir": "$BASE/other/.git\n", "repo/.git/worktrees/work/commondir": "../..\n", "other/.git": "",
		}, false},
		"a folder in the project that names another repository": {"work", "repo/.git", map[string]string{
			"work/.git": "gitdir: own\n", "work/own/gitdir": "$BASE/work/.git\n", "work/own/commondir": "$BASE/repo/.git\n",
		}, false},
		"a folder that is not a repository": {"work", "keys", map[string]string{
			"work/.git": "gitdir: $BASE/keys/worktrees/work\n", "keys/worktrees/work/gitdir": "$BASE/work/.git\n", "keys/worktrees/work/commondir": "../..\n",
		}, false},
		"a repository around the project": {"repo/.git/worktrees/work", "repo/.git", map[string]string{
			"repo/.git/worktrees/work/.git": "gitdir: .\n", "repo/.git/worktrees/work/gitdir": ".git\n", "repo/.git/worktrees/work/commondir": "../..\n",
		}, false},
	} {
		tc.files["repo/.git/HEAD"], tc.files["repo/.git/objects/x"], tc.files["repo/.git/refs/x"] = "", "", ""
		base := layout(t, tc.files)
		r, _ := repositoryOf(filepath.Join(base, tc.work))
		if got := slices.Contains(r.folders, filepath.Join(base, tc.shared)); got != tc.want {
			t.Errorf("%s: %q, want %s in it: %t", name, r.folders, tc.shared, tc.want)
		}
		for _, m := range r.mounts(true) {
			if m.access != readable {
				t.Errorf("%s: git may write to %s, where nothing protects what is missing", name, m.path)
			}
		}
	}
}

// A file that a sandbox covers, or would cover if it existed, is noticed when it is another one.
func TestCoversNoticeNewFiles(t *testing.T) {
	base := layout(t, map[string]string{"work/denied": "", "work/protected": ""})
	in := func(name string) string { return filepath.Join(base, "work", name) }
	for _, name := range []string{"denied", "protected", "denied later", "protected later"} {
		c := coversOf(Policy{Folders: []string{in("")}, Deny: []string{in("denied"), in("denied later")}, Protect: []string{in("protected"), in("protected later")}}, nil)
		if c.changed() {
			t.Fatalf("before %s was replaced", name)
		}
		if err := errors.Join(os.WriteFile(in("new"), nil, 0o644), os.Rename(in("new"), in(name))); err != nil {
			t.Fatal(err)
		}
		if !c.changed() {
			t.Errorf("%s was replaced", name)
		}
	}
}

// Protected files at the top of a folder are found, however many entries it has.
func TestTheTopOfALargeFolderIsProtected(t *testing.T) {
	base := layout(t, map[string]string{"work/.envrc": ""})
	m := &memory{entries: 500}
	for i := range 2 * m.entries {
		if err := os.WriteFile(filepath.Join(base, "work", fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := Policy{Folders: []string{filepath.Join(base, "work")}, ProtectNames: []string{".envrc"}}
	if got := p.protected(m); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
