//go:build unix

package torture_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// point is one life of sessions, and what goes wrong in it.
type point struct {
	variant   variant
	continued bool    // clients want to go on with what was under way
	faults    []fault // of one process after the other; the last process has none
	damage    damage  // to the files, before the last process
}

// String is how a point is named on the command line:
// "plain,continue,after:17:0+tear:3:500,flip:1".
func (p point) String() string {
	parts := []string{p.variant.name, "end", "", ""}
	if p.continued {
		parts[1] = "continue"
	}
	var faults []string
	for _, f := range p.faults {
		faults = append(faults, f.String())
	}
	parts[2] = strings.Join(faults, "+")
	parts[3] = "none:0"
	if p.damage.kind != "" {
		parts[3] = p.damage.kind + ":" + strconv.Itoa(p.damage.seed)
	}
	return strings.Join(parts, ",")
}

func parsePoint(text string) (p point, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return p, fmt.Errorf("point %q is not VARIANT,continue|end,FAULT+FAULT,DAMAGE:SEED", text)
	}
	i := slices.IndexFunc(variants, func(v variant) bool { return v.name == parts[0] })
	if i < 0 {
		return p, fmt.Errorf("there is no variant %q", parts[0])
	}
	p.variant, p.continued = variants[i], parts[1] == "continue"
	for spec := range strings.SplitSeq(parts[2], "+") {
		f, err := parseFault(spec)
		if err != nil {
			return p, err
		}
		p.faults = append(p.faults, f)
	}
	kind, seed, _ := strings.Cut(parts[3], ":")
	p.damage.kind = strings.TrimPrefix(kind, "none")
	p.damage.seed, err = strconv.Atoi(seed)
	return p, err
}

// outcome is what came of a point.
type outcome struct {
	point     point
	told      int  // persisted events that clients were told of, each once for each client
	accepted  int  // messages, results and approvals
	reached   bool // the fault did happen
	unnoticed bool // a changed bit made another valid event, and nobody was told
	problems  []problem
	ops       [][]op   // of each process
	logs      [][]told // of each session, in the end
}

// story is what happened, for a person.
func (o *outcome) story() string {
	var b strings.Builder
	for i, ops := range o.ops {
		fmt.Fprintf(&b, "process %d did:\n", i+1)
		for _, op := range ops {
			fmt.Fprintf(&b, "%5d %-9s %6d %s\n", op.n, op.name, op.size, op.path)
		}
	}
	for i, log := range o.logs {
		fmt.Fprintf(&b, "the log of s%d:\n", i+1)
		for n, e := range log {
			fmt.Fprintf(&b, "%5d %.300s\n", n+1, e.raw)
		}
	}
	return b.String()
}

// run lives a point. An error is ours, not the program's.
func (p point) run() (*outcome, error) {
	home, err := os.MkdirTemp("", "torture-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(home) }() // what is left is in the temporary folder
	l := &life{point: p, home: home, out: &outcome{point: p}}
	model := modeltest.NewServer()
	defer model.Close()
	for i := range p.variant.sessions {
		t := newTalk("s"+strconv.Itoa(i+1), p.variant, model.URL(), home)
		t.lenient = p.faults[0].refuses()
		l.talks = append(l.talks, t)
	}
	model.Add(replies(p.variant, l.talks)...)
	return l.out, l.live()
}

// life is a point that is being lived.
type life struct {
	point point
	home  string
	talks []*talk
	out   *outcome
}

// live goes through all processes, then checks what is left.
func (l *life) live() error {
	play := (*talk).play
	for i, f := range slices.Concat(l.point.faults, []fault{{kind: none}}) {
		last := i == len(l.point.faults)
		if last {
			if err := l.damage(); err != nil {
				return err
			}
		}
		if err := l.process(f, play); err != nil {
			return err
		}
		play = func(t *talk) error { return t.goOn(l.point.continued) }
	}
	return l.check()
}

// process is one process from its start to its kill -9, with all sessions in it.
func (l *life) process(f fault, play func(*talk) error) error {
	proc, err := start(l.home, f)
	if proc == nil {
		return err
	}
	if err != nil {
		l.talks[0].fault(died, "%v", err)
	}
	var wg sync.WaitGroup
	ends := make([]error, len(l.talks))
	for i, t := range l.talks {
		wg.Go(func() { ends[i] = t.meet(proc.addr, play) })
	}
	wg.Wait()
	l.out.reached = l.out.reached || !f.kills() || slices.ContainsFunc(ends, isGone)
	proc.kill()
	if err := proc.died(); err != nil {
		l.talks[0].fault(died, "%v", err)
	}
	l.out.ops = append(l.out.ops, proc.ops)
	for i, t := range l.talks {
		t.hangUp()
		t.judge(f, ends[i])
		t.lenient = false
	}
	return nil
}

func isGone(err error) bool { return errors.Is(err, errGone) }

// meet connects the clients and holds the conversation.
func (t *talk) meet(addr string, play func(*talk) error) error {
	if err := t.connect(addr); err != nil {
		return err
	}
	return play(t)
}

// judge says whether a conversation may have ended as it did.
func (t *talk) judge(f fault, err error) {
	forever := f.kind == full && f.arg == 0
	switch {
	case err == nil, isGone(err) && f.kills(), refused(err) && forever:
	case isGone(err):
		t.fault(died, "the connection ended while the process was to live")
	case refused(err):
		t.fault(unopened, "it was refused: %v", err)
	case errors.Is(err, errLate):
		t.fault(idles, "%v; A heard last:\n%s", err, t.heardLast(12))
	default:
		t.fault(died, "what came cannot be read: %v", err)
	}
}

// damage does to the files what the point wants.
func (l *life) damage() error {
	for _, t := range l.talks {
		d := l.point.damage
		if err := t.damage(d, l.home, l.out.ops[len(l.out.ops)-1]); err != nil {
			return err
		}
	}
	return nil
}

// check looks at the logs that are there in the end.
func (l *life) check() error {
	for _, t := range l.talks {
		log, err := readLog(logOf(l.home, t.id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.out.logs = append(l.out.logs, log)
		t.check(log)
		for _, e := range t.ears {
			l.out.told += len(slices.DeleteFunc(slices.Clone(e.all()), func(e told) bool { return e.Ephemeral }))
		}
		l.out.accepted += t.accepted
		l.out.unnoticed = l.out.unnoticed || t.flipped != "" && !t.broken && !slices.ContainsFunc(log, warns)
		l.out.problems = append(l.out.problems, t.problems...)
	}
	slices.SortFunc(l.out.problems, func(a, b problem) int { return cmp.Compare(a.class, b.class) })
	return nil
}
