package effects_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	data, _ := os.ReadFile("/tmp/probe.txt")
	r := rules(t, generous...)
	for l := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		l = strings.ReplaceAll(l, `\N`, "\n")
		d, c := decide(t, r, l)
		fmt.Printf("%-7v %q  -- %s %v\n", d.Verdict, l, d.Why, c.Paths)
	}
}
