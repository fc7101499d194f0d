package tui

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// keep adds a line to the history. Its file is written beside the loop: other processes may have it
// locked.
func (p *program) keep(line string) {
	if store := p.History.Add(line); store != nil {
		p.beside(func(ctx context.Context) func() {
			store(ctx)
			return nil
		})
	}
}

// chooseHistory lets the user choose earlier input, which is put into the input box.
func (p *program) chooseHistory() {
	var inputs []page.Input
	for _, line := range slices.Backward(p.History.Lines()) {
		inputs = append(inputs, page.Input{Text: line})
	}
	l := page.History(p.Keys, inputs, time.Time{})
	l.Actions = nil
	p.pick(&Picker{List: l, Do: func(_ context.Context, o list.Outcome) (Effect, error) {
		i, err := strconv.Atoi(o.Item.ID)
		if err != nil || o.Action != keymap.ListChoose {
			return Effect{}, err
		}
		return Effect{Close: true, Draft: inputs[i].Text}, nil
	}})
}
