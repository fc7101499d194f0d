package effects_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const evil = "[core]\n\tfsmonitor = ./evil\n"

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A file .git names the repository, and a repository may name another one for its
// settings.
func TestRepositoriesBehindFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		file  string
		asked bool
	}{
		"a repository beside it":          {"gitdir: ../plain/.git\n", false},
		"a path in the folder":            {"gitdir: evil", true},
		"an absolute path":                {"gitdir: TOP/evil/.git\n", true},
		"a link, and up":                  {"gitdir: ../link/../evil/.git\n", true},
		"nothing":                         {"gitdir: ../none\n", true},
		"no name":                         {"gitdir:\n", true},
		"two lines":                       {"gitdir: ../plain/.git\n../evil/.git\n", true},
		"another word":                    {"gitdir ../plain/.git\n", true},
		"a worktree":                      {"gitdir: ../plain/.git/worktrees/a\n", false},
		"a worktree with own settings":    {"gitdir: ../plain/.git/worktrees/b\n", true},
		"a worktree of another one":       {"gitdir: ../plain/.git/worktrees/c\n", true},
		"a worktree that names no folder": {"gitdir: ../plain/.git/worktrees/d\n", true},
	} {
		top := t.TempDir()
		plain := filepath.Join(top, "plain/.git")
		repository(t, plain, "")
		repository(t, filepath.Join(top, "evil/.git"), evil)
		repository(t, filepath.Join(top, "w/evil"), evil)
		if err := os.MkdirAll(filepath.Join(top, "deep/er"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("deep/er", filepath.Join(top, "link")); err != nil {
			t.Fatal(err)
		}
		repository(t, filepath.Join(top, "deep/evil/.git"), evil)
		for tree, common := range map[string]string{"a": "../..", "b": "../..", "c": "../../../../evil/.git", "d": "none"} {
			write(t, filepath.Join(plain, "worktrees", tree, "HEAD"), "ref: refs/heads/a\n")
			write(t, filepath.Join(plain, "worktrees", tree, "commondir"), common+"\n")
		}
		write(t, filepath.Join(plain, "worktrees/b/config.worktree"), evil)
		text := tc.file
		if name == "an absolute path" {
			text = "gitdir: " + top + "/evil/.git\n"
		}
		write(t, filepath.Join(top, "w/.git"), text)
		expect(t, name, "git status", filepath.Join(top, "w"), tc.asked)
	}
}

// git passes over a .git that is not a repository, and takes the one around it.
func TestFoldersThatLookLikeRepositories(t *testing.T) {
	for name, head := range map[string]string{"another text": "x\n", "no branch": "ref: heads/main\n", "a short name": "abcdef\n", "empty": ""} {
		top := t.TempDir()
		repository(t, filepath.Join(top, ".git"), evil)
		repository(t, filepath.Join(top, "sub/.git"), "")
		expect(t, "a HEAD", "git status", filepath.Join(top, "sub"), false)
		write(t, filepath.Join(top, "sub/.git/HEAD"), head)
		expect(t, "HEAD: "+name, "git status", filepath.Join(top, "sub"), true)
	}
	top := t.TempDir()
	repository(t, filepath.Join(top, ".git"), evil)
	if err := os.MkdirAll(filepath.Join(top, "sub/.git"), 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, "an empty .git", "git status", filepath.Join(top, "sub"), true)
}

// git status and git diff run git in the submodules that the index names.
func TestSubmodulesWhoseSettingsRunPrograms(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Log("there is no git to write an index with")
		return
	}
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			top, object := t.TempDir(), "1111111111111111111111111111111111111111"
			if format == "sha256" {
				object += "111111111111111111111111"
			}
			in := func(dir string, args ...string) {
				t.Helper()
				cmd := exec.Command(git, append([]string{"-C", dir}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %q: %v\n%s", args, err, out)
				}
			}
			in(top, "init", "-q", "--object-format="+format)
			for i := range 30 {
				write(t, filepath.Join(top, "d", "file"+strconv.Itoa(i)), "")
			}
			in(top, "add", ".")
			if version == "3" {
				write(t, filepath.Join(top, "later"), "")
				in(top, "add", "-N", "later")
			}
			for _, name := range []string{"aa", "d/sub", "d/submodule", "z"} {
				in(top, "update-index", "--add", "--cacheinfo", "160000,"+object+","+name)
			}
			if version != "3" { // git itself chooses 3 if an entry needs it
				in(top, "update-index", "--index-version", version)
			}
			expect(t, "no submodule is there", "git status", top, false)
			repository(t, filepath.Join(top, "d/other/.git"), evil)
			repository(t, filepath.Join(top, "aa/.git"), "")
			expect(t, "harmless, and another repository", "git status", top, false)
			repository(t, filepath.Join(top, ".git/modules/z"), "[core]\n\tworktree = ../../../z\n")
			write(t, filepath.Join(top, "z/.git"), "gitdir: ../.git/modules/z\n")
			expect(t, "a submodule as git makes it", "git diff", top, false)
			repository(t, filepath.Join(top, "d/submodule/.git"), evil)
			expect(t, format+" index "+version, "git status", top, true)
		}
	}
}

// An index that is split or damaged may hide a submodule.
func TestAnIndexThatIsNotUnderstood(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "another format": "DIRC\x00\x00\x00\x05\x00\x00\x00\x00" + string(make([]byte, 20)), "cut off": "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + string(make([]byte, 60)), "too many parts": "DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("TREE\x00\x00\x00\x00", 65) + string(make([]byte, 20)), "split": "DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x00" + string(make([]byte, 20))} {
		top := t.TempDir()
		repository(t, filepath.Join(top, ".git"), "")
		expect(t, "without an index", "git status", top, false)
		write(t, filepath.Join(top, ".git/index"), text)
		expect(t, name, "git status", top, true)
	}
}

// A repository outside the allowed folders is asked about, also if a file in them leads to it.
func TestRepositoriesOutside(t *testing.T) {
	for name, tc := range map[string]struct{ file, common string }{
		"a file .git":       {"gitdir: TOP/far/.git\n", ""},
		"a file .git, up":   {"gitdir: ../../far/.git\n", ""},
		"the shared folder": {"gitdir: own\n", "../../../far/.git\n"},
	} {
		top := t.TempDir()
		repository(t, filepath.Join(top, "far/.git"), "")
		work := filepath.Join(top, "a/w")
		repository(t, filepath.Join(work, "own"), "")
		if tc.common != "" {
			write(t, filepath.Join(work, "own/commondir"), tc.common)
		}
		write(t, filepath.Join(work, ".git"), strings.ReplaceAll(tc.file, "TOP", top))
		expect(t, name, "git log", work, true)
		expect(t, name, "git cat-file -p HEAD", work, true)
		expect(t, name, "ls", work, false)
	}
}

// A linked worktree needs no question: its repository, which is elsewhere, names it. What names another folder, or none,
// may have been made here.
func TestALinkedWorktreeIsKnownToItsRepository(t *testing.T) {
	for name, tc := range map[string]struct {
		gitdir string
		asks   bool
	}{
		"named":             {"TOP/a/w/.git\n", false},
		"another is named":  {"TOP/a/other/.git\n", true},
		"none is named":     {"", true},
		"named relatively":  {"../../../../a/w/.git\n", true},
		"something is more": {"TOP/a/w/.git\nx\n", true},
	} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		own := filepath.Join(top, "far/.git/worktrees/w")
		repository(t, filepath.Join(top, "far/.git"), "")
		write(t, filepath.Join(own, "HEAD"), "ref: refs/heads/w\n")
		write(t, filepath.Join(own, "commondir"), "../..\n")
		if tc.gitdir != "" {
			write(t, filepath.Join(own, "gitdir"), strings.ReplaceAll(tc.gitdir, "TOP", top))
		}
		write(t, filepath.Join(top, "a/w/.git"), "gitdir: "+own+"\n")
		expect(t, name, "git status", filepath.Join(top, "a/w"), tc.asks)
	}
}

// git never makes its own files symbolic links. Such a link shows git a file elsewhere.
func TestFilesOfGitThatAreLinks(t *testing.T) {
	for _, name := range []string{"HEAD", "config", "packed-refs", "info/exclude", "info/attributes", "info", "objects", "refs", "index"} {
		top := t.TempDir()
		git := filepath.Join(top, ".git")
		repository(t, git, "")
		expect(t, "before", "git status", top, false)
		if _, err := os.Lstat(filepath.Join(git, name)); err == nil {
			if err := os.Rename(filepath.Join(git, name), filepath.Join(top, "moved")); err != nil {
				t.Fatal(err)
			}
		} else if err := os.MkdirAll(filepath.Dir(filepath.Join(git, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(top, "moved"), filepath.Join(git, name)); err != nil {
			t.Fatal(err)
		}
		expect(t, name, "git status", top, true)
	}
}
