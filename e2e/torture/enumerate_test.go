//go:build unix

package torture_test

import (
	"slices"
	"strings"
	"testing"
)

// enumerate returns every point. A first life without a fault says which
// operations there are; threads differ from life to life, so the same number may be
// another operation next time, but all numbers are lived.
func enumerate(t *testing.T) (all []point) {
	t.Helper()
	var ways []*way
	for _, v := range variants {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), v.name) {
			continue
		}
		ways = append(ways, &way{variant: v}, &way{variant: v, continued: true})
	}
	each(ways, func(w *way) { w.enumerate(t) })
	for _, w := range ways {
		all = append(all, w.points...)
	}
	return all
}

// way is how clients talk and come back, and the points of it.
type way struct {
	variant   variant
	continued bool
	points    []point
}

func (w *way) point(d damage, faults ...fault) point {
	return point{variant: w.variant, continued: w.continued, damage: d, faults: faults}
}

func (w *way) add(d damage, faults ...fault) { w.points = append(w.points, w.point(d, faults...)) }

func (w *way) enumerate(t *testing.T) {
	ops := harmless(t, w.point(damage{}, fault{kind: none}))
	for _, o := range ops {
		for _, f := range kills(o) {
			w.add(damage{}, f)
		}
		w.harm(o)
	}
	for i := range moments {
		w.relapse(t, fault{after, 1 + i*len(ops)/moments, 0})
	}
}

// harmless lives a point in which all must be well and returns what its first
// process did.
func harmless(t *testing.T, p point) []op {
	o, err := p.run()
	if err != nil {
		t.Errorf("%s: %v", p, err)
		return nil
	}
	for _, broken := range o.problems {
		t.Errorf("%s: %s: %s", p, className[broken.class], broken.text)
	}
	return o.ops[0]
}

// thousandths are how much of a write is done before the process dies.
var thousandths = []int{0, 250, 500, 750, 1000}

// kills are the ways to die at an operation.
func kills(o op) []fault {
	list := []fault{{before, o.n, 0}, {after, o.n, 0}}
	if o.name == "write" {
		for _, part := range thousandths {
			list = append(list, fault{tear, o.n, part})
		}
	}
	return list
}

// harm adds what else can go wrong at an operation.
func (w *way) harm(o op) {
	for seed := range 2 {
		w.add(damage{power, 2*o.n + seed}, fault{after, o.n, 0})
		w.add(damage{flip, 2*o.n + seed}, fault{after, o.n, 0})
	}
	if w.continued {
		return // makes no difference to a disk
	}
	for _, n := range []int{1, 3, 0} {
		w.add(damage{}, fault{full, o.n, n})
	}
	if syncs[o.name] {
		w.add(damage{}, fault{unsync, o.n, 0})
		w.add(damage{}, fault{slow, o.n, 5})
	}
}

// relapse adds points at which the process that comes back after a first fault is
// killed, too.
func (w *way) relapse(t *testing.T, first fault) {
	p := w.point(damage{}, first, fault{kind: none})
	o, err := p.run()
	if err != nil {
		t.Errorf("%s: %v", p, err)
		return
	}
	for _, second := range o.ops[1] {
		for _, f := range kills(second) {
			w.add(damage{}, first, f)
		}
	}
}
