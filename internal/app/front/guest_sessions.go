package front

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// another begins a session.
func (g *attached) another(ctx context.Context, _ string) (tui.Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	s, err := g.create(ctx, "")
	return g.entered(s, err)
}

// entered shows a session that was opened.
func (g *attached) entered(s *attached, err error) (tui.Effect, error) {
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Session: s}, nil
}

// enter implements [subject].
func (g *attached) enter(ctx context.Context, given string) (tui.Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	id, err := g.chosen(ctx, &entry.Settings{Resume: given})
	if err != nil {
		return tui.Effect{}, err
	}
	return g.continueWith(ctx, id)
}

// continueWith implements [sessionStore]. The session that is shown can be entered again if it has ended
// with its connection.
func (g *attached) continueWith(ctx context.Context, id string) (tui.Effect, error) {
	if id == g.Session.ID() && !g.Session.Ended() {
		return tui.Effect{Text: "this session is open already"}, nil
	}
	if id == g.Session.ID() {
		_ = g.Session.Leave(ctx) // it was closed, or the connection is lost
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	s, err := g.open(ctx, id)
	return g.entered(s, err)
}

// fork continues in a copy of the session.
func (g *attached) fork(ctx context.Context, title string) (tui.Effect, error) {
	id, err := g.link.Fork(ctx, g.Session.ID(), title)
	if err != nil {
		return tui.Effect{}, err
	}
	return g.continueWith(ctx, id)
}

// entitle gives the session another title.
func (g *attached) entitle(ctx context.Context, title string) (tui.Effect, error) {
	if err := g.Session.Rename(ctx, title); err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "the session is now called: " + timeline.OneLine(title, 200)}, nil
}

func (g *attached) stored(ctx context.Context) ([]wire.SessionMetadata, error) {
	return g.link.List(ctx, "")
}

func (g *attached) current() string { return g.Session.ID() }

func (g *attached) recap(ctx context.Context, id string) (*timeline.Recap, error) {
	return g.link.Recap(ctx, id)
}

func (g *attached) remove(ctx context.Context, id string) error { return g.link.Delete(ctx, id) }

func (g *attached) rename(ctx context.Context, id, title string) error {
	if id == g.Session.ID() {
		return g.Session.Rename(ctx, title)
	}
	return g.link.Rename(ctx, id, title)
}

// pickModel implements [subject].
func (g *attached) pickModel(ctx context.Context) (tui.Effect, error) {
	now, err := g.Session.Model(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	names, err := g.link.Models(ctx)
	if err != nil || len(names) == 0 {
		return tui.Effect{Text: "the model is " + timeline.OneLine(now, 200)}, err
	}
	var choices []page.Choice
	for _, n := range names {
		choices = append(choices, page.Choice{ID: n, Title: timeline.OneLine(n, 200), Current: n == now})
	}
	l := page.Choices(g.keys, "The models of the server", choices)
	return tui.Effect{Pick: &tui.Picker{List: l, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose || o.Item.ID == "" {
			return tui.Effect{}, nil
		}
		err := g.SwitchModel(ctx, o.Item.ID)
		return tui.Effect{Close: err == nil}, err
	}}}, nil
}
