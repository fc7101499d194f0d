package discovery

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestLocate(t *testing.T) {
	disk := vfs.NewMem()
	write := func(name, text string) {
		t.Helper()
		dir := name[:strings.LastIndex(name, "/")]
		if err := disk.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("/repo/.git/HEAD", "ref: refs/heads/feature/x\n")
	write("/repo/.git/config", "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://h/other/fork\n[remote \"origin\"]\n\turl = git@github.com:octo/cat.git\n\tfetch = x\n")
	write("/repo/sub/dir/file", "")
	write("/detached/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	write("/tree/.git", "gitdir: /repo/.git/worktrees/tree\n")
	write("/repo/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n")
	write("/repo/.git/worktrees/tree/commondir", "../..\n")
	no := false
	f := NewFinder(Options{FS: disk, Cwd: "/repo"})
	for _, tc := range []struct {
		name string
		cfg  wire.Config
		want wire.SessionContext
	}{
		{"inside a repository", wire.Config{WorkingDirectory: "/repo/sub/dir"}, wire.SessionContext{Cwd: "/repo/sub/dir", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"a relative directory", wire.Config{WorkingDirectory: "sub"}, wire.SessionContext{Cwd: "/repo/sub", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"no directory named", wire.Config{}, wire.SessionContext{Cwd: "/repo", GitRoot: "/repo", Repository: "octo/cat", Branch: "feature/x"}},
		{"a worktree", wire.Config{WorkingDirectory: "/tree"}, wire.SessionContext{Cwd: "/tree", GitRoot: "/tree", Repository: "octo/cat", Branch: "other"}},
		{"a detached head", wire.Config{WorkingDirectory: "/detached"}, wire.SessionContext{Cwd: "/detached", GitRoot: "/detached"}},
		{"no repository", wire.Config{WorkingDirectory: "/elsewhere"}, wire.SessionContext{Cwd: "/elsewhere"}},
		{"git is not to be looked at", wire.Config{GitOperations: &no}, wire.SessionContext{Cwd: "/repo"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, f.Locate(tc.cfg, "/repo")); diff != "" {
				t.Errorf("Locate (-want +got):\n%s", diff)
			}
		})
	}
}

// A file of a repository with gigabytes, which takes no room on the disk, is not read.
func TestLocateDoesNotReadHugeFiles(t *testing.T) {
	for _, huge := range []string{"HEAD", "config", "commondir"} {
		t.Run(huge, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, ".git")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				"HEAD": "ref: refs/heads/main\n", "config": "[remote \"origin\"]\n\turl = git@github.com:octo/cat.git\n", "commondir": ".\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Truncate(filepath.Join(dir, huge), 64<<20); err != nil {
				t.Fatal(err)
			}
			want := wire.SessionContext{Cwd: root, GitRoot: root, Branch: "main", Repository: "octo/cat"}
			switch huge {
			case "HEAD":
				want.Branch = ""
			case "config":
				want.Repository = ""
			}
			f := NewFinder(Options{FS: vfs.OS{}, Cwd: root})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := f.Locate(wire.Config{}, root)
			runtime.ReadMemStats(&after)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Locate (-want +got):\n%s", diff)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
				t.Errorf("Locate used %d MiB", used>>20)
			}
		})
	}
}

func TestOwnerAndName(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/octo/cat.git": "octo/cat", "git@github.com:octo/cat.git": "octo/cat", "ssh://git@host:22/octo/cat": "octo/cat",
		"https://host/deep/group/octo/cat/": "octo/cat", "/srv/git/cat.git": "", "cat": "", "": "", "https://host": "", "host:cat": "",
	} {
		if got := ownerAndName(url); got != want {
			t.Errorf("ownerAndName(%q) = %q, want %q", url, got, want)
		}
	}
}
