package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

func TestPresentFindsWhatACommandHasMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	if err := os.MkdirAll(filepath.Join(dir, ".vscode"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{dir}, ProtectNames: []string{".vscode", ".envrc", "*.code-workspace"}}
	if diff := cmp.Diff([]string{filepath.Join(dir, ".vscode")}, p.Present()); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.code-workspace"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := p.Present(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	p.Git = true
	nested := filepath.Join(dir, "sub", ".git")
	if err := os.MkdirAll(nested, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := p.Present(); !slices.Contains(got, nested) {
		t.Errorf("a nested repository: %q", got)
	}
}

func TestDisarmRenamesWhatGitWouldReadAtOnce(t *testing.T) {
	git := filepath.Join(t.TempDir(), ".git")
	for _, name := range []string{"commondir", "hooks/x"} {
		file := filepath.Join(git, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got := sandbox.Disarm([]string{filepath.Join(git, "commondir"), filepath.Join(git, "hooks")})
	if diff := cmp.Diff([]string{filepath.Join(git, "commondir.untrusted"), filepath.Join(git, "hooks")}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(git, "commondir")); err == nil {
		t.Error("it is still there")
	}
}
