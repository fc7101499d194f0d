//go:build unix

package torture_test

import (
	"fmt"
	"strings"
	"sync"
)

// kindsOfPoints are the rows of the table, in order.
var kindsOfPoints = []string{
	"killed before an operation", "killed after an operation", "killed within a write", "killed again while coming back",
	"power cut", "bit flipped", "disk full", "sync failed", "sync slow",
}

// row says which row a point belongs to.
func (p point) row() string {
	switch first := p.faults[0]; {
	case p.damage.kind == power:
		return "power cut"
	case p.damage.kind == flip:
		return "bit flipped"
	case len(p.faults) > 1:
		return "killed again while coming back"
	default:
		return map[string]string{
			before: "killed before an operation", after: "killed after an operation", tear: "killed within a write",
			full: "disk full", unsync: "sync failed", slow: "sync slow",
		}[first.kind]
	}
}

// table adds up what came of the points.
type table struct {
	mu     sync.Mutex // guards the rest
	rows   map[string]*row
	broken [classes][]string // the points that broke a promise, and how
}

// row is one kind of points.
type row struct {
	points, missed, unnoticed int
	told, accepted            int
	broken                    [classes]int // how often, not at how many points
}

func newTable() *table { return &table{rows: map[string]*row{}} }

func (t *table) add(o *outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rows[o.point.row()]
	if r == nil {
		r = &row{}
		t.rows[o.point.row()] = r
	}
	r.points++
	r.told += o.told
	r.accepted += o.accepted
	if !o.reached {
		r.missed++
	}
	if o.unnoticed {
		r.unnoticed++
	}
	for _, p := range o.problems {
		r.broken[p.class]++
		t.broken[p.class] = append(t.broken[p.class], fmt.Sprintf("%s\n\tgo test ./e2e/torture -run TestCampaign -v -torture.point '%s'", p.text, o.point))
	}
}

// String is the table in Markdown.
func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| what happened | points | not reached | events told | accepted | %s | unnoticed |\n", strings.Join(className[:], " | "))
	fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("---:|", int(classes)+5))
	sum := &row{}
	for _, name := range kindsOfPoints {
		if r := t.rows[name]; r != nil {
			b.WriteString(r.line(name))
			sum.join(r)
		}
	}
	b.WriteString(sum.line("all"))
	return b.String()
}

func (r *row) line(name string) string {
	text := fmt.Sprintf("| %s | %d | %d | %d | %d |", name, r.points, r.missed, r.told, r.accepted)
	for _, n := range r.broken {
		text += fmt.Sprintf(" %d |", n)
	}
	return text + fmt.Sprintf(" %d |\n", r.unnoticed)
}

func (r *row) join(other *row) {
	r.points += other.points
	r.missed += other.missed
	r.told += other.told
	r.accepted += other.accepted
	r.unnoticed += other.unnoticed
	for c, n := range other.broken {
		r.broken[c] += n
	}
}

// failures are the broken promises, a few of each kind, with how to see them again.
func (t *table) failures() (list []string) {
	const few = 5
	for c, broken := range t.broken {
		for _, text := range broken[:min(few, len(broken))] {
			list = append(list, fmt.Sprintf("%s (1 of %d): %s", className[c], len(broken), text))
		}
	}
	return list
}
