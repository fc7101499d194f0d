package front

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
)

var _ tui.Commands = (*front)(nil)

// effects are what the commands in [slash.Builtins] do in the terminal interface, by name.
func (f *front) effects() map[string]func(ctx context.Context, arg string) (tui.Effect, error) {
	return map[string]func(ctx context.Context, arg string) (tui.Effect, error){
		"help":       f.help,
		"model":      f.model,
		"mode":       f.mode,
		"effort":     f.effort,
		"tasks":      f.tasks,
		"mcp":        f.mcpServers,
		"agents":     f.agents,
		"skills":     f.skills,
		"rules":      f.rules,
		"context":    f.window,
		"plan":       func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "plan"}, nil },
		"autopilot":  func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "autopilot"}, nil },
		"new":        f.another,
		"resume":     f.resume,
		"compact":    f.compact,
		"sessions":   f.sessions,
		"rewind":     f.rewind,
		"undo":       f.undo,
		"fork":       f.fork,
		"diff":       f.diff,
		"copy":       f.copy,
		"show":       f.show,
		"usage":      f.usage,
		"background": f.background,
		"quit":       func(context.Context, string) (tui.Effect, error) { return tui.Effect{Quit: true}, nil },
	}
}

// Run implements [tui.Commands].
func (f *front) Run(ctx context.Context, name, arg string) (tui.Effect, error) {
	if d, ok := f.find(name); ok {
		if d.Args == "" && arg != "" {
			return tui.Effect{}, fmt.Errorf("/%s takes no argument; %q was not used, and nothing was done", d.Name(), timeline.OneLine(arg, 40))
		}
		if do := f.effects()[d.Name()]; do != nil {
			return do(ctx, arg)
		}
		return f.printed(ctx, d, arg)
	}
	prompt, ok, err := operate.Prompt(ctx, f.now.client.Session(), name, arg)
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

// mode sets the mode of further messages. Without an argument, the interface lets the user choose it.
func (f *front) mode(_ context.Context, mode string) (tui.Effect, error) {
	if !slices.Contains(entry.AgentModes(), mode) {
		return tui.Effect{}, fmt.Errorf("there is no mode %q; the modes are %s", timeline.OneLine(mode, 40), strings.Join(entry.AgentModes(), ", "))
	}
	return tui.Effect{Mode: mode}, nil
}

// compact makes the conversation shorter. Its events say how it goes.
func (f *front) compact(ctx context.Context, focus string) (tui.Effect, error) {
	_, err := f.now.client.Session().Compaction().Run(ctx, focus)
	return tui.Effect{}, err
}

// resume continues another session; without an id it lists them.
func (f *front) resume(ctx context.Context, id string) (tui.Effect, error) {
	if id == "" {
		return f.sessions(ctx, "")
	}
	return f.enter(ctx, &entry.Settings{Resume: id})
}

// enter opens the session that which names.
func (f *front) enter(ctx context.Context, which *entry.Settings) (tui.Effect, error) {
	which.Unfinished = f.opts.Settings.Unfinished
	id, err := f.runtime.Choose(ctx, which)
	if err != nil {
		return tui.Effect{}, err
	}
	if id != "" && id == f.now.ID() {
		return tui.Effect{Text: "this session is open already"}, nil
	}
	c, err := f.runtime.Open(ctx, which)
	if err != nil {
		return tui.Effect{}, err
	}
	f.now = f.session(c)
	return tui.Effect{Session: f.now}, nil
}

// another begins a new session.
func (f *front) another(ctx context.Context, _ string) (tui.Effect, error) {
	e, err := f.enter(ctx, &entry.Settings{})
	e.Text = "a new session"
	return e, err
}

// fork continues in a copy of the session.
func (f *front) fork(ctx context.Context, title string) (tui.Effect, error) {
	id, err := f.runtime.Parts.Sessions.Fork(ctx, f.now.ID(), "", title)
	if err != nil {
		return tui.Effect{}, err
	}
	e, err := f.enter(ctx, &entry.Settings{Resume: id})
	e.Text = "this is a copy of the session; the other one stays as it is"
	return e, err
}

// printed carries out a command without a page, and shows what it prints.
func (f *front) printed(ctx context.Context, d slash.Command, arg string) (tui.Effect, error) {
	columns := terminal.Columns
	if f.runtime.Terminal != nil {
		columns, _ = f.runtime.Terminal.Size()
	}
	text, err := f.opts.Print(ctx, f.now.client, d, arg, columns-2)
	return tui.Effect{Text: text}, err
}
