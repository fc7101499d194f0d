package front

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var _ tui.Commands = (*guest)(nil)

// effects are what commands do in a session of a server, by name. The server carries out the other
// commands that are not only for terminals; those work only in a session of this process.
func (g *attached) effects() map[string]effect {
	all := g.desk.effects(g)
	all["rename"], all["export"] = g.entitle, g.export
	return all
}

// here are the commands that are carried out here, in the order in which help shows them.
func (g *guest) here() (all []slash.Command) {
	do := (&attached{guest: g}).effects()
	for _, d := range slices.Concat(slash.Builtins, g.own()) {
		if do[d.Name()] != nil {
			all = append(all, d)
		}
	}
	return append(all, g.joined()...)
}

// List implements [tui.Commands].
func (g *guest) List(ctx context.Context, s tui.Session) (all []complete.Candidate, err error) {
	own := g.here()
	all = offered(own)
	theirs, err := s.(*attached).Commands(ctx)
	for _, c := range theirs {
		if !slices.ContainsFunc(own, func(d slash.Command) bool { return slices.Contains(d.Names, c.Name) }) {
			all = append(all, complete.Candidate{Text: timeline.OneLine(c.Name, 60), Help: timeline.OneLine(c.Description, 200)})
		}
	}
	return all, err
}

// Arguments implements [tui.Commands].
func (g *guest) Arguments(ctx context.Context, _ tui.Session) (map[string][]complete.Candidate, error) {
	all := map[string][]complete.Candidate{}
	for _, d := range g.here() {
		for _, c := range d.Listed() {
			all[d.Name()] = append(all[d.Name()], complete.Candidate{Text: c.Name, Help: c.Help})
		}
	}
	for _, mode := range diffModes {
		all["diff"] = append(all["diff"], complete.Candidate{Text: mode})
	}
	models, err := g.link.Models(ctx)
	for _, m := range models {
		all["model"] = append(all["model"], complete.Candidate{Text: timeline.OneLine(m, 200)})
	}
	return all, err
}

// run carries out a command in the session.
func (g *attached) run(ctx context.Context, name, arg string) (tui.Effect, error) {
	return slash.Table[tui.Effect]{Own: g.own(), Do: g.effects(), Other: g.invoke, Rest: func(ctx context.Context, d slash.Command, arg string) (tui.Effect, error) {
		if d.Terminal {
			return tui.Effect{}, fmt.Errorf("/%s works only in a session of this process, and this one is on the server %s", d.Name(), g.link.Address)
		}
		if d.Path && g.near {
			arg = cli.Untilde(arg)
		}
		return g.invoke(ctx, d.Name(), arg)
	}}.Run(ctx, name, arg)
}

// invoke has the server carry out a command: one of its own, a skill, or a prompt in a file.
func (g *attached) invoke(ctx context.Context, name, arg string) (tui.Effect, error) {
	r, err := g.Session.Invoke(ctx, name, arg)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return tui.Effect{}, tui.NoCommand("there is no command /" + timeline.OneLine(name, 40) + "; /help lists the commands. Begin a message with a space to send it")
	case err != nil:
		return tui.Effect{}, err
	}
	e := tui.Effect{Text: timeline.Harmless(cmp.Or(r.Text, r.Message)), Mode: r.Mode}
	if r.Kind == "agent-prompt" {
		e.Text, e.Mode = timeline.OneLine(r.Notice, 400), ""
		e.Send = &wire.Send{Prompt: r.Prompt, DisplayPrompt: r.DisplayPrompt, AgentMode: r.Mode}
	}
	return e, nil
}

// help is the page of keys and commands.
func (g *attached) help(ctx context.Context, _ string) (tui.Effect, error) {
	all, err := g.List(ctx, g)
	var list []page.Command
	for _, c := range all {
		list = append(list, page.Command{Name: "/" + c.Text, Help: c.Help})
	}
	return tui.Effect{Read: page.Help(g.keys, list)}, err
}

// window shows what fills the window of the model.
func (g *attached) window(ctx context.Context, _ string) (tui.Effect, error) {
	w, err := g.Session.Window(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: strings.Join(append(w.Rows(), "of "+w.Of()+", estimated; /compact summarizes the conversation"), "\n")}, nil
}

// export writes the session to a file of this machine.
func (g *attached) export(ctx context.Context, path string) (tui.Effect, error) {
	s := g
	text, err := entry.Export(s.ID(), path, func(format string, out io.Writer) error {
		title, err := s.Name(ctx)
		if err != nil {
			return err
		}
		return export.Write(out, format, title, lines(s.Records(ctx)))
	})
	return tui.Effect{Text: text}, err
}

// lines are events as lines of a log.
func lines(events iter.Seq2[wire.Event, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range events {
			if !yield(wire.AppendEvent(nil, &e), err) {
				return
			}
		}
	}
}

// background lets the work that runs continue in the background.
func (g *attached) background(ctx context.Context, _ string) (tui.Effect, error) {
	did, err := g.Session.Promote(ctx)
	if err == nil && !did {
		err = errNothingRuns
	}
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "it continues in the background"}, nil
}
