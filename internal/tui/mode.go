package tui

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// modes are the modes of the agent, in the order of Shift-Tab.
func modes() []slash.Choice {
	c, _ := slash.Find("mode")
	return c.Choices
}

// nextMode is Shift-Tab.
func (p *program) nextMode() {
	all := modes()
	at := slices.IndexFunc(all, func(c slash.Choice) bool { return c.Name == p.mode })
	p.useMode(all[(at+1)%len(all)].Name)
}

// useMode is the mode of further messages.
func (p *program) useMode(name string) {
	p.mode = name
	for _, c := range modes() {
		if c.Name == name {
			p.say(name + " mode: " + c.Help)
		}
	}
}

// chooseMode lets the user choose the mode.
func (p *program) chooseMode() {
	var choices []page.Choice
	for _, c := range modes() {
		choices = append(choices, page.Choice{ID: c.Name, Title: c.Name, About: c.Help, Current: c.Name == p.mode})
	}
	l := page.Choices(p.Keys, "Mode of the agent", choices)
	p.pick(&Picker{List: l, Do: func(_ context.Context, o list.Outcome) (Effect, error) {
		return Effect{Close: true, Mode: o.Item.ID}, nil
	}})
}
