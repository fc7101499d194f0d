package front

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
)

var _ tui.Commands = (*front)(nil)

// effect is what a command does with its argument, "" if it has none.
type effect = func(ctx context.Context, arg string) (tui.Effect, error)

// subject is the session that commands act on: [embedded] or [attached].
type subject interface {
	operate.Desk
	sessionStore
	run(ctx context.Context, name, arg string) (tui.Effect, error)
	// Ended reports whether the session has to be entered again.
	Ended() bool
	// enter enters the session with an id, or with its first characters.
	enter(ctx context.Context, given string) (tui.Effect, error)
	// pickModel lets the user choose a model.
	pickModel(ctx context.Context) (tui.Effect, error)

	// settingsOf says whose settings /config shows, and from when on a change counts.
	settingsOf() string

	// These are the commands that every session has, and carries out in its own way.
	help(ctx context.Context, _ string) (tui.Effect, error)
	window(ctx context.Context, _ string) (tui.Effect, error)
	another(ctx context.Context, _ string) (tui.Effect, error)
	fork(ctx context.Context, title string) (tui.Effect, error)
	background(ctx context.Context, _ string) (tui.Effect, error)
}

var (
	_ subject = (*embedded)(nil)
	_ subject = (*attached)(nil)
)

// effects are what commands do in every session, by name.
func (d desk) effects(s subject) map[string]effect {
	return map[string]effect{
		"help": s.help, "context": s.window, "new": s.another, "fork": s.fork, "background": s.background,
		"mode": d.mode,
		"model": func(ctx context.Context, name string) (tui.Effect, error) {
			if name == "" {
				return s.pickModel(ctx)
			}
			return tui.Effect{}, s.SwitchModel(ctx, name) // an event says so
		},
		"sessions": func(context.Context, string) (tui.Effect, error) { return d.pickSession(s), nil },
		"resume":   func(ctx context.Context, id string) (tui.Effect, error) { return d.resume(ctx, s, id) },
		"plan":     func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "plan"}, nil },
		"autopilot": func(context.Context, string) (tui.Effect, error) {
			return tui.Effect{Mode: "autopilot", Toggle: true}, nil
		},
		"compact": func(ctx context.Context, focus string) (tui.Effect, error) {
			return tui.Effect{}, s.Compact(ctx, focus) // its events say how it goes
		},
		"rewind": func(ctx context.Context, arg string) (tui.Effect, error) {
			return newRewinder(s, d.keys, s.words).choose(ctx, arg)
		},
		"undo": func(ctx context.Context, _ string) (tui.Effect, error) {
			return newRewinder(s, d.keys, s.words).last(ctx)
		},
		"diff": func(ctx context.Context, mode string) (tui.Effect, error) { return d.review(ctx, mode, s.Changes) },
		"copy": func(ctx context.Context, arg string) (tui.Effect, error) {
			return copied(arg, func(n int) (string, error) { return s.Answer(ctx, n) })
		},
		"show": func(ctx context.Context, arg string) (tui.Effect, error) { return d.showSession(s.Records(ctx), arg) },
		"config": func(ctx context.Context, arg string) (tui.Effect, error) {
			return d.configure(ctx, s.settingsOf(), arg)
		},
		"quit": func(context.Context, string) (tui.Effect, error) { return tui.Effect{Quit: true}, nil },
	}
}

// resume continues another session. Without an id it continues this one, if it has ended, and else lists
// the sessions.
func (d desk) resume(ctx context.Context, s subject, id string) (tui.Effect, error) {
	switch {
	case id == "" && !s.Ended():
		return d.pickSession(s), nil
	case id == "", id == s.current(): // a server does not list it before its first message
		return s.continueWith(ctx, s.current())
	}
	return s.enter(ctx, id)
}

// Run implements [tui.Commands].
func (d desk) Run(ctx context.Context, s tui.Session, name, arg string) (tui.Effect, error) {
	return s.(subject).run(ctx, name, arg)
}

// errNothingRuns is the error of /background without anything that it could leave.
var errNothingRuns = errors.New("no call waits for an agent or a command that could continue in the background")

// effects are what commands do in a session of this process, by name. The line mode carries out the others.
func (f *embedded) effects() map[string]effect {
	all := f.desk.effects(f)
	maps.Copy(all, map[string]effect{
		"effort": f.effort,
		"tasks":  f.tasks,
		"mcp":    f.mcpServers,
		"agents": f.agents,
		"skills": f.skills,
		"rules":  f.rules,
		"memory": f.memory,
		"usage": func(ctx context.Context, _ string) (tui.Effect, error) {
			text, err := f.Do(ctx, "usage", "")
			return tui.Effect{Text: text}, err
		},
		"retry": func(ctx context.Context, _ string) (tui.Effect, error) {
			return tui.Effect{}, f.Client.Session().Queue().Retry(ctx)
		},
	})
	return all
}

// run carries out a command in the session.
func (f *embedded) run(ctx context.Context, name, arg string) (tui.Effect, error) {
	return slash.Table[tui.Effect]{Own: f.own(), Do: f.effects(), Rest: f.printed, Other: f.sendPrompt}.Run(ctx, name, arg)
}

// sendPrompt sends the prompt of a skill or a file.
func (f *embedded) sendPrompt(ctx context.Context, name, arg string) (tui.Effect, error) {
	prompt, ok, err := operate.Prompt(ctx, f.Client.Session(), name, arg)
	switch {
	case err != nil:
		return tui.Effect{}, err
	case !ok:
		return tui.Effect{}, f.noCommand(ctx, name)
	}
	m := operate.Message(prompt, "")
	e := tui.Effect{Send: &m}
	if prompt.Notice != nil {
		e.Text = timeline.OneLine(*prompt.Notice, 400)
	}
	return e, nil
}

// enter opens the session with an id, or with its first characters, or a new one for "".
func (f *embedded) enter(ctx context.Context, given string) (tui.Effect, error) {
	which := f.opts.Settings.Another(given)
	id, err := f.runtime.Choose(ctx, which)
	if err != nil {
		return tui.Effect{}, err
	}
	if id != "" && id == f.ID() {
		if !f.Ended() {
			return tui.Effect{Text: "this session is open already"}, nil
		}
		_ = f.Leave(ctx) // it was closed
	}
	c, notes, err := f.runtime.Open(ctx, which)
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Session: f.session(ctx, c), Text: strings.Join(notes, "\n")}, nil
}

// another begins a new session.
func (f *embedded) another(ctx context.Context, _ string) (tui.Effect, error) {
	e, err := f.enter(ctx, "")
	e.Text = strings.TrimSpace("a new session\n" + e.Text)
	return e, err
}

// fork continues in a copy of the session.
func (f *embedded) fork(ctx context.Context, title string) (tui.Effect, error) {
	id, err := f.runtime.Parts.Sessions.Fork(ctx, f.ID(), "", title)
	if err != nil {
		return tui.Effect{}, err
	}
	e, err := f.enter(ctx, id)
	e.Text = strings.TrimSpace("this is a copy of the session; the other one stays as it is\n" + e.Text)
	return e, err
}

// printed carries out a command without a page, and shows what it prints.
func (f *embedded) printed(ctx context.Context, d slash.Command, arg string) (tui.Effect, error) {
	columns := terminal.Columns
	if f.runtime.Terminal != nil {
		columns, _ = f.runtime.Terminal.Size()
	}
	text, err := f.opts.Print(ctx, f.Client, d, arg, columns-2)
	return tui.Effect{Text: text}, err
}
