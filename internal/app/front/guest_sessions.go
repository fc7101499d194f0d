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
func (g *attached) begun(ctx context.Context, _ string) (tui.Effect, error) {
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

// resume continues another session. Without an id it continues this one, if it has ended, and else lists
// the sessions.
func (g *attached) resume(ctx context.Context, id string) (tui.Effect, error) {
	switch {
	case id == "" && !g.Session.Ended():
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

// model switches to the model with a name, or lets the user choose one.
func (g *attached) model(ctx context.Context, name string) (tui.Effect, error) {
	if name != "" {
		return g.useModel(ctx, name)
	}
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
		e, err := g.useModel(ctx, o.Item.ID)
		e.Close = err == nil
		return e, err
	}}}, nil
}

func (g *attached) useModel(ctx context.Context, name string) (tui.Effect, error) {
	return tui.Effect{}, g.Session.SwitchModel(ctx, name) // an event says so
}
