//go:build linux

package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// refuses checks that no program starts in a sandbox of a mode: there is an error with words,
// and nothing has run.
func refuses(t *testing.T, h *sandbox.Host, mode sandbox.Mode) {
	t.Helper()
	work := t.TempDir()
	b := h.Boxes(t.TempDir())
	defer b.Close()
	p := sandbox.Policy{Mode: mode, Folders: []string{work}}
	out, _, err := start(t, b, p, sandbox.Spec{Path: "/bin/bash", Args: []string{"bash", "-c", "echo ran > ran; echo ran"}, Dir: work, Env: []string{"PATH=/usr/bin:/bin"}})
	if err == nil || len(err.Error()) < 20 || fault.KindOf(err) == fault.Internal {
		t.Errorf("%s: %v", mode, err)
	}
	if _, ran := os.Stat(filepath.Join(work, "ran")); ran == nil || strings.Contains(string(out), "ran") {
		t.Errorf("%s: the command ran: %s", mode, out)
	}
	if s := h.Support(); s.Has(mode) || s.Why(mode) == "" {
		t.Errorf("%s: Has() = %t, Why() = %q", mode, s.Has(mode), s.Why(mode))
	}
}

// fakeBwrap writes a program that is taken for bwrap.
func fakeBwrap(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A bwrap that does not do what it should is found out by the probe: nothing runs bare.
func TestBwrapThatDoesNotWork(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":                     "exec sleep 60",
		"exits with 1":              "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
		"exits with 0":              "exit 0",
		"prints garbage":            "head -c 100000 /dev/urandom; head -c 100 /dev/urandom >&2; exit 3",
		"sends garbage":             "head -c 1000 /dev/urandom >&3; sleep 1",
		"sends a huge length":       `printf '\377\377\377\377' >&3; sleep 1`,
		"confines nothing":          `while [ "$1" != -- ]; do [ "$3" = /run/sidestick ] && program=$2; shift; done; exec "$program" "${@:3}"`,
		"confines nothing but /tmp": `while [ "$1" != -- ]; do [ "$3" = /run/sidestick ] && program=$2; shift; done; exec unshare -n "$program" "${@:3}"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sandbox.NewHost(sandbox.Options{State: t.TempDir(), Bwrap: fakeBwrap(t, script), Landlock: -1})
			refuses(t, h, sandbox.ReadOnly)
			refuses(t, h, sandbox.WorkspaceWrite)
		})
	}
}

// A bwrap that answers in the place of the keeper runs nothing, and what it is asked to start
// ends in an error.
func TestBwrapThatLies(t *testing.T) {
	h := sandbox.NewHost(sandbox.Options{State: t.TempDir(), Bwrap: fakeBwrap(t, `printf '\0\0\0\010{"id":0}' >&3; sleep .2`), Landlock: -1})
	b := h.Boxes(t.TempDir())
	defer b.Close()
	work := t.TempDir()
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	out, _, err := start(t, b, p, sandbox.Spec{Path: "/bin/bash", Args: []string{"bash", "-c", "echo ran > ran"}, Dir: work})
	if err == nil || len(err.Error()) < 20 {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(work, "ran")); err == nil {
		t.Error("the command ran")
	}
}

// If bwrap is killed, so are its commands, and the next one gets a new sandbox.
func TestBwrapThatDiesLater(t *testing.T) {
	h := host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	work := t.TempDir()
	// The name is that of the session's folder, so that only this bwrap is killed.
	temp := t.TempDir()
	b := h.Boxes(temp)
	defer b.Close()
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	running := launch(t, b, p, "touch running; echo running; sleep 60; touch alive")
	running.hear(t, "running\n")
	killBwrap(t, temp)
	if out, code := running.end(t); code != 137 {
		t.Errorf("%d, %s", code, out)
	}
	if out, code := bash(t, b, p, "ls"); code != 0 || out != "running\n" {
		t.Errorf("%d, %s", code, out)
	}
}

// killBwrap kills the processes of bwrap outside that have a text in their arguments.
func killBwrap(t *testing.T, text string) {
	t.Helper()
	killed := 0
	for _, name := range glob(t, "/proc/[0-9]*/cmdline") {
		line, err := os.ReadFile(name)
		program, arguments, _ := strings.Cut(string(line), "\x00")
		if err != nil || filepath.Base(program) != "bwrap" || !strings.Contains(arguments, text) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		if unix.Kill(pid, unix.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Error("no process of bwrap was found")
	}
}

// Keepers that are killed by a command end with everything in their sandbox, and the next
// command works again.
func TestKeeperThatIsKilled(t *testing.T) {
	for _, opts := range []sandbox.Options{{}, {Bwrap: "-"}} {
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{t.TempDir()}}
		for range 3 {
			running := launch(t, b, p, "read; kill -9 $PPID; sleep 60; echo alive")
			running.proceed(t) // the keeper has reported the start
			if out, code := running.end(t); code != 137 || strings.Contains(out, "alive") {
				t.Errorf("%d, %s", code, out)
			}
			if out, code := bash(t, b, p, "echo again"); code != 0 || out != "again\n" {
				t.Errorf("%d, %s", code, out)
			}
		}
	}
}

// A daemon with a session of its own, whose parent has ended, ends with the sandbox.
func TestDaemonsEndWithTheirSandbox(t *testing.T) {
	for _, opts := range []sandbox.Options{{}, {Bwrap: "-"}} {
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{t.TempDir()}}
		name := fmt.Sprintf("sleep 31%d", os.Getpid()) // no other process has this command line
		for range 3 {
			if out, code := bash(t, b, p, "setsid bash -c 'setsid "+name+" >/dev/null 2>&1 & exit'; sleep .1; (sleep .01 &); echo done"); code != 0 || out != "done\n" {
				t.Errorf("%d, %s", code, out)
			}
		}
		b.Close()
		if out, err := exec.Command("pgrep", "-xf", name).Output(); err == nil {
			t.Errorf("bwrap %q: %s is left: %s", opts.Bwrap, name, out)
		}
	}
}

// Where folders cannot be made, or the program is not there any more, nothing runs.
func TestFoldersAndProgramsThatAreMissing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	text, err := os.ReadFile(executable(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o755); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
	spec := sandbox.Spec{Path: "/bin/bash", Args: []string{"bash", "-c", "echo ran > ran"}, Dir: work, Env: []string{"PATH=/usr/bin:/bin"}}
	host(t, sandbox.WorkspaceWrite, sandbox.Options{})
	for name, try := range map[string]func() error{
		"the state is a file": func() error {
			return startIn(t, sandbox.NewHost(sandbox.Options{State: file}), t.TempDir(), p, spec)
		},
		"the temporary folder is a file": func() error {
			return startIn(t, sandbox.NewHost(sandbox.Options{State: t.TempDir()}), file, p, spec)
		},
		"the program is missing": func() error {
			return startIn(t, sandbox.NewHost(sandbox.Options{State: t.TempDir(), Program: file + "x"}), t.TempDir(), p, spec)
		},
		"the program is removed": func() error {
			removed := file + "-removed"
			if err := os.Link(file, removed); err != nil {
				t.Fatal(err)
			}
			h := sandbox.NewHost(sandbox.Options{State: t.TempDir(), Program: removed})
			if !h.Support().Has(sandbox.WorkspaceWrite) {
				t.Errorf("%+v", h.Support().Parts)
			}
			_ = os.Remove(removed)
			return startIn(t, h, t.TempDir(), p, spec)
		},
		"the folder is missing": func() error {
			missing := p
			missing.Folders = []string{work + "x"}
			return startIn(t, sandbox.NewHost(sandbox.Options{State: t.TempDir()}), t.TempDir(), missing, spec)
		},
		"the whole machine is allowed": func() error {
			all := p
			all.Folders = []string{"/"}
			return startIn(t, sandbox.NewHost(sandbox.Options{State: t.TempDir()}), t.TempDir(), all, spec)
		},
	} {
		if err := try(); err == nil || len(err.Error()) < 20 || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(work, "ran")); err == nil {
			t.Errorf("%s: the command ran", name)
		}
	}
}

// startIn starts a program in a new sandbox and waits for its end.
func startIn(t *testing.T, h *sandbox.Host, temp string, p sandbox.Policy, s sandbox.Spec) error {
	t.Helper()
	b := h.Boxes(temp)
	defer b.Close()
	_, _, err := start(t, b, p, s)
	return err
}

// A request that is too large for the system or for a message gets an error, and the sandbox
// stays usable.
func TestRequestsThatAreTooLarge(t *testing.T) {
	for _, opts := range []sandbox.Options{{}, {Bwrap: "-"}} {
		b := host(t, sandbox.ReadOnly, opts).Boxes(t.TempDir())
		defer b.Close()
		p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{t.TempDir()}}
		running := launch(t, b, p, "read; echo done")
		for _, size := range []int{200 << 10, 4 << 20, 9 << 20} {
			spec := sandbox.Spec{Path: "/bin/true", Args: []string{"true"}, Dir: "/", Env: []string{"X=" + strings.Repeat("x", size)}}
			if _, _, err := start(t, b, p, spec); err == nil || len(err.Error()) < 20 {
				t.Errorf("an environment of %d bytes: %v", size, err)
			}
		}
		running.proceed(t)
		if out, code := running.end(t); code != 0 || out != "done\n" {
			t.Errorf("the program beside them: %d, %s", code, out)
		}
	}
}

// Without a free descriptor nothing runs, and with one it does again.
func TestWithoutDescriptors(t *testing.T) {
	b := host(t, sandbox.ReadOnly, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	p := sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{t.TempDir()}}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := b.Start(p, sandbox.Spec{Path: "/bin/true", Args: []string{"true"}, Dir: "/", Files: files})
	if restored := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); restored != nil {
		t.Fatal(restored)
	}
	if err == nil || len(err.Error()) < 20 {
		t.Errorf("without descriptors: %v", err)
	}
	if out, code := bash(t, b, p, "echo again"); code != 0 || out != "again\n" {
		t.Errorf("%d, %s", code, out)
	}
}
