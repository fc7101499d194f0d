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
		{[]string{"help", "?"}, "", "list the commands", (*chatter).help},
		{[]string{"model"}, "[NAME]", "show the model, or switch to another", (*chatter).switchModel},
		{[]string{"mode"}, "[MODE]", "set the mode: interactive, plan or autopilot", (*chatter).switchMode},
		{[]string{"plan"}, "", "short for /mode plan: make a plan first, and ask", func(c *chatter, ctx context.Context, _ string) error { return c.switchMode(ctx, "plan") }},
		{[]string{"autopilot"}, "", "short for /mode autopilot: continue until it is done", func(c *chatter, ctx context.Context, _ string) error { return c.switchMode(ctx, "autopilot") }},
		{[]string{"new"}, "", "start a new session", func(c *chatter, ctx context.Context, _ string) error { return c.enter(ctx, talkOptions{}) }},
		{[]string{"resume"}, "[ID]", "continue another session; its first characters are enough", (*chatter).goOnWith},
		{[]string{"sessions"}, "", "the sessions of this folder, the last changed first", (*chatter).listSessions},
		{[]string{"compact"}, "[FOCUS]", "summarize the conversation; FOCUS is what matters most", (*chatter).compact},
		{[]string{"rules"}, "[forget]", "show the rules and where they come from; forget approvals", (*chatter).rules},
		{[]string{"allow"}, "[on|off]", "allow everything without asking, or ask again", (*chatter).allow},
		{[]string{"sandbox"}, "[COMMAND]", "status, policy [COMMAND], enable, disable, auto on|off", (*chatter).sandbox},
		{[]string{"usage"}, "", "show what this chat has used so far", (*chatter).usage},
		{[]string{"quit", "exit", "q"}, "", "leave; sidestick chat --continue resumes the session", func(*chatter, context.Context, string) error { return errQuit }},
	}
}

// slash splits a command into its name and the rest; ok is false for other text, such as
// a path.
func slash(text string) (name, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	name, rest, _ = strings.Cut(text, " ")
	return name, strings.TrimSpace(rest), ok && name != "" && !strings.ContainsAny(name, "/\n*")
}

// command runs a command. Its only error is errQuit.
func (c *chatter) command(ctx context.Context, name, arg string) error {
	for _, d := range chatCommands() {
		if !slices.Contains(d.names, name) {
			continue
		}
		err := c.perform(ctx, d, arg)
		if err != nil && !errors.Is(err, errQuit) {
			c.fail(c.talk.inWords(err))
			err = nil
		}
		return err
	}
	c.print("there is no command /" + timeline.OneLine(name, 40) + "; /help lists the commands. Begin a message with a space to send it\n")
	return nil
}

// perform runs a command, which may have an argument or none.
func (c *chatter) perform(ctx context.Context, d chatDo, arg string) error {
	if d.args == "" && arg != "" {
		return cli.NewUsageError(fmt.Errorf("/%s takes no argument; %q was not used, and nothing was done", d.names[0], timeline.OneLine(arg, 40)))
	}
	return d.do(c, ctx, arg)
}

func (c *chatter) help(context.Context, string) error {
	for _, d := range chatCommands() {
		c.print("  " + timeline.Pad("/"+d.names[0]+" "+d.args, 18) + " " + d.help + "\n")
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
	if err := c.talk.client.Session().Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: name}); err != nil {
		return err
	}
	c.print("the model is now " + timeline.OneLine(name, terminal.Columns) + "\n")
	return nil
}

func (c *chatter) switchMode(_ context.Context, mode string) error {
	if mode != "" && !slices.Contains(agentModes, mode) {
		return cli.NewUsageError(fmt.Errorf("there is no mode %q; the modes are %s", mode, strings.Join(agentModes, ", ")))
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

// goOnWith continues another session; without an id it lists them.
func (c *chatter) goOnWith(ctx context.Context, id string) error {
	if id == "" {
		return c.listSessions(ctx, "")
	}
	return c.enter(ctx, talkOptions{resume: id})
}

// enter leaves the session for the one that which names. If that cannot be opened, the
// chat stays in its session.
func (c *chatter) enter(ctx context.Context, which talkOptions) error {
	which.turns, which.tokens, which.timeout, which.unfinished = c.turns, c.tokens, c.timeout, c.unfinished
	t := c.talk
	id, err := which.chosen(ctx, t.parts)
	if err != nil {
		return err
	}
	if id == t.client.Session().ID() {
		c.print("this session is open already\n")
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
		c.print("there is no session in this folder yet\n")
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
