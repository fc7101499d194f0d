package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
)

// The arguments of bwrap for a project with everything that is treated specially.
func TestArgumentsOfBwrap(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{
		"home/.ssh/id_rsa", "home/go/bin/tool", "work/.git/config", "work/.git/hooks/x", "work/.git/HEAD", "work/sub/.git/config", "work/.vscode/settings.json",
		"work/a/.cargo/config.toml", "work/.envrc", "work/secret/key", "extra/file", "data/file", "work/state/log", "other/file", "work/b/.EnvRC",
	} {
		file := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(base, name))
		}
		return paths
	}
	read := Policy{
		Mode: ReadOnly, Folders: in("work", "extra"), Read: in("data"), Write: in("data", "other"), Deny: in("work/secret"),
		ProtectNames: []string{".vscode", ".envrc", ".cargo/config.toml"},
	}
	write, git := read, read
	write.Mode, git.Mode, git.Git = WorkspaceWrite, WorkspaceWrite, true
	home := read
	home.Folders = in("home")
	m := machine{program: filepath.Join(base, "sidestick"), home: filepath.Join(base, "home"), env: []string{"PATH=" + filepath.Join(base, "home", "go", "bin")}, hide: in("work/state")}
	r := rooms{home: filepath.Join(base, "rooms", "home"), tmp: filepath.Join(base, "rooms", "tmp"), own: filepath.Join(base, "rooms", "own"), git: filepath.Join(base, "rooms", "git")}
	onlyReads := read
	onlyReads.Git = true // it has no effect
	for name, p := range map[string]Policy{"read-only": onlyReads, "workspace-write": write, "git": git, "home": home} {
		mounts, _, inside, err := m.plan(p, r)
		if err != nil {
			t.Fatal(err)
		}
		// The golden file leaves out the folders that only this machine has.
		mounts = slices.DeleteFunc(mounts, func(m mount) bool { return !within(base, m.source()) && !within(base, m.path) })
		args := strings.Join(bwrapArgs(mounts, nil, isFolder), "\n")
		got := strings.NewReplacer(base, "/b", "\n--", "\n--", "\n", " ").Replace(strings.ReplaceAll(args, "\n--", "\x00--"))
		got = strings.ReplaceAll(got, "\x00", "\n") + "\nhome: " + strings.ReplaceAll(inside, base, "/b") + "\n"
		golden.File(t, filepath.Join("testdata", "bwrap", name+".txt"), got)
	}
}

// A private folder replaces what the machine has at its path, and of two other mounts the
// stricter one counts.
func TestOfTwoMountsAtOnePath(t *testing.T) {
	private, open, strict := mount{path: "/tmp", from: "/rooms/tmp", access: writable}, mount{path: "/tmp", access: writable}, mount{path: "/tmp", access: readable}
	for _, tc := range []struct{ mounts, want []mount }{
		{[]mount{open, private}, []mount{private}},
		{[]mount{private, strict}, []mount{private}},
		{[]mount{open, strict}, []mount{strict}},
	} {
		if got := inOrder(slices.Clone(tc.mounts)); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %+v, want %+v", tc.mounts, got, tc.want)
		}
	}
}

// FuzzPlan makes folders, links and files of any names, and checks for every policy what must
// hold: what is hidden or protected stays so, nothing outside of the policy can be written, and
// no path is taken for an option.
func FuzzPlan(f *testing.F) {
	for _, seed := range []string{"work\x00work/.git\x00work/a/.vscode", "w\nx\x00-\x00--bind", "a\x00a/b\x00a/b/c\x00a>out", "\xff\x00 \x00..\x00.", "home\x00home/src\x00home/.ssh", "w\x00w/a\x00w/a/b/c\x00w/a/b/c/.vscode"} {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i, name := range strings.SplitN(text, "\x00", 10) {
			name, end, link := strings.Cut(name, ">")
			path := filepath.Join(base, filepath.Join("/", name))
			if link {
				_ = os.Symlink(filepath.Join(base, filepath.Join("/", end)), path) // it may exist
			} else if os.MkdirAll(path, 0o755) != nil {
				continue
			}
			if real, err := filepath.EvalSymlinks(path); err == nil && (i == 0 || within(base, real)) {
				paths = append(paths, real)
			}
		}
		if len(paths) == 0 {
			return
		}
		third := (len(paths) + 2) / 3
		p := Policy{Mode: ReadOnly, Folders: paths[:third], Deny: paths[min(len(paths), 2*third):], Git: kind&2 > 0, ProtectNames: []string{".vscode", "*.x"}}
		if len(paths) > third {
			p.Protect = paths[third:min(len(paths), 2*third)]
		}
		if kind&1 > 0 {
			p.Mode = WorkspaceWrite
		}
		checkPlan(t, base, p)
	})
}

func checkPlan(t *testing.T, base string, p Policy) {
	t.Helper()
	room := func(name string) string { return filepath.Join("/rooms", name) }
	r := rooms{home: room("home"), tmp: room("tmp"), own: room("own"), git: room("git")}
	m := machine{program: "/rooms/program", home: filepath.Join(base, "home"), env: []string{"PATH=/usr/bin"}}
	mounts, links, _, err := m.plan(p, r)
	if err != nil {
		return
	}
	for i, m := range mounts {
		if !filepath.IsAbs(m.path) || !filepath.IsAbs(m.source()) || filepath.Clean(m.path) != m.path {
			t.Errorf("%+v is not an absolute, clean path", m)
		}
		if i > 0 && within(m.path, mounts[i-1].path) && m.path != mounts[i-1].path {
			t.Errorf("%q comes after %q, which is in it", m.path, mounts[i-1].path)
		}
		allowed := slices.ContainsFunc(p.Folders, func(f string) bool {
			repository, ok := repositoryOf(f)
			return within(f, m.path) || p.Git && ok && slices.Contains(repository.folders, m.path)
		})
		if m.access == writable && m.from == "" && m.path != r.own && (!p.writes() || !allowed) {
			t.Errorf("%+v is writable", m)
		}
		for _, path := range p.Protect {
			if m.access == writable && m.from == "" && m.path != r.own && within(path, m.path) && !slices.Contains(p.Folders, path) {
				t.Errorf("%+v is writable in %q", m, path)
			}
		}
	}
	for _, path := range slices.Concat(p.Deny, p.Protect) {
		if h, ok := holder(mounts, path); ok && exists(path) && h.access == writable && h.from == "" {
			t.Errorf("%q can be written: %+v", path, h)
		}
	}
	for _, path := range p.Deny {
		if h, ok := holder(mounts, path); ok && exists(path) && h.access != hidden && h.from == "" {
			t.Errorf("%q can be read: %+v", path, h)
		}
	}
	if args := bwrapArgs(mounts, links, isFolder); slices.Contains(args, "") {
		t.Errorf("an argument is empty: %q", args)
	}
}
