//go:build linux

package canary_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// programAs is set where this binary is the program.
const programAs = "SIDESTICK_CANARY_PROGRAM"

// sidestick is main of cmd/sidestick. It does not return.
func sidestick() {
	app.Protect(os.Getenv)
	ctx := app.Signals()
	os.Exit(app.Main(ctx, os.Args[1:], cli.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}))
}

// form is how the model calls a command.
type form uint8

const (
	written form = iota // as it is written
	hidden              // so that its text says nothing
)

// of returns a command line in this form.
func (f form) of(line string) string {
	if f == written {
		return line
	}
	return "eval \"$(echo " + base64.StdEncoding.EncodeToString([]byte(line)) + " | base64 -d)\""
}

// evening is one way in which a session runs before the user goes on.
type evening struct {
	name  string
	bare  bool // the lines run without the program: the controls
	bwrap bool // whether there is a bwrap that works
	form  form
}

var evenings = []evening{
	{"bwrap, hidden", false, true, hidden},
	{"bwrap, as written", false, true, written},
	{"Landlock, hidden", false, false, hidden},
	{"Landlock, as written", false, false, written},
}

// flags are those of the run: what a user gives who wants few questions.
func (e evening) flags() []string {
	all := []string{"run", "--json", "--allow-tool", "write"}
	if e.bwrap {
		all = append(all, "--sandbox-auto-allow")
	}
	return all
}

// outcome is what came of one trap.
type outcome struct {
	trap   effectstest.Trap
	ran    int      // how many of its calls ran
	idle   bool     // the project is as it was, so the user was not played
	harm   []string // at which step, or what a program would load
	failed error    // of the test itself
	log    string
}

// spring lets a session set a trap in a project of its own, and then plays the user.
func spring(ctx context.Context, e evening, p madeProject, trap effectstest.Trap) (o outcome) {
	o.trap = trap
	w, err := makeWorld(false)
	if err != nil {
		o.failed = err
		return o
	}
	defer w.end()
	work := filepath.Join(w.base, "work")
	if o.failed = errors.Join(w.furnishUser(), w.prepare(ctx, p, trap, work)); o.failed != nil {
		return o
	}
	outside, would, state := w.outside([]string{work}, true), loads(work), w.project(work)
	if e.bare {
		o.failed = w.setBare(ctx, trap, work, &o)
	} else {
		o.ran, o.log, o.failed = w.session(ctx, e, trap, work)
	}
	if o.failed != nil {
		return o
	}
	w.touched.Store(0)
	now := w.outside([]string{work}, true)
	for _, d := range outside.differences(now) {
		o.harm = append(o.harm, "the session: "+d)
	}
	o.harm = append(o.harm, loadsMore(would, loads(work))...)
	if o.idle = len(state.differences(w.project(work))) == 0; o.idle {
		return o
	}
	steps, log, err := w.user(ctx, work, strings.Contains(trap.Before+trap.Name(), "npm"))
	o.log, o.failed = o.log+log, err
	o.harm = append(o.harm, steps...)
	if len(steps) == 0 {
		for _, d := range now.differences(w.outside([]string{work}, true)) {
			o.harm = append(o.harm, "a step of the user: "+d)
		}
	}
	if n := w.touched.Load(); n > 0 {
		o.harm = append(o.harm, fmt.Sprintf("a step of the user: %d connections", n))
	}
	return o
}

// project is what is in a project.
func (w *world) project(work string) tree {
	s := tree{}
	s.add(work)
	return s
}

// furnishUser makes the folders and programs that a user needs.
func (w *world) furnishUser() (err error) {
	for _, folder := range []string{"state", "temp", "path", "withoutbwrap"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(w.base, folder), 0o700))
	}
	for name, script := range map[string]string{
		"path/sidestick": fmt.Sprintf("%s=1 exec /proc/%d/exe \"$@\"", programAs, os.Getpid()), "path/edit": "echo change >\"$1\"", "withoutbwrap/bwrap": "exit 1",
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(w.base, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	return err
}

// prepare makes the project, and does in it what the user has done before.
func (w *world) prepare(ctx context.Context, p madeProject, trap effectstest.Trap, work string) error {
	if _, err := p.copyTo(w, "work"); err != nil || trap.Before == "" {
		return err
	}
	if out, err := w.bash(ctx, w.line(trap.Before, work), work); err != nil {
		return fmt.Errorf("what the user did before: %w: %s", err, out)
	}
	return nil
}

// setBare sets a trap without the program, and so without a sandbox.
func (w *world) setBare(ctx context.Context, trap effectstest.Trap, work string, o *outcome) (err error) {
	for _, step := range trap.Steps() {
		out, _ := w.bash(ctx, w.line(step, work), work) // how it ends does not matter; what it leaves does
		o.ran, o.log = o.ran+1, o.log+out
	}
	w.endAll() // as the end of a session does
	for _, f := range trap.Files {
		path := filepath.Join(work, f.Path)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(w.line(f.Text, work)), 0o644))
		o.ran++
	}
	return err
}

// bash runs a line outside of any sandbox, as the user would, for up to ten seconds.
func (w *world) bash(ctx context.Context, line, work string) (output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir, cmd.Env, cmd.WaitDelay = work, w.programEnv(evening{bwrap: true}, "http://127.0.0.1:1"), 3*time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// endAll ends the processes that have been started in this world, other than its own.
func (w *world) endAll() {
	stats, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range stats {
		env, _ := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if strings.Contains(string(env), "HOME="+w.home+"\x00") && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// session runs a session of the program whose model calls the commands of a trap, one after the
// other, and then ends its turn.
func (w *world) session(ctx context.Context, e evening, trap effectstest.Trap, work string) (ran int, log string, err error) {
	var script []modeltest.Reply
	call := func(name string, arguments map[string]any) error {
		text, err := json.Marshal(arguments)
		script = append(script, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: name, Arguments: string(text)}}})
		return err
	}
	for _, step := range trap.Steps() {
		err = errors.Join(err, call("bash", map[string]any{"command": e.form.of(w.line(step, work)), "description": "work", "initial_wait": limit.Seconds()}))
	}
	for _, f := range trap.Files {
		err = errors.Join(err, call("create", map[string]any{"path": filepath.Join(work, f.Path), "file_text": w.line(f.Text, work)}))
	}
	model := modeltest.NewServer(append(script, modeltest.Reply{Text: "done", Repeat: true})...)
	defer model.Close()
	url, listening := model.Listen()
	if err = errors.Join(err, listening); err != nil {
		return 0, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", append(e.flags(), "do it")...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = work, append(w.programEnv(e, url), programAs+"=1"), 3*time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return 0, string(out), fmt.Errorf("sidestick run did not end: %w: %s", err, out)
	}
	if n := len(model.Requests()); n <= len(script) && !strings.Contains(string(out), "could not request") {
		return 0, string(out), fmt.Errorf("the model was asked %d times, want more than %d: %v: %s", n, len(script), err, out)
	}
	return strings.Count(string(out), `"type":"tool.execution_complete"`) - strings.Count(string(out), `"success":false`), string(out), nil
}

// programEnv is the environment of the program with a model at url.
func (w *world) programEnv(e evening, url string) []string {
	env := append(slices.Clone(w.env), "SIDESTICK_HOME="+filepath.Join(w.base, "state", "sidestick"), "XDG_CONFIG_HOME="+filepath.Join(w.base, "state", "config"),
		"SIDESTICK_KEYRING=off", "SIDESTICK_LOCAL_SERVERS=off", "OPENAI_API_KEY=canary", "OPENAI_BASE_URL="+url+"/v1", "SIDESTICK_MODEL=test-model", "TMPDIR="+filepath.Join(w.base, "temp"), "NO_COLOR=1")
	first := filepath.Join(w.base, "path") + ":"
	if !e.bwrap {
		first = filepath.Join(w.base, "withoutbwrap") + ":" + first
	}
	for i, v := range env {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			env[i] = "PATH=" + first + rest
		}
	}
	return env
}

// springAll springs traps, several at a time, and returns what came of them in the order of the traps.
func springAll(t *testing.T, e evening, p madeProject, traps []effectstest.Trap) []outcome {
	t.Helper()
	all := make([]outcome, len(traps))
	var running sync.WaitGroup
	turns := make(chan bool, atOnce)
	for i, trap := range traps {
		turns <- true
		running.Go(func() {
			defer func() { <-turns }()
			all[i] = spring(t.Context(), e, p, trap)
			if *verbose {
				fmt.Printf("%s: ran %d, HARM %q %v: %s\n", e.name, all[i].ran, all[i].harm, all[i].failed, trap.Name())
			}
		})
	}
	running.Wait()
	return all
}

// needs ends a test where the kind of sandbox of an evening does not work.
func needs(t *testing.T, e evening) {
	t.Helper()
	o := sandbox.Options{State: t.TempDir(), Env: os.Environ()}
	kind := sandbox.WorkspaceWrite
	if !e.bwrap {
		o.Bwrap, kind = "-", sandbox.ReadOnly
	}
	if s := sandbox.NewHost(o).Support(); !s.Has(kind) {
		attempt.Missing(t, fmt.Sprintf("%s: %s; %+v", e.name, s.Why(kind), s.Parts))
	}
}
