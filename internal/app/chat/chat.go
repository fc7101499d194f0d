package chat

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Command is `sidestick chat`.
func Command(o *cli.Options) *cobra.Command {
	c := &chatter{Options: o}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to an agent, line by line",
		Long: `Talk to an agent, line by line, in one session. What a tool would do is asked,
as in run. /help lists the commands; a line that ends in \ goes on in the next,
and so does everything between two """.

Ctrl-C stops the agent, and the prompt is back; there, twice leaves, and so does
Ctrl-D. The lines are kept in the home, for the arrow keys; one that begins with
a space is not.`,
		Example: `  sidestick chat
  sidestick chat --continue              # the last session of this directory
  sidestick chat --resume 0b1f -m qwen3
  sidestick chat --plan                  # make a plan first, and ask`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.talkFlags(o, cmd)
	return cmd
}

// chatter is one `sidestick chat`.
type chatter struct {
	*cli.Options
	talkOptions
	talk    *talk
	tty     *terminal.TTY
	look    terminal.Paint
	history *history
	agent   string // the mode that messages are sent in; "" is the session's own
	allowed bool   // everything, without asking
	warned  bool   // how to leave was said, and nothing typed since
	spent   spending
}

func (c *chatter) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	c.unfinished = true
	if !terminal.Is(c.Sys.Stdin) {
		return cli.NewUsageError(errors.New(`chat needs a terminal; in a script use: sidestick run "..."`))
	}
	return withTalk(ctx, c.Options, &c.talkOptions, show.NewAnswer(c.Sys), func(t *talk) error {
		tty, ok := t.terminal()
		if !ok {
			return errors.New("chat needs a terminal, and this one cannot be opened")
		}
		c.talk, c.tty, c.look, c.agent = t, tty, t.ask.Look, c.mode()
		c.history = openHistory(t.parts, c.Sys)
		c.tty.History = c.history.lines
		defer c.tty.Quiet()() // keys that are typed during an answer appear at the next prompt, not in the answer
		return c.loop(ctx)
	})
}

// terminal is the terminal that questions are asked at.
func (t *talk) terminal() (*terminal.TTY, bool) {
	if t.ask == nil {
		return nil, false
	}
	tty, ok := t.ask.Screen.(*terminal.TTY)
	return tty, ok
}

// loop reads and answers until somebody leaves.
func (c *chatter) loop(ctx context.Context) error {
	c.welcome(ctx)
	_ = c.permitting(ctx) // the session has just been opened
	c.print(c.look.Dim("/help lists the commands, Ctrl-D leaves") + "\n")
	if err := c.rejoin(ctx); err != nil {
		return err
	}
	for {
		text, err := c.read(ctx)
		switch {
		case errors.Is(err, terminal.ErrInterrupted):
			if c.interrupted(text) {
				return nil
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return cli.ErrAborted // ctx has ended: a signal
		}
		c.warned = false
		if strings.TrimSpace(text) == "" {
			continue
		}
		c.keep(text)
		if err := c.take(ctx, text); err != nil {
			if errors.Is(err, errQuit) {
				return nil
			}
			return err
		}
	}
}

// welcome says what is gone on with, if that is anything.
func (c *chatter) welcome(ctx context.Context) {
	m, err := c.talk.parts.Sessions.Metadata(ctx, c.talk.client.Session().ID())
	if err == nil && m != nil && m.Summary != "" {
		width, _ := c.tty.Size()
		c.print(timeline.OneLine("goes on with: "+m.Summary, width) + "\n")
	}
}

// interrupted is Ctrl-C at the prompt: it drops what was typed, or says how to leave,
// and the second time leaves.
func (c *chatter) interrupted(typed string) (leave bool) {
	if typed != "" {
		return false
	}
	if c.warned {
		return true
	}
	c.warned = true
	c.print(c.look.Dim("Ctrl-C once more leaves, and so does Ctrl-D") + "\n")
	return false
}

// errQuit ends the chat.
var errQuit = errors.New("quit")

// take does what a line says. An error ends the chat.
func (c *chatter) take(ctx context.Context, text string) error {
	if name, rest, ok := slash(text); ok {
		return c.command(ctx, name, rest)
	}
	return c.settle(ctx, c.talk.say(ctx, wire.Send{Prompt: text, AgentMode: c.agent}))
}

// rejoin goes on with a run that an earlier process left with a question open.
func (c *chatter) rejoin(ctx context.Context) error {
	working, err := c.talk.client.Session().Metrics().Working(ctx)
	if err != nil || !working {
		return err
	}
	c.print(c.look.Dim("what was asked when it was interrupted is asked again") + "\n")
	return c.settle(ctx, c.talk.rejoin(ctx, c.agent))
}

// settle says what became of a run. An error ends the chat.
func (c *chatter) settle(ctx context.Context, err error) error {
	if mode := c.talk.mode; mode != "" {
		c.agent = mode // the session has changed it, as at the end of a plan
	}
	c.cost(spent(c.talk.Outcome))
	defer c.print("\n") // apart from the next prompt
	switch {
	case errors.Is(err, errLeft), ctx.Err() != nil:
		return err
	case errors.Is(err, cli.ErrAborted):
		c.print(c.look.Yellow("aborted") + "\n")
	case err != nil && c.closed():
		return err
	case err != nil:
		c.fail(err)
	}
	return nil
}

// closed says whether the session has left, so that nothing more can be said in it.
func (c *chatter) closed() bool {
	select {
	case <-c.talk.client.Session().Closed():
		return true
	default:
		return false
	}
}

// cost says what a run took.
func (c *chatter) cost(took spending) {
	c.spent.turns += took.turns
	c.spent.in, c.spent.out = c.spent.in+took.in, c.spent.out+took.out
	if took.turns > 0 {
		c.print(c.look.Dim(took.String()) + "\n")
	}
}

// print writes to the terminal of the person, wherever the answers go.
func (c *chatter) print(text string) { _, _ = io.WriteString(c.tty, text) }

// fail says what went wrong.
func (c *chatter) fail(err error) {
	const label = "error: "
	width, _ := c.tty.Size()
	text := cli.Wrapped(label+timeline.Harmless(cli.Message(err)), width)
	c.print(c.look.Red(label) + strings.TrimPrefix(text, label) + "\n")
}

// keep remembers a line for the arrow keys.
func (c *chatter) keep(text string) {
	c.history.add(text)
	c.tty.History = c.history.lines
}

// prompt says in which mode the agent is, if that is not the usual one, and that
// nothing is asked.
func (c *chatter) prompt() string {
	prompt := "› "
	if c.agent != "" && c.agent != "interactive" {
		prompt = c.agent + " " + prompt
	}
	if c.allowed {
		prompt = "allow-all " + prompt
	}
	return prompt
}

// read reads one message: a line, with those that it says follow. What was typed of
// it comes with [terminal.ErrInterrupted].
func (c *chatter) read(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer func() { <-done }()
	defer cancel(nil)
	go func() { // a terminal that edits its lines itself sends a signal
		defer close(done)
		select {
		case <-c.talk.interrupts:
			cancel(terminal.ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	var m message
	prompt := c.prompt()
	for {
		line, err := c.tty.ReadLine(ctx, prompt, c.look.Bold)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, terminal.ErrInterrupted) {
				err = cause
			}
			return m.text() + line, err
		}
		if m.add(line) {
			return m.text(), nil
		}
		prompt = "… "
	}
}
