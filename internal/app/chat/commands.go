package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/configcmd"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// chatDo are what commands of [slash.Builtins] do here, by name; the session carries out the others. An error
// is printed, unless it is [errQuit] or [over].
func chatDo() map[string]func(c *chatter, ctx context.Context, arg string) error {
	return map[string]func(c *chatter, ctx context.Context, arg string) error{
		"help":       (*chatter).help,
		"model":      (*chatter).switchModel,
		"mode":       (*chatter).switchMode,
		"plan":       func(c *chatter, ctx context.Context, _ string) error { return c.switchMode(ctx, "plan") },
		"autopilot":  (*chatter).autopilot,
		"retry":      (*chatter).retry,
		"new":        func(c *chatter, ctx context.Context, _ string) error { return c.enter(ctx, "") },
		"resume":     (*chatter).goOnWith,
		"sessions":   (*chatter).listSessions,
		"fork":       (*chatter).fork,
		"rewind":     (*chatter).rewind,
		"undo":       (*chatter).undo,
		"diff":       (*chatter).diff,
		"export":     (*chatter).export,
		"copy":       (*chatter).copy,
		"compact":    (*chatter).compact,
		"sandbox":    (*chatter).sandbox,
		"quarantine": (*chatter).quarantine,
		"usage":      (*chatter).usage,
		"config":     (*chatter).configure,
		"quit":       func(*chatter, context.Context, string) error { return errQuit },
	}
}

// here is the session as commands act on it.
func (c *chatter) here() operate.Here { return operate.Here{Client: c.talk.client} }

// command runs a command of this program, or sends the prompt of a skill or a file. An error ends the
// chat.
func (c *chatter) command(ctx context.Context, name, arg string) error {
	err := c.perform(ctx, name, arg)
	if ended := (over{}); err != nil && !errors.Is(err, errQuit) && !errors.As(err, &ended) {
		c.fail(c.talk.inWords(err))
		err = nil
	}
	return err
}

// perform runs a command, which may have an argument or none.
func (c *chatter) perform(ctx context.Context, name, arg string) error {
	type nothing = struct{}
	do := map[string]func(context.Context, string) (nothing, error){}
	for name, f := range chatDo() {
		do[name] = func(ctx context.Context, arg string) (nothing, error) { return nothing{}, f(c, ctx, arg) }
	}
	_, err := slash.Table[nothing]{Do: do, Rest: func(ctx context.Context, d slash.Command, arg string) (nothing, error) {
		if d.Path {
			arg = cli.Untilde(arg)
		}
		return nothing{}, c.inSession(ctx, d.Name(), arg)
	}, Other: func(ctx context.Context, name, arg string) (nothing, error) {
		return nothing{}, c.sendPrompt(ctx, name, arg)
	}}.Run(ctx, name, arg)
	return err
}

// inSession has the session carry out a command, and prints what it says.
func (c *chatter) inSession(ctx context.Context, name, arg string) error {
	text, err := c.here().Do(ctx, name, arg)
	if err != nil {
		return err
	}
	if rest, warns := strings.CutPrefix(text, "careful: "); warns {
		text = c.look.Yellow("careful: ") + rest
	}
	c.print(strings.TrimSuffix(text, "\n") + "\n")
	return c.permitting(ctx)
}

// sendPrompt sends the prompt of a skill or a file.
func (c *chatter) sendPrompt(ctx context.Context, name, arg string) error {
	prompt, ok, err := operate.Prompt(ctx, c.talk.client.Session(), name, arg)
	switch {
	case err != nil:
		return err
	case !ok:
		c.print("there is no command /" + timeline.OneLine(name, 40) + "; /help lists the commands. Begin a message with a space to send it\n")
		return nil
	}
	if prompt.Notice != nil {
		c.print(timeline.OneLine(*prompt.Notice, 10*terminal.Columns) + "\n")
	}
	return c.settle(ctx, c.talk.say(ctx, operate.Message(prompt, c.agent)))
}

func (c *chatter) help(ctx context.Context, _ string) error {
	for _, d := range slash.Builtins {
		c.print("  " + timeline.Pad("/"+d.Name()+" "+d.Args, 18) + " " + d.Help + "\n")
	}
	width, _ := c.out.Size()
	skills, err := c.talk.client.Session().Commands().Prompts(ctx)
	if err != nil {
		return err
	}
	for _, k := range skills {
		row := timeline.Pad("/"+timeline.OneLine(k.Name, 40), 18) + " " + timeline.OneLine(k.Description, terminal.Columns)
		c.print(timeline.Cut("  "+row, width) + "\n")
	}
	c.print(c.look.Dim("  a line that ends in \\ continues on the next; \"\"\" surrounds a longer text") + "\n")
	return nil
}

func (c *chatter) switchModel(ctx context.Context, name string) error {
	if name == "" {
		now, _, err := c.talk.client.Session().Settings().Model(ctx)
		if now == "" {
			now = "the first that the provider lists"
		}
		if err == nil {
			c.print("the model is " + timeline.OneLine(now, terminal.Columns) + "; sidestick models lists the models\n")
		}
		return err
	}
	if err := c.here().SwitchModel(ctx, name); err != nil {
		return err
	}
	c.print("the model is now " + timeline.OneLine(name, terminal.Columns) + "\n")
	return nil
}

func (c *chatter) switchMode(_ context.Context, mode string) error {
	if mode != "" && !slices.Contains(entry.AgentModes(), mode) {
		return cli.NewUsageError(fmt.Errorf("there is no mode %q; the modes are %s", mode, strings.Join(entry.AgentModes(), ", ")))
	}
	if mode != "" {
		c.agent = mode
	}
	name := c.agent
	if name == "" {
		name = "interactive"
	}
	c.print(name + " mode\n")
	return nil
}

// autopilot ends this mode if the chat is in it.
func (c *chatter) autopilot(ctx context.Context, _ string) error {
	if c.agent == "autopilot" {
		return c.switchMode(ctx, "interactive")
	}
	return c.switchMode(ctx, "autopilot")
}

// goOnWith continues another session; without an id it lists them.
func (c *chatter) goOnWith(ctx context.Context, id string) error {
	if id == "" {
		return c.listSessions(ctx, "")
	}
	return c.enter(ctx, id)
}

// enter leaves the session for the one with an id, or with its first characters, or for a new one. If
// that cannot be opened, the chat stays in its session.
func (c *chatter) enter(ctx context.Context, given string) error {
	which := c.Another(given)
	t := c.talk
	id, err := t.Choose(ctx, which)
	if err != nil {
		return err
	}
	if id == t.client.Session().ID() {
		c.print("this session is open already\n")
		return nil
	}
	fresh, notes, err := t.Open(ctx, which)
	if err != nil {
		return err
	}
	for _, n := range notes {
		c.print(n + "\n")
	}
	old := t.client
	t.end()
	t.begin(fresh)
	c.print("session " + t.shortID(ctx) + "\n")
	c.welcome(ctx)
	if err := errors.Join(c.permitting(ctx), old.Detach(ctx)); err != nil {
		return err
	}
	return c.rejoin(ctx)
}

// listLines is how many sessions the chat lists.
const listLines = 10

func (c *chatter) listSessions(ctx context.Context, _ string) error {
	list, err := c.talk.Here(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.print("there is no session in this folder yet\n")
	}
	width, _ := c.out.Size()
	short := c.talk.Parts.Sessions.Shortener(ctx)
	for i, m := range list {
		if i == listLines {
			c.print(c.look.Dim("  … sidestick sessions list shows all") + "\n")
			break
		}
		row := timeline.Pad(cli.Age(m.ModifiedTime), 4) + "  " + timeline.OneLine(m.Summary, terminal.Columns)
		c.print(timeline.Cut("  "+short(m.SessionID)+"  "+row, width) + "\n")
	}
	return nil
}

// configure shows the settings, or changes one.
func (c *chatter) configure(ctx context.Context, arg string) error {
	if arg == "edit" {
		return errors.New("/config edit works in the terminal interface; here, /config KEY VALUE sets a setting, and sidestick config edit opens the file")
	}
	text, err := configcmd.Do(ctx, c.Options, arg)
	c.print(text)
	return err
}

// usage prints what this chat has used, and what the session has.
func (c *chatter) usage(ctx context.Context, _ string) error {
	c.print(c.spent.String() + "\n")
	return c.inSession(ctx, "usage", "")
}
