//go:build linux

package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Wherever the folders of a session are, and whatever they are called, commands work in them and
// do not see the user's keys.
func TestLayouts(t *testing.T) {
	host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	for name, layout := range map[string]struct{ home, work string }{
		"beside the home":        {"home", "work"},
		"in the home":            {"home", "home/src/work"},
		"the home":               {"home", "home"},
		"above the home":         {"users/home", "users"},
		"no home":                {"missing", "work"},
		"a line break":           {"home", "wo\nrk"},
		"odd characters":         {"home", "w\x01 'x\"$(touch y)ü"},
		"like an option":         {"home", "--bind"},
		"patterns":               {"home", "w[a]*?{b}\\"},
		"a home with line break": {"ho\nme", "work"},
	} {
		for _, opts := range []sandbox.Options{{}, {Bwrap: "-"}} {
			t.Run(fmt.Sprintf("%s, bwrap %q", name, opts.Bwrap), func(t *testing.T) {
				t.Parallel()
				base, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				home, work := filepath.Join(base, layout.home), filepath.Join(base, layout.work)
				if err := errors.Join(os.MkdirAll(work, 0o755), os.MkdirAll(filepath.Join(base, "outside"), 0o755)); err != nil {
					t.Fatal(err)
				}
				secrets := []string{filepath.Join(base, "outside", "secret")}
				if layout.home != "missing" {
					secrets = append(secrets, filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, ".netrc"))
				}
				for _, s := range secrets {
					if err := errors.Join(os.MkdirAll(filepath.Dir(s), 0o700), os.WriteFile(s, []byte("hunter2"), 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				opts.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home}
				mode := sandbox.WorkspaceWrite
				if opts.Bwrap == "-" {
					mode = sandbox.ReadOnly
				}
				b := host(t, mode, opts).Boxes(filepath.Join(t.TempDir(), "session"))
				defer b.Close()
				script := `echo hello > f; cat f; echo x > "$HOME/x" && echo home; for s in "$@"; do cat "$s"; done; true`
				p := sandbox.Policy{Mode: mode, Folders: []string{work}}
				out, _, err := start(t, b, p, sandbox.Spec{
					Path: "/bin/bash", Args: append([]string{"bash", "-c", script, "bash"}, secrets...), Dir: work, Env: opts.Env[:1],
				})
				if err != nil || strings.Contains(string(out), "hunter2") || !strings.Contains(string(out), "home\n") {
					t.Errorf("%v\n%s", err, out)
				}
				if got := strings.HasPrefix(string(out), "hello\n"); got != (mode == sandbox.WorkspaceWrite) {
					t.Errorf("writing works: %t\n%s", got, out)
				}
			})
		}
	}
}

// A name that is not UTF-8 cannot be sent to a keeper, and is refused.
func TestANameThatIsNotText(t *testing.T) {
	work := filepath.Join(t.TempDir(), "w\xff")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []sandbox.Options{{}, {Bwrap: "-"}} {
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}
		if out, _, err := start(t, b, p, sandbox.Spec{Path: "/bin/true", Args: []string{"true"}, Dir: work}); err == nil || len(err.Error()) < 20 {
			t.Errorf("%q, %v", out, err)
		}
	}
}

// Folders that are inside each other, that are links, and files that are links lead nowhere else.
func TestLinksAndNestedFolders(t *testing.T) {
	b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, outside := filepath.Join(base, "work"), filepath.Join(base, "outside")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(work, "a", "b"), 0o755), os.Mkdir(outside, 0o755), os.WriteFile(filepath.Join(outside, "secret"), []byte("hunter2"), 0o600),
		os.Symlink(outside, filepath.Join(work, "link")), os.Symlink(filepath.Join(outside, "secret"), filepath.Join(work, "file")),
		os.Symlink(outside, filepath.Join(work, ".vscode")),
	); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Folders: []string{work, filepath.Join(work, "a", "b"), filepath.Join(work, "a")},
		Deny: []string{filepath.Join(outside, "secret"), filepath.Join(work, "nothing")}, ProtectNames: []string{".vscode"},
	}
	out, code := bash(t, b, p, "cat link/secret file .vscode/secret; echo x > link/new; echo x > file; echo x > a/b/c && cat a/b/c")
	if code != 0 || strings.Contains(out, "hunter2") || !strings.HasSuffix(out, "x\n") {
		t.Errorf("%d\n%s", code, out)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	if text, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(text) != "hunter2" {
		t.Errorf("%q, %v", text, err)
	}
}

// Many sandboxes, one after the other and replaced by others, leave nothing behind.
func TestManySandboxesLeaveNothing(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	before := goleak.IgnoreCurrent()
	files, children := count(t, "/proc/self/fd/*"), count(t, "/proc/self/task/*/children")
	b := h.Boxes(t.TempDir())
	for i := range 200 {
		p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{t.TempDir()}}
		if i%10 != 0 {
			p.Mode = sandbox.ReadOnly
		}
		if out, code := bash(t, b, p, "setsid sleep 100 >/dev/null 2>&1 & echo hello"); code != 0 || out != "hello\n" {
			t.Fatalf("%d, %s", code, out)
		}
	}
	b.Close()
	b.EndLooks()
	goleak.VerifyNone(t, before)
	if now := count(t, "/proc/self/fd/*"); now > files {
		t.Errorf("%d descriptors, and %d before", now, files)
	}
	if now := count(t, "/proc/self/task/*/children"); now > children+20 { // threads are kept
		t.Errorf("%d threads, and %d before", now, children)
	}
	for _, file := range glob(t, "/proc/self/task/*/children") {
		if text, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(text)) != "" {
			t.Errorf("processes are left: %s", text)
		}
	}
}

func count(t *testing.T, pattern string) int { return len(glob(t, pattern)) }

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}
