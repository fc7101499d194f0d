//go:build linux

package sandbox_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// required is the variable that turns a missing sandbox from a skipped test into a failure.
const required = "SIDESTICK_SANDBOX_TEST"

// host returns a host on which sandboxes of a mode work, or skips the test.
func host(t *testing.T, mode sandbox.Mode, opts sandbox.Options) *sandbox.Host {
	t.Helper()
	opts.State = t.TempDir()
	h := sandbox.NewHost(opts)
	if s := h.Support(); !s.Has(mode) {
		if os.Getenv(required) == "required" {
			t.Fatalf("no sandbox: %+v", s.Parts)
		}
		t.Skipf("no sandbox of the mode %s works here: %s", mode, s.Why(mode))
	}
	return h
}

// bash runs a command in a sandbox, and returns its output and exit status.
func bash(t *testing.T, b *sandbox.Boxes, p sandbox.Policy, command string) (string, int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	proc, err := b.Start(p, sandbox.Spec{
		Path: "/bin/bash", Args: []string{"bash", "-c", command}, Dir: p.Folders[0],
		Env: p.Environ(os.Environ()), Files: []*os.File{null, w, w},
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), proc.Wait()
}

func TestCommandsRunInside(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("hunter2hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	out, code := bash(t, b, p, "echo hello > a.txt; cat a.txt; cat "+secret+"; echo $HOME $TMPDIR; ls -la $HOME /tmp; id; ps ax")
	t.Logf("%d\n%s", code, out)
	if !strings.HasPrefix(out, "hello\n") || strings.Contains(out, "hunter2") {
		t.Errorf("%s", out)
	}
}

func TestLandlock(t *testing.T) {
	h := host(t, sandbox.ReadOnly, sandbox.Options{Bwrap: "-"})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("hunter2hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
	out, code := bash(t, b, p, "echo hello > a.txt; echo b > $TMPDIR/b; cat $TMPDIR/b; cat "+secret+"; echo $HOME $TMPDIR; ls -la $HOME /tmp; id; ps ax; ls /etc | head -3; cat /etc/shadow; cat /proc/$PPID/environ; git --version; go version; python3 --version; node --version")
	t.Logf("%d\n%s", code, out)
}

// Commands that may write to .git can neither change what makes git run programs, nor put
// another .git in its place.
func TestGitMayWriteButNotItsSettings(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", work).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true}
	const commit = `echo a > a && git add a && git -c user.name=u -c user.email=u@example.com commit -qm first && git log --format=%s`
	if out, code := bash(t, b, p, commit); out != "first\n" || code != 0 {
		t.Errorf("%d: %s", code, out)
	}
	for _, attack := range []string{
		"git config core.pager ./x", "echo x >> .git/config", "echo x > .git/hooks/post-commit", "mv .git x", "rm -rf .git/hooks", "mv .git/hooks x",
		"rm -rf .git; mkdir .git && echo x > .git/config",
	} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("%s worked: %s", attack, out)
		}
	}
	p.Git = false
	for _, attack := range []string{"touch .git/x", "mv .git x", "git commit -qm x --allow-empty"} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("without Git %s worked: %s", attack, out)
		}
	}
}

// A protected file cannot be written, and neither can a folder above it be moved away so that
// another one takes its place.
func TestProtectedFiles(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work := t.TempDir()
	for _, name := range []string{".vscode/settings.json", "a/b/.cargo/config.toml", ".envrc", "a/.git/config"} {
		file := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("old"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, ProtectNames: []string{".vscode", ".envrc", ".cargo/config.toml"}}
	for _, attack := range []string{
		"echo x > .vscode/settings.json", "echo x > .envrc", "rm .envrc", "mv .envrc x", "ln -sf x .envrc", "mv .vscode x", "mv a x", "mv a/b x", "mv a/b/.cargo x",
		"rm -rf a/b/.cargo/config.toml", "echo x > a/.git/config", "mv a/.git x", "touch .vscode/tasks.json",
	} {
		if out, _ := bash(t, b, p, "("+attack+") && echo DONE"); strings.Contains(out, "DONE") {
			t.Errorf("%s worked: %s", attack, out)
		}
	}
	if out, code := bash(t, b, p, "echo x > a/new && mkdir a/b/c && mv a/new a/b/c/ && cat .envrc"); code != 0 || out != "old" {
		t.Errorf("beside them: %d, %s", code, out)
	}
}
