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

// begun begins a session.
func (g *guest) begun(ctx context.Context, _ string) (tui.Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	s, err := g.create(ctx, "")
	return g.entered(s, err)
}

// entered shows a session that was opened.
func (g *guest) entered(s *attached, err error) (tui.Effect, error) {
	if err != nil {
		return tui.Effect{}, err
	}
	g.shown.Store(s)
	return tui.Effect{Session: s}, nil
}

// resume continues another session. Without an id it continues the one that is shown, if that has ended,
// and else lists the sessions.
func (g *guest) resume(ctx context.Context, id string) (tui.Effect, error) {
	switch {
	case id == "" && !g.now().Ended():
		return g.pickSession(g), nil
	case id == "", id == g.current(): // the server does not list it before its first message
		return g.continueWith(ctx, g.current())
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	id, err := g.chosen(ctx, &entry.Settings{Resume: id})
	if err != nil {
		return tui.Effect{}, err
	}
	return g.continueWith(ctx, id)
}

// continueWith implements [sessionStore]. The session that is shown can be entered again if it has ended
// with its connection.
func (g *guest) continueWith(ctx context.Context, id string) (tui.Effect, error) {
	if id == g.now().ID() && !g.now().Ended() {
		return tui.Effect{Text: "this session is open already"}, nil
	}
	if id == g.now().ID() {
		_ = g.now().Session.Leave(ctx) // it was closed, or the connection is lost
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	s, err := g.open(ctx, id)
	return g.entered(s, err)
}

// fork continues in a copy of the session.
func (g *guest) fork(ctx context.Context, title string) (tui.Effect, error) {
	id, err := g.link.Fork(ctx, g.now().ID(), title)
	if err != nil {
		return tui.Effect{}, err
	}
	return g.continueWith(ctx, id)
}

// entitle gives the session another title.
func (g *guest) entitle(ctx context.Context, title string) (tui.Effect, error) {
	if err := g.now().Rename(ctx, title); err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "the session is now called: " + timeline.OneLine(title, 200)}, nil
}

func (g *guest) stored(ctx context.Context) ([]wire.SessionMetadata, error) {
	return g.link.List(ctx, "")
}

func (g *guest) current() string { return g.now().ID() }

func (g *guest) recap(ctx context.Context, id string) (*timeline.Recap, error) {
	return g.link.Recap(ctx, id)
}

func (g *guest) remove(ctx context.Context, id string) error { return g.link.Delete(ctx, id) }

func (g *guest) rename(ctx context.Context, id, title string) error {
	if id == g.now().ID() {
		return g.now().Rename(ctx, title)
	}
	return g.link.Rename(ctx, id, title)
}

// model switches to the model with a name, or lets the user choose one.
func (g *guest) model(ctx context.Context, name string) (tui.Effect, error) {
	if name != "" {
		return g.useModel(ctx, name)
	}
	now, err := g.now().Model(ctx)
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
		e, err := g.useModel(ctx, o.Item.ID)
		e.Close = err == nil
		return e, err
	}}}, nil
}

func (g *guest) useModel(ctx context.Context, name string) (tui.Effect, error) {
	return tui.Effect{}, g.now().SwitchModel(ctx, name) // an event says so
}
