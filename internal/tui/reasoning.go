package tui

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// reasonings are the ways in which reasoning can be shown, in the order of the key, and their words.
var reasonings = []string{"collapsed", "full", "hidden"}

// reason shows the reasoning of the model in a way; "" is the next one.
func (p *program) reason(how string) {
	if how == "" {
		how = reasonings[(max(slices.Index(reasonings, p.Cells.Reasoning), 0)+1)%len(reasonings)]
	}
	if !slices.Contains(reasonings, how) {
		p.warn("/reasoning takes " + strings.Join(reasonings, ", ") + "; nothing was changed")
		return
	}
	p.Cells.Reasoning = how
	p.talk.ShowReasoning(how)
	p.say(map[string]string{
		"collapsed": "reasoning from now on: one row" + p.how("; %s has all of it", keymap.Output), "full": "reasoning from now on: in full", "hidden": "reasoning from now on: hidden" + p.how("; %s has it", keymap.Output),
	}[how])
}
