//go:build linux

package canary_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// mode is one way in which the runtime runs commands.
type mode struct {
	name  string
	bwrap string // see [sandbox.Options]; "-" leaves Landlock
	kind  sandbox.Mode
	git   bool
	bare  bool // without a sandbox: the controls
	reads bool // of a control: as if it only read
}

var modes = []mode{
	{name: "read-only", kind: sandbox.ReadOnly},
	{name: "workspace-write", kind: sandbox.WorkspaceWrite},
	{name: "workspace-write with git", kind: sandbox.WorkspaceWrite, git: true},
	{name: "read-only by Landlock", kind: sandbox.ReadOnly, bwrap: "-"},
}

func (m mode) writes() bool { return m.kind == sandbox.WorkspaceWrite || m.bare && !m.reads }

func (m mode) policy(work string) *sandbox.Policy {
	if m.bare {
		return nil
	}
	return &sandbox.Policy{Mode: m.kind, Folders: []string{work}, Git: m.git, ProtectNames: permit.Rules{}.SandboxProtected()}
}

// limit is the time for one line, and for processes to end. Lines that take longer wait for
// something, and are stopped.
const limit = 2 * time.Second

// result is what a line printed, and why it did not run.
type result struct {
	output string
	code   int
	err    error
}

// run runs a line as a fresh command of a session of its own.
func (w *world) run(t *testing.T, m mode, host *sandbox.Host, text, work string, wait time.Duration) result {
	temp, err := os.MkdirTemp(filepath.Join(w.base, "temp"), "session")
	if err != nil {
		return result{err: err}
	}
	boxes := host.Boxes(temp)
	defer boxes.Close()
	s := shell.New(shell.Options{Temp: filepath.Join(temp, "output"), Env: w.env, Sandbox: boxes})
	defer s.Close()
	r, err := s.Run(t.Context(), shell.Command{
		Text: text, Dir: work, Start: work, FreshShell: true, Mode: shell.Sync, Wait: wait, Sandbox: m.policy(work),
	})
	output := r.Output
	if err == nil && r.Running {
		if r, err = s.Stop(t.Context(), r.Shell); err == nil {
			output += r.Output
		}
	}
	return result{output, r.Code, err}
}

// host starts sandboxes in a world. It ends the test if the mode does not work here.
func (w *world) host(t *testing.T, m mode) *sandbox.Host {
	t.Helper()
	h := sandbox.NewHost(sandbox.Options{State: filepath.Join(w.base, "state"), Env: w.env, Bwrap: m.bwrap})
	if m.bare {
		return h
	}
	if s := h.Support(); !s.Has(m.kind) {
		attempt.Missing(t, fmt.Sprintf("%s: %s; %+v", m.name, s.Why(m.kind), s.Parts))
	}
	return h
}

// atOnce is how many lines run at the same time: most of the time of a line is waiting.
const atOnce = 4

// try runs lines in a new world, and returns what they have done to it.
func try(t *testing.T, m mode, p madeProject, lines []string) (harm []string, unrun []string) {
	t.Helper()
	w := newWorld(t)
	defer w.end()
	for _, folder := range []string{"state", "temp"} {
		if err := os.Mkdir(filepath.Join(w.base, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var works []string
	for i := range lines {
		if i > 0 && !m.writes() {
			break // a project that does not change serves all
		}
		work, err := p.copyTo(w, fmt.Sprintf("work%d", i))
		if err != nil {
			t.Fatal(err)
		}
		works = append(works, work)
	}
	host := w.host(t, m)
	b := w.watch(works, m.writes())
	results := make([]result, len(lines))
	var running sync.WaitGroup
	turns := make(chan bool, atOnce)
	for i, line := range lines {
		turns <- true
		running.Go(func() {
			defer func() { <-turns }()
			work := works[min(i, len(works)-1)]
			results[i] = w.run(t, m, host, w.line(line, work), work, limit)
		})
	}
	running.Wait()
	for i, r := range results {
		harm = append(harm, leaks(r.output)...)
		if r.err != nil {
			unrun = append(unrun, fmt.Sprintf("%q: %v", lines[i], r.err))
		}
	}
	return append(harm, w.harm(b, works, m.writes())...), unrun
}

// corpus returns the lines to run: all of effectstest, or a part of it. Every n-th line runs,
// beginning with another one for each mode, but those that were written to leave a sandbox all run
// unless it is a sample.
func corpus(begin, n int) []string {
	escapes := map[string]bool{}
	for _, e := range effectstest.Escapes() {
		escapes[e.Command] = stride == 1
	}
	return linesOf(func(i int, line string) bool { return (i+begin)%n == 0 || escapes[line] })
}

// sample returns every n-th line of the corpus.
func sample(begin, n int) []string {
	return linesOf(func(i int, _ string) bool { return (i+begin)%n == 0 })
}

// linesOf returns the lines of the corpus that are wanted, and that can run here.
func linesOf(wanted func(i int, line string) bool) (lines []string) {
	for i, trick := range slices.Concat(effectstest.Tricks(), effectstest.Writing()) {
		line := trick.Command
		switch {
		case !wanted(i, line):
		case strings.Contains(line, "\x00"): // package shell refuses those
		case contained() || !sweeping(line):
			lines = append(lines, line)
		}
	}
	return lines
}

// every is the part of the corpus to run.
var every = flag.Int("canary.every", stride, "run every so many lines of the corpus in each mode, and all that were written to leave a sandbox")

// sweeping reports whether a line would hit the user's own processes if it got out.
func sweeping(line string) bool {
	return slices.ContainsFunc([]string{"kill -9 -1", "kill -1", "pkill", "killall"}, func(s string) bool { return strings.Contains(line, s) })
}

// batch is how many lines run in one world.
const batch = 32

// Every line of the corpus runs in every kind of sandbox, and does no harm.
func TestCanaries(t *testing.T) {
	if !staged(t, false) {
		return
	}
	p := newProject(t)
	for i, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			lines := corpus(i+os.Getuid()%2*len(modes), *every)
			began := time.Now()
			for some := range slices.Chunk(lines, batch) {
				tryAll(t, m, p, some)
			}
			t.Logf("%d lines in %v", len(lines), time.Since(began).Round(time.Second))
		})
	}
}

// tryAll runs lines together and, if that did harm, each by itself.
func tryAll(t *testing.T, m mode, p madeProject, lines []string) {
	t.Helper()
	together, unrun := try(t, m, p, lines)
	for _, why := range unrun {
		t.Errorf("not run: %s", why)
	}
	if len(together) == 0 {
		return
	}
	found := false
	for _, line := range lines {
		harm, _ := try(t, m, p, []string{line})
		if len(harm) == 0 {
			continue
		}
		found = true
		if why := excepted(m, line); why != "" {
			t.Logf("%q: %s\n\t%s", line, why, strings.Join(harm, "\n\t"))
			continue
		}
		t.Errorf("%q:\n\t%s", line, strings.Join(harm, "\n\t"))
	}
	if found {
		return
	}
	// Other programs change the system, too. What the lines did, they do again.
	again, _ := try(t, m, p, lines)
	notSystem := func(h string) bool { return !strings.HasPrefix(h, "system: ") }
	if len(again) > 0 || slices.ContainsFunc(together, notSystem) {
		t.Errorf("together, and none of them alone: %q:\n\t%s", lines, strings.Join(together, "\n\t"))
	}
}
