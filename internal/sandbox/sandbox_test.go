//go:build linux

package sandbox_test

import (
	"io"
	"os"
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
