package tui

import (
	"context"
	"slices"
	"strconv"

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
	lines := slices.Clone(p.History.Lines())
	slices.Reverse(lines)
	p.pick(&Picker{List: page.History(p.Keys, lines), Do: func(_ context.Context, o list.Outcome) (Effect, error) {
		i, err := strconv.Atoi(o.Item.ID)
		if err != nil || o.Action != keymap.ListChoose {
			return Effect{}, err
		}
		return Effect{Close: true, Draft: lines[i]}, nil
	}})
}
