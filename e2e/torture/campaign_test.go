//go:build unix

package torture_test

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
)

var (
	onePoint = flag.String("torture.point", "", "live only this `point`, as a failure prints it")
	howMany  = flag.Int("torture.points", defaultPoints, "how many `points` to live, evenly spread over all; 0 is all")
	only     = flag.String("torture.variants", "", "live only points of these `variants`, with commas between them")
	atOnce   = flag.Int("torture.parallel", 2, "how many `processes` to have at once")
	report   = flag.String("torture.report", "", "write the table of results to this `file`")
)

// variants are the ways to hold the conversation.
var variants = []variant{
	{name: "plain", sessions: 1, calls: 2, text: 16, streaming: true, queue: 1},
	{name: "whole", sessions: 1, calls: 3, text: 300, queue: 2},
	{name: "asking", sessions: 1, calls: 3, asks: true, text: 40, streaming: true, queue: 1},
	{name: "long", sessions: 1, calls: 2, text: 12_000, streaming: true, queue: 1},
	{name: "two", sessions: 2, calls: 2, text: 100, streaming: true, queue: 1},
	{name: "two-asking", sessions: 2, calls: 4, asks: true, text: 3000, queue: 3},
	{name: "agents", sessions: 1, text: 40, streaming: true, scene: &agentScene},
	{name: "suspend", sessions: 1, text: 40, streaming: true, scene: &suspendScene},
	{name: "questions", sessions: 1, text: 40, streaming: true, scene: &questionScene},
}

func TestCampaign(t *testing.T) {
	points := campaign(t)
	results := newTable()
	each(points, func(p point) {
		o, err := p.run()
		if err != nil {
			t.Errorf("%s: %v", p, err)
		}
		results.add(o)
		if *onePoint != "" {
			t.Log(o.story())
		}
	})
	conclude(t, results)
}

// each hands the elements of a list to f, some at once.
func each[E any](list []E, f func(E)) { inParallel(*atOnce, list, f) }

// inParallel hands the elements of a list to f, n at once.
func inParallel[E any](n int, list []E, f func(E)) {
	queue := make(chan E)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for e := range queue {
				f(e)
			}
		})
	}
	for _, e := range list {
		queue <- e
	}
	close(queue)
	wg.Wait()
}

// campaign is the points to live.
func campaign(t *testing.T) []point {
	t.Helper()
	if *onePoint != "" {
		p, err := parsePoint(*onePoint)
		if err != nil {
			t.Fatal(err)
		}
		return []point{p}
	}
	all := enumerate(t)
	t.Logf("there are %d points", len(all))
	return sample(all, *howMany)
}

// sample takes n of all, evenly spread; all for 0.
func sample(all []point, n int) []point {
	if n <= 0 || n >= len(all) {
		return all
	}
	some := make([]point, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// conclude prints the table and fails with the broken promises.
func conclude(t *testing.T, results *table) {
	t.Helper()
	text := results.String()
	t.Logf("\n%s", text)
	if *report != "" {
		if err := os.WriteFile(*report, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	for _, broken := range results.failures() {
		t.Error(broken)
	}
	if !strings.Contains(text, "|") {
		t.Error("there are no results")
	}
}
