package effects_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// gitTree makes files in a new folder: "name=text".
func gitTree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, text, _ := strings.Cut(file, "=")
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestARepositoryThatRunsPrograms(t *testing.T) {
	bare := []string{"HEAD=ref: refs/heads/main\n", "objects/x=", "refs/x=", "hooks/a.sample="}
	for name, row := range map[string]struct {
		more []string
		why  string
	}{
		"bare":                        {[]string{"config=[core]\nbare = true\n"}, ""},
		"no settings":                 {nil, ""},
		"fsmonitor":                   {[]string{"config=[core]\nfsmonitor = ./x\n"}, "core.fsmonitor"},
		"include":                     {[]string{"config=[include]\npath = x\n"}, "include.path"},
		"a hook":                      {[]string{"hooks/pre-commit="}, "the hook pre-commit"},
		"hooks":                       {[]string{"config=[core]\nhooksPath = h\n", "h/post-checkout="}, "the hook post-checkout"},
		"unreadable":                  {[]string{"config=[core\n"}, "not understood"},
		"worktree":                    {[]string{"config=[core]\nworktree = ..\n"}, "core.worktree"},
		"an alias":                    {[]string{"config=[alias]\nst = !evil\n"}, "alias.st"},
		"hooks of the asking process": {[]string{"config=[core]\nhooksPath = /proc/self/cwd/h\n"}, "not certain where the hooks"},
		"other common":                {[]string{"commondir=x"}, "elsewhere"},
	} {
		dir := gitTree(t, append(slices.Clone(bare), row.more...)...)
		got := effects.RepositoryRuns(filepath.Join(dir, "HEAD"))
		if (got == "") != (row.why == "") || !strings.Contains(got, row.why) {
			t.Errorf("%s: %q, want %q", name, got, row.why)
		}
	}
}

func TestWhatTheSettingsOfGitName(t *testing.T) {
	dir := gitTree(t, ".git/HEAD=ref: refs/heads/main\n", ".git/objects/x=", ".git/refs/x=",
		".git/config=[core]\nhooksPath = scripts/hooks\n[filter \"x\"]\nclean = bash ./tools/clean.sh %f\n[user]\nname = other\n[include]\npath = ../conf/shared\n[diff]\nexternal = /usr/bin/env missing.sh\n",
		"scripts/hooks/pre-commit=", "tools/clean.sh=", "tools/watch=", "other=", "sub/x=")
	home := gitTree(t, ".gitconfig=[core]\nhooksPath = .githooks\n[include]\npath = other\n", ".config/git/config=[core\nfsmonitor = tools/watch\n")
	got := effects.NamedByGit(filepath.Join(dir, "sub"), home)
	want := []string{filepath.Join(dir, "scripts/hooks"), filepath.Join(dir, "tools/clean.sh"), filepath.Join(dir, "conf/shared"), filepath.Join(dir, "missing.sh"), filepath.Join(dir, ".githooks"), filepath.Join(dir, "tools/watch")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
