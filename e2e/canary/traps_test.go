//go:build linux

package canary_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

var (
	showLog = flag.Bool("canary.log", false, "print what each session and each user printed")
	report  = flag.String("canary.report", "", "a file to which the outcome of each trap is appended at once")
	verbose = flag.Bool("canary.print", false, "print the outcome of each trap at once")
	onlyOf  = flag.String("canary.only", "", "spring only traps whose text has this")
)

// sampled is how many traps run where only a sample does.
const sampled = 4

// trapsFor returns the traps of the i-th evening: with bwrap all of them, hidden as the first user and as they are
// written as the second one; otherwise every so many, as of the other lines of the corpus.
func trapsFor(i int, e evening) (all []effectstest.Trap) {
	begin, n := i+os.Getuid()%2*len(evenings), *every
	if !e.bare && !e.bwrap {
		n *= 2 // a sandbox that only reads leaves hardly anything
	}
	if *onlyOf != "" || *every == 1 {
		n = 1
	}
	whole := stride == 1 && (e.bare && userFirst() || !e.bare && e.bwrap && (e.form == hidden) == userFirst())
	for i, trap := range effectstest.Traps() {
		switch {
		case !strings.Contains(trap.Name(), *onlyOf):
		case whole, stride == 1 && (i+begin)%n == 0, stride > 1 && (i+begin)%(len(effectstest.Traps())/sampled) == 0:
			all = append(all, trap)
		}
	}
	if e.bare || *onlyOf != "" {
		return all
	}
	if n = *every; n > 1 {
		n *= 2 * len(evenings) // all evenings of both users together run the part that is asked for
	}
	for _, line := range sample(begin, n) {
		all = append(all, effectstest.Trap{Command: line})
	}
	return all
}

// userFirst reports whether this is the first or the only user as whom the tests run.
func userFirst() bool { return os.Getuid() != nobody }

// What nobody approved does no harm at the user's next steps either.
func TestTraps(t *testing.T) {
	if !staged(t, false) {
		return
	}
	p := newProject(t)
	for i, e := range evenings {
		t.Run(e.name, func(t *testing.T) {
			needs(t, e)
			traps, began := trapsFor(i, e), time.Now()
			ran, idle, unset := 0, 0, 0
			for _, o := range springAll(t, e, p, traps) {
				if o.ran > 0 {
					ran++
				}
				if o.idle {
					idle++
				}
				if o.idle && o.trap.Source != "" {
					unset++
				}
				o.report(t)
				if e.bwrap && e.form == hidden && o.ran == 0 && len(o.trap.Files) == 0 {
					t.Errorf("%s: it did not run: %s", o.trap.Name(), o.log)
				}
				if len(o.harm) > 0 {
					t.Errorf("%s\n\t%s", o.trap.Name(), strings.Join(o.harm, "\n\t"))
				}
			}
			if all := len(effectstest.Traps()); e.bwrap && e.form == hidden && unset > all/3 {
				t.Errorf("%d of %d traps changed nothing in the project, so they were not set", unset, all)
			}
			t.Logf("%d of %d ran, %d changed nothing; %v, %v of the processors so far", ran, len(traps), idle, time.Since(began).Round(time.Second), processors())
		})
	}
}

// report says why an outcome is none.
func (o outcome) report(t *testing.T) {
	t.Helper()
	if o.failed != nil {
		t.Errorf("%s: %v", o.trap.Name(), o.failed)
	}
	if *showLog {
		t.Logf("%s: %q\n%s", o.trap.Name(), o.harm, o.log)
	}
}

// processors returns the time that the processes which this one has waited for have used.
func processors() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Round(time.Second)
}

// Each trap that is not held otherwise does harm where no sandbox and no quarantine keeps it from that, and each detector finds
// something. If one does not, what the other tests do not find means nothing.
func TestTrapsWork(t *testing.T) {
	if !staged(t, true) {
		return
	}
	p, e := newProject(t), evening{name: "none", bare: true}
	traps, found := slices.DeleteFunc(trapsFor(0, e), func(trap effectstest.Trap) bool { return trap.Held != "" }), map[string]int{}
	for _, o := range springAll(t, e, p, traps) {
		o.report(t)
		acts := slices.DeleteFunc(o.harm, func(h string) bool { return strings.HasPrefix(h, "the session: ") })
		if len(acts) == 0 {
			t.Errorf("%s: without a sandbox it does no harm:\n%s", o.trap.Name(), o.log)
		}
		for _, d := range detectors {
			if slices.ContainsFunc(acts, func(h string) bool { return strings.HasPrefix(h, d) }) {
				found[d]++
			}
		}
	}
	t.Logf("%d traps, %v of the processors; by detector:", len(traps), processors())
	for _, d := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%4d %s", found[d], d)
	}
	if stride > 1 || os.Getuid() == nobody || *onlyOf != "" {
		return // not all traps
	}
	for _, d := range detectors {
		if found[d] == 0 {
			t.Errorf("no trap is found by %q", d)
		}
	}
}

// detectors are the beginnings of what each of them reports: steps of the user, and programs that load files.
var detectors = append([]string{
	"git status", "git diff", "git log", "git add", "git commit", "git fetch", "git rebase", "git status at home", "bash -l at home", "bash -i at home",
	"sidestick run", "npm install", "a program of the table",
}, programs()...)

func programs() (all []string) {
	for _, l := range loaders {
		all = append(all, l.program)
	}
	return all
}
