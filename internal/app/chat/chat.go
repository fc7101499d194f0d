package chat

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/front"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/history"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Command is `sidestick chat`.
func Command(o *cli.Options, models front.Models) *cobra.Command {
	c := &chatter{Options: o, models: models}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Work with the agent in the terminal interface",
		Long: `Work with the agent in one session. You are asked before tools act, as in run.
Write while it works: what you send waits in a queue. Esc interrupts the agent,
Ctrl-C twice or Ctrl-D leaves, ? lists the keys, and /help the commands. What
you have sent is stored in Sidestick's home, where the arrow keys find it; a
line that begins with a space is not stored.

With --plain the chat is line by line, and text is only appended. A line that
ends in \ continues on the next line, and so does everything between two """.`,
		Example: `  sidestick chat
  sidestick chat --continue              # the last session of this folder
  sidestick chat --resume 0b1f -m qwen3
  sidestick chat --plan                  # make a plan first, for your approval`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.plainFlag(cmd)
	c.connectFlag(cmd)
	c.AddFlags(o, cmd)
	cmd.Flags().Lookup("resume").Usage = "continue the session with this `ID`; its first characters are enough. Without an ID, the last argument, you choose from a list"
	return cmd
}

// AnySession is the value of --resume for a session that the user chooses from a list. Package app
// puts it behind a --resume without an id, because a flag of package pflag always has a value.
const AnySession = "?"

func (c *chatter) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.Plain, "plain", false, "only append text, for screen readers: no line is redrawn, and the system edits the lines (also ACCESSIBLE=1, TERM=dumb)")
}

// Start is `sidestick` without arguments at a terminal: a chat without flags.
func Start(ctx context.Context, o *cli.Options, models front.Models) error {
	return (&chatter{Options: o, models: models}).run(ctx)
}

// chatter is one `sidestick chat`.
type chatter struct {
	*cli.Options
	entry.Settings
	connect string // --connect: the address of a server
	models  front.Models
	talk    *conversation
	tty     *terminal.TTY
	out     sized // where commands print: the terminal, or the terminal interface
	look    terminal.Paint
	history *history.History
	folder  string // that the messages of the history are of
	agent   string // the mode that messages are sent in; "" is that of the session
	allowed bool   // everything is allowed without asking
	warned  bool   // how to leave was printed, and nothing typed since
	spent   spending
}

func (c *chatter) run(ctx context.Context) error {
	if err := c.Check(c.Flags); err != nil {
		return err
	}
	if c.connect == "" { // otherwise the server has the rules
		if err := c.CheckRules(c.Options); err != nil {
			return err
		}
	}
	c.Unfinished, c.UserLeaves = true, true
	choose := c.Resume == AnySession
	if choose && c.plainly() {
		return cli.NewUsageError(errors.New("--resume needs the id of a session here; sidestick sessions list shows them"))
	}
	if choose {
		c.Resume = ""
	}
	if !terminal.Is(c.Sys.Stdin) {
		return cli.NewUsageError(errors.New(`chat needs a terminal; in a script use: sidestick run "..."`))
	}
	if c.connect != "" {
		return c.far(ctx, choose)
	}
	if !c.plainly() {
		return c.near(ctx, choose)
	}
	answer := c.printer()
	t := &conversation{show: answer, suspends: true}
	if answer.Live() {
		t.live = answer
	}
	return withTalk(ctx, c.Options, &c.Settings, t, func() error {
		if t.Terminal == nil {
			return front.ErrNoTerminal
		}
		c.talk, c.tty, c.out, c.look, c.agent = t, t.Terminal, t.Terminal, t.ask.Look, c.Mode()
		c.openHistory(ctx)
		defer c.tty.Quiet()() // keys that are typed during an answer appear at the next prompt, not in the answer
		defer func() { entry.SayEnded(ctx, c.Options, c.talk.client.Session()) }()
		return c.loop(ctx)
	})
}

// plainly reports whether the chat is line by line: at terminals that cannot move their cursor, and
// for screen readers.
func (c *chatter) plainly() bool {
	return c.appends() || c.Sys.Getenv("TERM") == "dumb" || !terminal.Is(c.Sys.Stdout)
}

// appends reports whether text is only appended, as for a screen reader.
func (c *chatter) appends() bool {
	wish := c.Sys.Getenv("ACCESSIBLE")
	return c.Plain || wish != "" && wish != "0"
}

// printer prints answers; if text is only appended, no line is drawn and erased again.
func (c *chatter) printer() *show.Answer {
	a := show.NewAnswer(c.Sys)
	if c.appends() {
		a.Still()
	}
	return a
}

// sized is something to print to.
type sized interface {
	io.Writer
	Size() (columns, rows int)
}

// loop reads messages and answers them until the user leaves.
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
			if err := c.resumeHeld(ctx); err != nil {
				return err
			}
			continue
		}
		c.keep(ctx, text)
		if err := c.take(ctx, text); err != nil {
			if errors.Is(err, errQuit) {
				return nil
			}
			return err
		}
	}
}

// welcome prints the title of the session that is continued, if it has one, its folder if that is
// another one than this process works in, and the last exchange.
func (c *chatter) welcome(ctx context.Context) {
	title, in := c.talk.continued(ctx)
	if title == "" {
		return
	}
	width, _ := c.out.Size()
	c.print(timeline.OneLine("continues: "+title, max(width-timeline.Width(in), 20)) + in + "\n")
	if err := c.recap(ctx); err != nil {
		c.fail(err)
	}
}

// interrupted is Ctrl-C at the prompt. It drops the typed text; if there is none, it
// says how to leave the first time, and leaves the second.
func (c *chatter) interrupted(typed string) (leave bool) {
	if typed != "" {
		return false
	}
	if c.warned {
		return true
	}
	c.warned = true
	c.print(c.look.Dim("press Ctrl-C again to leave, or Ctrl-D") + "\n")
	return false
}

// errQuit ends the chat.
var errQuit = errors.New("quit")

// over is an error of a run that ends the chat, also if a command has begun the run.
type over struct{ error }

func (o over) Unwrap() error { return o.error }

// take runs a command, or sends a message. An error ends the chat.
func (c *chatter) take(ctx context.Context, text string) error {
	if name, rest, ok := slash.Split(text); ok {
		return c.command(ctx, name, rest)
	}
	return c.settle(ctx, c.talk.say(ctx, wire.Send{Prompt: text, AgentMode: c.agent}))
}

// rejoin follows a run that an earlier process left with a question open.
func (c *chatter) rejoin(ctx context.Context) error {
	working, err := c.talk.client.Session().Working(ctx)
	if err == nil && !working {
		if what := c.held(ctx); what != "" {
			c.print(c.look.Yellow(what) + ": an empty line continues\n")
		}
	}
	if err != nil || !working {
		return err
	}
	c.print(c.look.Dim("the session was interrupted at a question, which is asked again") + "\n")
	return c.settle(ctx, c.talk.rejoin(ctx, c.agent))
}

// held says what an earlier process has left, and waits for the user; "" for nothing.
func (c *chatter) held(ctx context.Context) string {
	waiting, err := c.talk.client.Session().Queue().Pending(ctx)
	switch n := len(waiting.Items); {
	case err != nil || !waiting.Held && !waiting.Interrupted:
		return ""
	case n == 0:
		return "the last run did not finish"
	case waiting.Interrupted:
		return "the last run did not finish, and " + count(n, "message") + " waited"
	default:
		return count(n, "message") + " waited when the process ended"
	}
}

// resumeHeld continues what an earlier process has left.
func (c *chatter) resumeHeld(ctx context.Context) error {
	if c.held(ctx) == "" {
		return nil
	}
	if err := c.talk.client.Session().Queue().Pause(ctx, false); err != nil {
		c.fail(err)
		return nil
	}
	return c.settle(ctx, c.talk.rejoin(ctx, c.agent))
}

// retry continues the last run, if it has failed or was interrupted.
func (c *chatter) retry(ctx context.Context, _ string) error {
	if err := c.talk.client.Session().Queue().Retry(ctx); err != nil {
		return err
	}
	return c.settle(ctx, c.talk.rejoin(ctx, c.agent))
}

// settle prints how a run has ended. An error ends the chat.
func (c *chatter) settle(ctx context.Context, err error) error {
	if mode := c.talk.mode; mode != "" {
		c.agent = mode // the session has changed it, as at the end of a plan
	}
	c.cost(c.talk.took)
	defer c.print("\n") // apart from the next prompt
	switch {
	case errors.Is(err, entry.ErrLeft), ctx.Err() != nil:
		return over{err}
	case errors.Is(err, cli.ErrAborted):
		c.print(c.look.Yellow("aborted") + "\n")
	case errors.Is(err, entry.ErrDeleted), errors.Is(err, entry.ErrEnded), err != nil && c.closed():
		return over{err}
	case err != nil:
		if !cli.IsReported(err) { // as of a message that a hook has blocked
			c.fail(err)
		}
		if what := c.held(ctx); what != "" {
			c.print(c.look.Yellow(what) + ": an empty line or /retry continues\n")
		}
	}
	return nil
}

// closed reports whether the session was closed, so that no message can be sent.
func (c *chatter) closed() bool {
	select {
	case <-c.talk.client.Session().Closed():
		return true
	default:
		return false
	}
}

// cost prints what a run has used.
func (c *chatter) cost(took spending) {
	c.spent.add(took)
	if took.turns > 0 {
		c.print(c.look.Dim(took.String()) + "\n")
	}
}

// print writes to the terminal, wherever the answers go.
func (c *chatter) print(text string) {
	width, _ := c.out.Size()
	_, _ = io.WriteString(c.out, terminal.Fit(text, width))
}

// fail prints an error.
func (c *chatter) fail(err error) {
	const label = "error: "
	width, _ := c.out.Size()
	text := terminal.Labelled(label+cli.Message(err), width)
	c.print(c.look.Red(label) + strings.TrimPrefix(text, label) + "\n")
}

// openHistory reads the messages for the arrow keys. Errors are ignored, here and in keep, because
// the history is only a convenience.
func (c *chatter) openHistory(ctx context.Context) {
	files := c.Sys.FS
	if files == nil {
		files = vfs.OS{}
	}
	c.folder, _ = os.Getwd()
	c.history, _ = history.Open(ctx, files, filepath.Join(cli.Absolute(c.talk.Parts.Config.Home.Value), "history"))
	c.tty.History = c.history.Lines("")
}

// keep stores a message for the arrow keys.
func (c *chatter) keep(ctx context.Context, text string) {
	_ = c.history.Add(ctx, c.folder, text)
	c.tty.History = c.history.Lines("")
}

// prompt names the mode of the agent, if that is not interactive, and allow-all.
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

// read reads one message, of one line or several. With [terminal.ErrInterrupted] it
// returns what was typed of it.
func (c *chatter) read(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer func() { <-done }()
	defer cancel(nil)
	go func() { // a terminal that edits lines by itself sends a signal
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

// message is the lines of a message that is being typed.
type message struct {
	lines []string
	block bool // between two """
}

const quotes = `"""`

func (m *message) text() string { return strings.Join(m.lines, "\n") }

// add adds a line and reports whether the message is complete.
func (m *message) add(line string) (whole bool) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), quotes); ok && len(m.lines) == 0 && !m.block {
		m.block, line = true, rest
		if line == "" {
			return false
		}
	}
	if m.block {
		body, end := strings.CutSuffix(strings.TrimRight(line, " "), quotes)
		if end {
			line = body
		}
		if !end || line != "" {
			m.lines = append(m.lines, line)
		}
		return end
	}
	line, more := strings.CutSuffix(line, `\`)
	m.lines = append(m.lines, line)
	return !more
}
