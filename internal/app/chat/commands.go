package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// chatDo is a command of the chat. An error is printed, unless it is [errQuit].
type chatDo struct {
	names []string // the first is the one that help shows
	args  string
	help  string
	do    func(c *chatter, ctx context.Context, arg string) error
}

func chatCommands() []chatDo {
	return []chatDo{
		{[]string{"help", "?"}, "", "this list", (*chatter).help},
		{[]string{"model"}, "NAME", "use another model from here on", (*chatter).switchModel},
		{[]string{"mode"}, "[MODE]", "how the agent works: interactive, plan or autopilot", (*chatter).switchMode},
		{[]string{"plan"}, "", "short for /mode plan: make a plan first, and ask", func(c *chatter, ctx context.Context, _ string) error { return c.switchMode(ctx, "plan") }},
		{[]string{"autopilot"}, "", "short for /mode autopilot: go on until it is done", func(c *chatter, ctx context.Context, _ string) error { return c.switchMode(ctx, "autopilot") }},
		{[]string{"new"}, "", "begin a new session", func(c *chatter, ctx context.Context, _ string) error { return c.enter(ctx, talkOptions{}) }},
		{[]string{"resume"}, "[ID]", "go on with another session; its id's beginning is enough", (*chatter).goOnWith},
		{[]string{"sessions"}, "", "the newest sessions of this directory", (*chatter).listSessions},
		{[]string{"compact"}, "[FOCUS]", "sum the conversation up; FOCUS is what matters most", (*chatter).compact},
		{[]string{"rules"}, "[forget]", "what is allowed, and who said so; or take approvals back", (*chatter).rules},
		{[]string{"allow"}, "[on|off]", "allow everything without asking, or ask again", (*chatter).allow},
		{[]string{"usage"}, "", "what this chat has taken so far", (*chatter).usage},
		{[]string{"quit", "exit", "q"}, "", "leave; the session stays and can be gone on with", func(*chatter, context.Context, string) error { return errQuit }},
	}
}

// slash takes a command apart; ok is false for what is none, such as a path.
func slash(text string) (name, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	name, rest, _ = strings.Cut(text, " ")
	return name, strings.TrimSpace(rest), ok && name != "" && !strings.ContainsAny(name, "/\n*")
}

// command does one. Only leaving is an error.
func (c *chatter) command(ctx context.Context, name, arg string) error {
	for _, d := range chatCommands() {
		if !slices.Contains(d.names, name) {
			continue
		}
		err := d.do(c, ctx, arg)
		if err != nil && !errors.Is(err, errQuit) {
			c.fail(err)
			err = nil
		}
		return err
	}
	c.print("there is no command /" + timeline.OneLine(name, 40) + "; /help lists them. What begins with a space goes to the model\n")
	return nil
}

func (c *chatter) help(context.Context, string) error {
	for _, d := range chatCommands() {
		c.print("  " + timeline.Pad("/"+d.names[0]+" "+d.args, 18) + d.help + "\n")
	}
	c.print(c.look.Dim("  a line that ends in \\ goes on in the next; \"\"\" begins and ends a longer text") + "\n")
	return nil
}

func (c *chatter) switchModel(ctx context.Context, name string) error {
	if name == "" {
		return cli.NewUsageError(errors.New("/model wants a name; sidestick models lists them"))
	}
	if err := c.talk.client.Session().Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: name}); err != nil {
		return err
	}
	c.print("the model is now " + timeline.OneLine(name, terminal.Columns) + "\n")
	return nil
}

func (c *chatter) switchMode(_ context.Context, mode string) error {
	if mode != "" && !slices.Contains(agentModes, mode) {
		return cli.NewUsageError(fmt.Errorf("the mode is %q, want %s", mode, strings.Join(agentModes, ", ")))
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

// goOnWith enters the session of an id, or shows which there are.
func (c *chatter) goOnWith(ctx context.Context, id string) error {
	if id == "" {
		return c.listSessions(ctx, "")
	}
	return c.enter(ctx, talkOptions{resume: id})
}

// enter leaves the session for the one that which names. If that cannot be opened,
// the chat stays where it is.
func (c *chatter) enter(ctx context.Context, which talkOptions) error {
	which.turns, which.tokens, which.timeout, which.unfinished = c.turns, c.tokens, c.timeout, c.unfinished
	t := c.talk
	id, err := which.chosen(ctx, t.parts)
	if err != nil {
		return err
	}
	if id == t.client.Session().ID() {
		c.print("this is that session\n")
		return nil
	}
	fresh, err := which.open(ctx, c.Options, t.parts, t)
	if err != nil {
		return err
	}
	old := t.client
	t.end()
	t.begin(fresh)
	c.print("session " + fresh.Session().ID() + "\n")
	c.welcome(ctx)
	if err := errors.Join(c.permitting(ctx), old.Detach(ctx)); err != nil {
		return err
	}
	return c.rejoin(ctx)
}

// listLines is how many sessions the chat lists.
const listLines = 10

func (c *chatter) listSessions(ctx context.Context, _ string) error {
	list, err := here(ctx, c.talk.parts)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.print("no session was held in this directory yet\n")
	}
	width, _ := c.tty.Size()
	for i, m := range list {
		if i == listLines {
			c.print(c.look.Dim("  … sidestick sessions list shows all") + "\n")
			break
		}
		row := timeline.Pad(cli.Age(m.ModifiedTime), 4) + "  " + timeline.OneLine(m.Summary, terminal.Columns)
		c.print(timeline.Cut("  "+m.SessionID+"  "+row, width) + "\n")
	}
	return nil
}

func (c *chatter) usage(context.Context, string) error {
	c.print(c.spent.String() + "\n")
	return nil
}
