//go:build unix

package torture_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// point is one life of sessions, and what goes wrong in it.
type point struct {
	variant   variant
	continued bool    // clients want to continue the work in progress
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

// last is what the last process did.
func (o *outcome) last() []op {
	if len(o.ops) == 0 {
		return nil
	}
	return o.ops[len(o.ops)-1]
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
	model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"test-model"},{"id":"other-model"}]}`})
	model.Add(replies(p.variant, l.talks)...)
	return l.out, l.live()
}
