package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

func TestTheEnvironmentIsAListOfNames(t *testing.T) {
	from := []string{
		"PATH=/bin", "CI_JOB_TOKEN=x", "LC_ALL=C", "SECRET=x", "OPENAI_API_KEY=sk", "GOPROXY=https://u:p@proxy.example", "GOFLAGS=-mod=mod", "MINE=1",
		"SSH_AUTH_SOCK=/s", "LD_PRELOAD=/x.so", "GIT_SSH_COMMAND=x", "BASH_ENV=/x", "HOME=/home/u",
	}
	p := sandbox.Policy{Mode: sandbox.ReadOnly}
	got := p.Environ(from)
	want := []string{"PATH=/bin", "LC_ALL=C", "GOFLAGS=-mod=mod"}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(got, "SIDESTICK_IN_SANDBOX=read-only") || !slices.Contains(got, "SIDESTICK_SANDBOX_NETWORK=off") {
		t.Errorf("%q", got)
	}
}

// traces returns the paths that a look finds, below a folder.
func traces(p sandbox.Policy) (names []string) {
	all, _ := p.Look()
	for path := range all {
		names = append(names, strings.TrimPrefix(path, p.Folders[0]+"/"))
	}
	slices.Sort(names)
	return names
}

func TestALookFindsWhatActs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".vscode", ".envrc", "*.code-workspace", ".config/git"}}
	for _, name := range []string{
		".vscode/x", ".git/HEAD", ".git/hooks/x", "x.code-workspace", "deep/a/.ENVRC", "sub/.git/HEAD", "bare/HEAD", "bare/objects/x", "bare/refs/x", "half/HEAD", "half/objects/x",
		"node_modules/a/.git/HEAD", "node_modules/a/.envrc", "worktree/HEAD", "worktree/commondir", "dots/git/x", "package.json",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{".envrc": "x", "link": "bare", "sub/.vscode": "../deep", ".config": "dots", "deep/.git": "../bare"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		".config", ".envrc", ".git", ".git/hooks", ".vscode", "bare/HEAD", "deep", "deep/.git", "deep/a/.ENVRC", "dots/git", "node_modules/a/.envrc", "node_modules/a/.git", "sub/.git", "sub/.vscode",
		"worktree/HEAD", "x.code-workspace",
	}
	if diff := cmp.Diff(want, traces(p)); diff != "" {
		t.Error(diff)
	}
	all, builds := p.Look()
	if to := all[filepath.Join(dir, ".envrc")].Link; to != "x" {
		t.Errorf("the link leads to %q", to)
	}
	if len(builds) != 1 {
		t.Errorf("files of builds: %v", builds)
	}
	if !p.Acts(filepath.Join(dir, ".config")) {
		t.Error("a link to a folder with git in it does not act as .config")
	}
	if err := os.RemoveAll(filepath.Join(dir, "dots/git")); err != nil {
		t.Fatal(err)
	}
	if p.Acts(filepath.Join(dir, ".config")) {
		t.Error("a link to a folder without a protected name acts")
	}
}
