package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var _ tui.Commands = (*front)(nil)

// effects are what the commands in [slash.Builtins] do in the terminal interface, by name.
func (f *front) effects() map[string]func(ctx context.Context, arg string) (tui.Effect, error) {
	return map[string]func(ctx context.Context, arg string) (tui.Effect, error){
		"help":       f.help,
		"model":      f.model,
		"mode":       f.mode,
		"plan":       func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "plan"}, nil },
		"autopilot":  func(context.Context, string) (tui.Effect, error) { return tui.Effect{Mode: "autopilot"}, nil },
		"new":        func(ctx context.Context, _ string) (tui.Effect, error) { return f.enter(ctx, talkOptions{}) },
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

// own are the commands that only the terminal interface has.
func (f *front) own() []slash.Command {
	return []slash.Command{
		{Names: []string{"show"}, Args: "[NUMBER]", Help: "read the session in the pager, or the call with a number"},
		{Names: []string{"background"}, Help: "let the command or agent that runs continue in the background"},
	}
}

// commands are all commands but skills and prompts in files, in the order in which help shows them.
func (f *front) commands() []slash.Command { return append(slices.Clone(slash.Builtins), f.own()...) }

func (f *front) find(name string) (slash.Command, bool) {
	for _, c := range f.own() {
		if strings.EqualFold(c.Name(), name) {
			return c, true
		}
	}
	return slash.Find(name)
}

// List implements [tui.Commands].
func (f *front) List(ctx context.Context) (all []complete.Candidate, err error) {
	for _, d := range f.commands() {
		all = append(all, complete.Candidate{Text: d.Name(), Help: d.Help})
	}
	prompts, err := f.now.client.Session().Commands().Prompts(ctx)
	for _, p := range prompts {
		all = append(all, complete.Candidate{Text: timeline.OneLine(p.Name, 60), Help: timeline.OneLine(p.Description, 200)})
	}
	return all, err
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
	prompt, ok, err := f.talk.commandPrompt(ctx, name, arg)
	switch {
	case err != nil:
		return tui.Effect{}, err
	case !ok:
		return tui.Effect{}, fmt.Errorf("there is no command /%s; /help lists the commands. Begin a message with a space to send it", timeline.OneLine(name, 40))
	}
	m := asMessage(prompt, "")
	e := tui.Effect{Send: &m}
	if prompt.Notice != nil {
		e.Text = timeline.OneLine(*prompt.Notice, 400)
	}
	return e, nil
}

// help is the page of keys and commands.
func (f *front) help(ctx context.Context, _ string) (tui.Effect, error) {
	var list []page.Command
	for _, d := range f.commands() {
		list = append(list, page.Command{Name: strings.TrimSpace("/" + d.Name() + " " + d.Args), Help: d.Help})
	}
	prompts, err := f.now.client.Session().Commands().Prompts(ctx)
	for _, p := range prompts {
		list = append(list, page.Command{Name: "/" + p.Name, Help: p.Description, Source: "skills and prompts"})
	}
	return tui.Effect{Read: page.Help(f.keys, list)}, err
}

func (f *front) mode(_ context.Context, mode string) (tui.Effect, error) {
	if mode == "" {
		return tui.Effect{Text: "the modes are " + strings.Join(agentModes, ", ") + "; Shift-Tab changes the mode"}, nil
	}
	if !slices.Contains(agentModes, mode) {
		return tui.Effect{}, fmt.Errorf("there is no mode %q; the modes are %s", timeline.OneLine(mode, 40), strings.Join(agentModes, ", "))
	}
	return tui.Effect{Mode: mode}, nil
}

func (f *front) model(ctx context.Context, name string) (tui.Effect, error) {
	s := f.now.client.Session()
	if name == "" {
		now, _, err := s.Settings().Model(ctx)
		return tui.Effect{Text: "the model is " + timeline.OneLine(now, 200)}, err
	}
	if err := s.Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: name}); err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "the model is now " + timeline.OneLine(name, 200)}, nil
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
	return f.enter(ctx, talkOptions{resume: id})
}

// enter opens the session that which names.
func (f *front) enter(ctx context.Context, which talkOptions) (tui.Effect, error) {
	w := f.which
	which.unfinished = w.unfinished
	id, err := which.chosen(ctx, f.parts)
	if err != nil {
		return tui.Effect{}, err
	}
	if id != "" && id == f.now.ID() {
		return tui.Effect{Text: "this session is open already"}, nil
	}
	c, err := which.open(ctx, f.Options, f.parts, f.talk)
	if err != nil {
		return tui.Effect{}, err
	}
	f.talk.client, f.now = c, f.session(c)
	return tui.Effect{Session: f.now}, nil
}
