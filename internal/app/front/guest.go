package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

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
// commands that are not only for terminals, and those of [onlyHere] are refused.
func (g *attached) effects() map[string]func(ctx context.Context, arg string) (tui.Effect, error) {
	return map[string]func(ctx context.Context, arg string) (tui.Effect, error){
		"help":      g.help,
		"model":     g.model,
		"mode":      g.mode,
		"plan":      func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "plan"}, nil },
		"autopilot": func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "autopilot"}, nil },
		"new":       g.begun,
		"resume":    g.resume,
		"sessions":  func(context.Context, string) (tui.Effect, error) { return g.pickSession(g), nil },
		"rename":    g.entitle,
		"fork":      g.fork,
		"rewind":    func(ctx context.Context, arg string) (tui.Effect, error) { return g.rewinder().choose(ctx, arg) },
		"undo":      func(ctx context.Context, _ string) (tui.Effect, error) { return g.rewinder().last(ctx) },
		"diff": func(ctx context.Context, mode string) (tui.Effect, error) {
			return g.review(ctx, mode, g.Session.Changes)
		},
		"context": g.window,
		"export":  g.export,
		"copy":    g.copy,
		"show": func(ctx context.Context, arg string) (tui.Effect, error) {
			return g.showSession(g.Session.Records(ctx), arg)
		},
		"compact": func(ctx context.Context, focus string) (tui.Effect, error) {
			return tui.Effect{}, g.Session.Compact(ctx, focus)
		},
		"usage":      g.usage,
		"background": g.background,
		"quit":       func(context.Context, string) (tui.Effect, error) { return tui.Effect{Quit: true}, nil },
	}
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
	for _, d := range own {
		all = append(all, complete.Candidate{Text: d.Name(), Help: d.Help})
	}
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
		for _, c := range d.Choices {
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

// Run implements [tui.Commands].
func (g *guest) Run(ctx context.Context, s tui.Session, name, arg string) (tui.Effect, error) {
	return s.(*attached).run(ctx, name, arg)
}

// run carries out a command in the session.
func (g *attached) run(ctx context.Context, name, arg string) (tui.Effect, error) {
	for _, d := range g.here() {
		if !slices.ContainsFunc(d.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		if d.Args == "" && arg != "" {
			return tui.Effect{}, fmt.Errorf("/%s takes no argument; %q was not used, and nothing was done", d.Name(), timeline.OneLine(arg, 40))
		}
		return g.effects()[d.Name()](ctx, arg)
	}
	if d, ok := g.find(name); ok && slices.Contains(onlyHere(), d.Name()) {
		return tui.Effect{}, fmt.Errorf("/%s works only in a session of this process, and this one is on the server %s", d.Name(), g.link.Address)
	}
	return g.invoke(ctx, name, arg)
}

// onlyHere are the commands that work only in a session of this process. docs/terminal.md lists them.
func onlyHere() []string {
	return []string{"rules", "allow", "sandbox", "quarantine", "mcp", "agents", "skills", "effort", "tasks", "status"}
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
	var text []string
	for _, part := range []struct {
		name string
		n    int64
	}{{"system message", w.System}, {"tools", w.Tools}, {"conversation", w.Conversation}, {"free", w.Free()}} {
		text = append(text, fmt.Sprintf("%s %10s tokens %5.1f %%", timeline.Pad(part.name, 16), timeline.Count(part.n), w.Percent(part.n)))
	}
	return tui.Effect{Text: strings.Join(append(text, "of "+w.Of()+", estimated; /compact summarizes the conversation"), "\n")}, nil
}

func (g *attached) copy(ctx context.Context, arg string) (tui.Effect, error) {
	return copied(arg, func(n int) (string, error) { return g.Session.Answer(ctx, n) })
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

func (g *attached) usage(ctx context.Context, _ string) (tui.Effect, error) {
	u, err := g.Session.Usage(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: used(u)}, nil
}

// background lets the work that runs continue in the background.
func (g *attached) background(ctx context.Context, _ string) (tui.Effect, error) {
	did, err := g.Session.Promote(ctx)
	if err == nil && !did {
		err = errors.New("no call waits for an agent or a command that could continue in the background")
	}
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "it continues in the background"}, nil
}

func (g *attached) rewinder() *rewinder { return newRewinder(g.Session, g.keys, g.words) }
