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
	return c.Listed()
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
	p.keepMode()
	for _, c := range modes() {
		if c.Name == name {
			p.say(name + " mode: " + c.Help)
		}
	}
}

// keepMode records the mode of further messages in the session, which is in it when it is opened again.
// While the agent works it waits: the run keeps the mode that it began with.
func (p *program) keepMode() {
	s, mode := p.joined.Session, p.mode
	if s == nil || p.working || mode == p.kept {
		return
	}
	p.kept = mode
	p.keeping.Begin(p.beside, func(ctx context.Context) (func(), error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), orderTime) // also if the user leaves now
		defer cancel()
		return func() {}, s.SetMode(ctx, mode)
	}, p.unexpected)
}

// modeChanged takes over the mode of the session, unless that is one which the user has left since.
func (p *program) modeChanged(mode string) {
	if mode != "" && !p.keeping.busy {
		p.mode, p.kept = mode, mode
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
