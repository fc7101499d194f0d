//go:build unix

package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// marked returns options whose processes can be told from all others by an environment
// variable.
func marked(t *testing.T) shell.Options {
	return shell.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "SHELL_TEST=" + t.Name() + strconv.Itoa(os.Getpid())}}
}

// living returns the command lines of all living processes that have the mark, also those
// that have left their shell's session.
func living(t *testing.T, opts shell.Options) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes are found in /proc")
	}
	mark := []byte(opts.Env[1])
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, dir := range all {
		if bytes.Contains(environ(dir), mark) {
			line, _ := os.ReadFile(dir + "/cmdline")
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// environ returns the environment of a process; it is empty for a zombie and for the
// kernel's own processes. A process that is just starting another program has neither
// environment nor command line for a moment, so environ waits for that to be over.
func environ(dir string) []byte {
	for range 1000 {
		env, err := os.ReadFile(dir + "/environ")
		line, _ := os.ReadFile(dir + "/cmdline")
		stat, gone := os.ReadFile(dir + "/stat")
		_, after, _ := bytes.Cut(stat, []byte(") "))
		state := append(bytes.Fields(after), make([][]byte, 7)...) // proc(5): the state, and seventh the flags
		flags, _ := strconv.Atoi(string(state[6]))
		const kernel = 0x00200000 // PF_KTHREAD
		if len(env)+len(line) > 0 || err != nil || gone != nil || string(state[0]) == "Z" || flags&kernel != 0 {
			return env
		}
		time.Sleep(time.Millisecond) // the processes are real ones
	}
	return nil
}

// aborted runs a command and cancels its context at its first output.
func aborted(t *testing.T, s *shell.Shells, dir, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := s.Run(ctx, shell.Command{Text: text, Dir: dir, Mode: shell.Sync, Wait: enough, OnOutput: func(string) { cancel() }})
	if fault.KindOf(err) != fault.Canceled {
		t.Errorf("Run(%q) = %v, want a canceled one", text, err)
	}
}

func TestAbortKillsEverything(t *testing.T) {
	for name, text := range map[string]string{
		"children":           "bash -c 'sleep 100 & echo on; sleep 100'",
		"a pipeline":         "sleep 100 | sleep 100 | (echo on; sleep 100)",
		"another group":      "set -m; sleep 100 & echo on; sleep 100",
		"another session":    "setsid bash -c 'sleep 100 & echo on; sleep 100' | cat",
		"deaf to signals":    "trap '' TERM INT HUP; echo on; sleep 100; sleep 100",
		"stopped":            "sleep 100 & kill -STOP $!; echo on; sleep 100",
		"more by the moment": "(while :; do sleep 0.01 & done) & echo on; wait",
	} {
		t.Run(name, func(t *testing.T) {
			opts := marked(t)
			s, dir := open(t, opts)
			run(t, s, dir, "export A=1; mkdir sub; cd sub")
			aborted(t, s, dir, text)
			if left := living(t, opts); len(left) > 0 {
				t.Errorf("still there: %q", left)
			}
			if got, want := run(t, s, dir, `echo "$A"; pwd`).Output, "1\n"+dir+"/sub\n"; got != want {
				t.Errorf("the next command has %q, want %q", got, want)
			}
		})
	}
}

func TestCloseKillsEverything(t *testing.T) {
	opts := marked(t)
	s, dir := open(t, opts)
	run(t, s, dir, "sleep 100 & echo a")
	for _, c := range []shell.Command{
		{Text: "echo b; sleep 100", Mode: shell.Sync, Wait: time.Millisecond},
		{Text: "sleep 100 & sleep 100", Mode: shell.Async, Wait: time.Millisecond},
		{Text: "sleep 100", Mode: shell.Sync, Shell: "mine", Wait: time.Millisecond},
	} {
		c.Dir = dir
		if r, err := s.Run(t.Context(), c); err != nil || !r.Running {
			t.Fatalf("Run(%q) = %+v, %v", c.Text, r, err)
		}
	}
	if len(living(t, opts)) < 4 {
		t.Errorf("too few: %q", living(t, opts))
	}
	var calls sync.WaitGroup
	calls.Go(func() {
		if r, err := s.Read(t.Context(), "mine", enough); err != nil || r.Running || r.Code != 137 {
			t.Errorf("a reader at the end: %+v, %v", r, err)
		}
	})
	s.Close()
	calls.Wait()
	if left := living(t, opts); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	if _, err := s.Run(t.Context(), shell.Command{Text: "true", Dir: dir, Mode: shell.Sync}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Run after Close: %v", err)
	}
	s.Close()
}

func TestWhatTheShellLeavesIsKilled(t *testing.T) {
	opts := marked(t)
	s, dir := open(t, opts)
	run(t, s, dir, "sleep 100 & exit 0")
	if left := living(t, opts); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
}

func TestLongCommandKeepsItsShell(t *testing.T) {
	s, dir := open(t, shell.Options{})
	run(t, s, dir, "mkdir sub; cd sub; mkfifo fifo; export A=1; B=2")
	r, err := s.Run(t.Context(), shell.Command{Text: "echo begun; read x <fifo; echo ended; exit 4", Dir: dir, Mode: shell.Sync, Wait: time.Millisecond})
	if err != nil || !r.Running {
		t.Fatalf("Run = %+v, %v", r, err)
	}
	long := r.Shell
	if got, want := run(t, s, dir, `pwd; echo "$A$B"`).Output, dir+"/sub\n1\n"; got != want {
		t.Errorf("meanwhile %q, want %q", got, want)
	}
	run(t, s, dir, "C=3") // the new shell keeps its state, too
	if got := run(t, s, dir, "echo $C").Output; got != "3\n" {
		t.Errorf("the new shell has lost its state: %q", got)
	}
	read := r.Output
	run(t, s, dir, "echo go >fifo")
	if r, err = s.Read(t.Context(), long, enough); err != nil || r.Running || r.Code != 4 || read+r.Output != "begun\nended\n" {
		t.Errorf("it came to %+v after %q, %v", r, read, err)
	}
	if _, err := s.Read(t.Context(), long, 0); fault.KindOf(err) != fault.NotFound {
		t.Errorf("read again: %v", err)
	}
}

func TestSideBySide(t *testing.T) {
	opts := marked(t)
	s, dir := open(t, opts)
	run(t, s, dir, "mkdir sub; cd sub; export A=1")
	const calls = 20
	got := make([]string, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			r, err := s.Run(t.Context(), shell.Command{
				Text: fmt.Sprintf(`echo %d $A; pwd; cd /; export A=2`, i), Dir: dir, Start: dir + "/sub", Mode: shell.Sync, Wait: enough,
			})
			if err != nil {
				t.Error(err)
			}
			got[i] = r.Output
		})
	}
	all.Wait()
	for i, text := range got {
		// The variable is the main shell's at that time; the directory is always the same.
		if text != fmt.Sprintf("%d 1\n%s/sub\n", i, dir) && text != fmt.Sprintf("%d 2\n%s/sub\n", i, dir) {
			t.Errorf("call %d: %q", i, text)
		}
	}
	if list := s.List(); len(list) != 1 {
		t.Errorf("shells that stay: %+v", list)
	}
}

func TestShellsAreBounded(t *testing.T) {
	s, dir := open(t, shell.Options{})
	run(t, s, dir, "true")
	for i := range 31 {
		c := shell.Command{Text: "sleep 100", Dir: dir, Mode: shell.Sync, Shell: fmt.Sprint("s", i), Wait: time.Millisecond}
		if i < 3 {
			c.Text, c.Wait = "true", enough
		}
		if _, err := s.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		_, err := s.Run(t.Context(), shell.Command{Text: "sleep 100", Dir: dir, Mode: shell.Sync, Shell: fmt.Sprint("more", i), Wait: time.Millisecond})
		if full := i == 3; full != (fault.KindOf(err) == fault.Unavailable && err != nil) {
			t.Errorf("shell %d more: %v; idle shells are removed, others are not", i, err)
		}
	}
	if r := run(t, s, dir, "echo main"); r.Output != "main\n" {
		t.Errorf("the main shell was removed: %+v", r)
	}
}

func TestDetachedOutlivesTheSession(t *testing.T) {
	opts := marked(t)
	s, dir := open(t, opts)
	detach := func(s *shell.Shells, text string) shell.Report {
		t.Helper()
		r, err := s.Run(t.Context(), shell.Command{Text: text, Dir: dir, Mode: shell.Detached, Wait: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := detach(s, "echo out; echo err >&2; exit 3")
	text := r.Output
	for r.Running {
		var err error
		if r, err = s.Read(t.Context(), r.Shell, enough); err != nil {
			t.Fatal(err)
		}
		text += r.Output
	}
	if text != "out\nerr\n" || r.Code != 3 {
		t.Errorf("it came to %q, %d", text, r.Code)
	}
	// A program that a command left in the background does not keep it from ending.
	r = detach(s, "sleep 100 & exit 6")
	for r.Running {
		var err error
		if r, err = s.Read(t.Context(), r.Shell, enough); err != nil {
			t.Fatal(err)
		}
	}
	if r.Code != 6 || len(living(t, opts)) != 1 {
		t.Errorf("it ended with %d and left %q", r.Code, living(t, opts))
	}
	kill(t, opts)
	stopped := detach(s, "sleep 100 & sleep 100")
	if r, err := s.Stop(t.Context(), stopped.Shell); err != nil || !r.Stopped || r.Running {
		t.Errorf("Stop = %+v, %v", r, err)
	}
	if left := living(t, opts); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	for r := detach(s, "sleep 100 & echo on; wait"); r.Output == ""; {
		var err error
		if r, err = s.Read(t.Context(), r.Shell, time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	if len(living(t, opts)) == 0 {
		t.Error("it ended with the session")
	}
	kill(t, opts)
}

// kill ends what a test left running on purpose, and waits until it has ended: a killed
// process stays visible until the system has removed it.
func kill(t *testing.T, opts shell.Options) {
	t.Helper()
	mark := []byte(opts.Env[1])
	for end := time.Now().Add(enough); len(living(t, opts)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("cannot be killed: %q", living(t, opts))
		}
		all, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range all {
			if env, _ := os.ReadFile(dir + "/environ"); bytes.Contains(env, mark) {
				pid, _ := strconv.Atoi(filepath.Base(dir))
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill()
				}
			}
		}
	}
}

func TestSecretsAreNotInherited(t *testing.T) {
	s, dir := open(t, shell.Options{
		Env:  []string{"PATH=" + os.Getenv("PATH"), "COPILOT_CONNECTION_TOKEN=a", "COPILOT_SDK_AUTH_TOKEN=b", "SIDESTICK_API_KEY=c", "OPENAI_API_KEY=d", "MY_KEYS=e", "MY_KEY=f", "BASH_ENV=/nowhere", "BASH_FUNC_ls%%=() { echo x; }", "BASHOPTS=dotglob", "SHELLOPTS=noglob", "CDPATH=/", "GLOBIGNORE=x", "KEPT=1"},
		Drop: []string{"OPENAI_API_KEY", "MY_K*S", "MY_KEY*"},
	})
	got := run(t, s, dir, "env | cut -d= -f1 | sort | tr '\n' ' '").Output
	if want := "GIT_PAGER KEPT MANPAGER OLDPWD PAGER PATH PWD SHLVL SYSTEMD_PAGER TERM _ "; strings.ReplaceAll(want, "OLDPWD ", "") != got {
		t.Errorf("variables are %q", got)
	}
}

func TestTheSessionMoves(t *testing.T) {
	s, dir := open(t, shell.Options{})
	run(t, s, dir, "export A=1; mkdir sub; cd /")
	if got, want := run(t, s, dir+"/sub", `pwd; echo "$A"`).Output, dir+"/sub\n1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// The session can also move while a command runs.
	run(t, s, dir+"/sub", "mkfifo fifo")
	_, err := s.Run(t.Context(), shell.Command{
		Text: "echo on; read x <fifo; cd /", Dir: dir + "/sub", Mode: shell.Sync, Wait: enough,
		OnOutput: func(text string) {
			if got := run(t, s, dir, "pwd; echo go >sub/fifo").Output; got != dir+"\n" {
				t.Errorf("after %q: %q, want %s", text, got, dir)
			}
		},
	})
	if err != nil {
		t.Error(err)
	}
	if got := run(t, s, dir, "pwd").Output; got != dir+"\n" {
		t.Errorf("at last %q, want %s", got, dir)
	}
}

// Output of a background program does not become part of a later command's output.
func TestBackgroundOutput(t *testing.T) {
	s, dir := open(t, shell.Options{})
	run(t, s, dir, "mkfifo fifo done; (read x <fifo; echo late; echo x >done) &")
	got := run(t, s, dir, "echo now").Output
	c := shell.Command{Text: "echo go >fifo; read x <done; echo other", Dir: dir, Mode: shell.Sync, Shell: "other", Wait: enough}
	r, err := s.Run(t.Context(), c)
	if got += r.Output + run(t, s, dir, "echo then").Output; err != nil || got != "now\nother\nthen\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTheDirectoryIsRemoved(t *testing.T) {
	s, dir := open(t, shell.Options{})
	got := run(t, s, dir, "mkdir sub; cd sub; rmdir ../sub; pwd").Output
	got += run(t, s, dir, "echo on; exit 1").Output
	got += run(t, s, dir, "pwd").Output
	want := dir + "/sub\non\n[" + dir + "/sub no longer exists; the shell starts in " + dir + "]\n" + dir + "\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPlainShell(t *testing.T) {
	s, dir := open(t, shell.Options{Program: "sh"})
	var got []string
	for _, text := range []string{"cd /; export A=1; f() { echo f; }", "pwd; echo $A; f; cat", "if", "set -e; false", "pwd; (exit 4)"} {
		r := run(t, s, dir, text)
		got = append(got, fmt.Sprint(r.Code))
		if text != "if" { // the message is the shell's own
			got = append(got, r.Output)
		}
	}
	want := []string{"0", "", "0", "/\n1\nf\n", "2", "1", "", "4", "/\n"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
