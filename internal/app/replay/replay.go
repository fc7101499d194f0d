package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// replayer is one `sidestick replay`.
type replayer struct {
	*cli.Options
	turns, tokens int
	timeout       time.Duration
	cwd           string // --cwd
}

// Command is `sidestick replay`.
func Command(o *cli.Options) *cobra.Command {
	r := &replayer{Options: o}
	cmd := &cobra.Command{
		Use:   "replay ID --model NAME",
		Short: "Ask another model what a session has asked, side by side",
		Long: `Send the messages of a finished session to another model, in a new session, and
print the answers of both side by side, with tokens and time. The first session
is not changed.

The new session works in the folder of the first one, as it is now. If the first
session was not made on this machine, name the folder: --cwd DIR. It may read
there; commands run in a sandbox that cannot write. Everything else is denied
without asking, also if it was approved in the first session, unless a flag of
this command line allows it.

Exit codes: 0 done; 1 a message failed; 2 the command line is wrong; 3 aborted.`,
		Example: `  sidestick replay 0b1f --model anthropic:claude-opus-5-5
  sidestick replay notes -m ollama:qwen3 --max-turns 10
  sidestick replay 0b1f -m qwen3 --sandbox --allow-tool write  # may write`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE:              func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the other model")
	f.StringVar(&r.cwd, "cwd", "", "the `folder` in which the new session works, and which it may read")
	f.IntVar(&r.turns, "max-turns", 0, "end the answer to a message after `N` model calls; 0 is no limit")
	f.IntVar(&r.tokens, "max-tokens", 0, "end the answer to a message before it uses more than `N` tokens; 0 is no limit")
	f.DurationVar(&r.timeout, "timeout", 0, "end the answer to a message after this `time`, such as 90s or 5m; 0 is no limit")
	o.PermissionFlags(cmd)
	return cmd
}

func (r *replayer) run(ctx context.Context, id string) error {
	if err := r.check(); err != nil {
		return err
	}
	before, err := r.stored(ctx, id)
	if err != nil {
		return err
	}
	if err := r.place(id, before); err != nil {
		return err
	}
	cfg, err := r.Config()
	if err != nil {
		return err
	}
	if cfg.Sandbox.Value == "" && !r.Flags.NoSandbox {
		r.Flags.Sandbox = "read-only"
		if cfg, err = r.Config(); err != nil {
			return err
		}
	}
	p, err := wiring.Build(cfg, r.Sys, wiring.Adjust{Rules: wiring.AllowReading, Sandbox: true, Log: wiring.OnlyPanics, Secrets: &r.Secrets})
	if err != nil {
		return err
	}
	if p.Provider.Missing != nil {
		return errors.Join(cli.NewUsageError(p.Provider.Missing), p.Close())
	}
	return errors.Join(r.compare(ctx, p, before), p.Close())
}

func (r *replayer) check() error {
	switch {
	case r.Flags.Model == "":
		return cli.NewUsageError(errors.New("name the other model: --model NAME"))
	case r.turns < 0 || r.tokens < 0 || r.timeout < 0:
		return cli.NewUsageError(errors.New("a limit cannot be negative; 0 is no limit"))
	}
	return nil
}

// stored reads a session.
func (r *replayer) stored(ctx context.Context, id string) (*story, error) {
	s := &story{}
	for past, err := range wiring.StoredEvents(ctx, r.Options, id) {
		if err != nil {
			return nil, err
		}
		if past.Removed { // by a rewind
			continue
		}
		if e, err := wire.ParseEvent(past.JSON); err == nil { // an event that is lost has no row
			s.add(e)
		}
	}
	if len(s.exchanges) == 0 {
		return nil, cli.NewUsageError(fmt.Errorf("the session %s has no messages of a user", cli.IDArgument(id)))
	}
	return s, nil
}

// place decides in which folder the new session works: the one of --cwd, or else that of the first session if it was
// chosen on this machine. A folder that only a log names is not looked at.
func (r *replayer) place(id string, s *story) error {
	if r.cwd != "" {
		s.cwd = cli.Absolute(r.cwd)
	} else if known, err := wiring.WorkedIn(r.Options, id, s.cwd); err != nil {
		return err
	} else if !known {
		return cli.NewUsageError(fmt.Errorf("the log of the session names the folder %s, which was not chosen on this machine, and the new session would read there: name a folder with --cwd DIR",
			timeline.OneLine(s.cwd, maxWidth)))
	}
	if info, err := os.Stat(s.cwd); err != nil || !info.IsDir() {
		return fmt.Errorf("the new session would work in the folder %s, which is not there", timeline.OneLine(s.cwd, maxWidth))
	}
	return nil
}

// compare asks the messages of a session in a new one.
func (r *replayer) compare(ctx context.Context, p *wiring.Parts, before *story) error {
	yes, no := true, false
	client, err := p.Sessions.Create(ctx, wire.Config{
		ClientName: "sidestick-terminal", Model: r.Flags.Model, WorkingDirectory: before.cwd, Streaming: &no,
		RequestPermission: &no, EnableConfigDiscovery: &yes, TokenStorage: servers.TokensPersistent,
		Budget: &wire.Budget{MaxTurns: r.turns, MaxTokens: int64(r.tokens), TimeoutMs: r.timeout.Milliseconds()},
	}, nil)
	if err != nil {
		return err
	}
	defer client.Tail().Close()
	c := &columns{out: r.Sys.Stdout, look: terminal.PaintFor(r.Sys.Stdout, r.Sys.Getenv), width: min(cli.Width(r.Sys.Stdout), maxWidth)}
	now := &story{}
	l := &live{story: now, client: client, events: follow.NewReader(client.Tail()).Events(context.WithoutCancel(ctx))}
	if err := c.beside([]string{before.id, model(before.model)}, []string{client.Session().ID(), r.Flags.Model}, c.look.Bold); err != nil {
		return err
	}
	failed := 0
	for i, x := range before.exchanges {
		if err := c.heading(i+1, x.prompt); err != nil {
			return err
		}
		if x.attached > 0 {
			_ = cli.Printf(r.Sys.Stderr, "sidestick: %d attachments of this message are not sent\n", x.attached)
		}
		answer, err := l.ask(ctx, x)
		if err != nil {
			return err
		}
		if answer.failed {
			failed++
		}
		if err := r.show(c, x, answer); err != nil {
			return err
		}
	}
	return errors.Join(r.sum(c, before, now), failures(failed, len(before.exchanges)))
}

// maxWidth keeps lines readable on wide screens.
const maxWidth = 160

func model(name string) string {
	if name == "" {
		return "(no model has answered)"
	}
	return timeline.OneLine(name, maxTitle)
}

func failures(n, of int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d messages failed", n, of)
}

// show prints two answers to a message.
func (r *replayer) show(c *columns, before, now *exchange) error {
	if err := c.beside(before.rows, now.rows, nil); err != nil {
		return err
	}
	return errors.Join(c.beside([]string{""}, []string{""}, nil), c.beside(
		[]string{calls(before.calls) + ", " + seconds(before.took())},
		[]string{calls(now.calls) + ", " + seconds(now.took()), now.tokens.String()}, c.look.Dim))
}

// sum prints what both sessions have used. Logs have the tokens of a whole session only.
func (r *replayer) sum(c *columns, before, now *story) error {
	total := func(s *story) (calls int, took time.Duration, t tokens) {
		for _, x := range s.exchanges {
			calls, took = calls+x.calls, took+x.took()
			t.add(x.tokens)
		}
		return calls, took, t
	}
	callsBefore, tookBefore, _ := total(before)
	callsNow, tookNow, used := total(now)
	if err := c.rule(); err != nil {
		return err
	}
	return c.beside(
		[]string{"in all: " + calls(callsBefore) + ", " + seconds(tookBefore), before.tokens.String()},
		[]string{"in all: " + calls(callsNow) + ", " + seconds(tookNow), used.String()}, c.look.Bold)
}

// live is the new session.
type live struct {
	*story
	client *session.Client
	events iter.Seq2[follow.Event, error]
}

// ask sends a message and follows the run that answers it to its end.
func (l *live) ask(ctx context.Context, x *exchange) (*exchange, error) {
	mode := x.mode
	if mode == "shell" || mode == "plan" { // a command of the user, or a plan that nobody can approve
		mode = ""
	}
	if x.mode == "shell" {
		return &exchange{rows: []string{"(a shell command of the user is not run again)"}}, nil
	}
	id, err := l.client.Session().Send(ctx, wire.Send{Prompt: x.prompt, AgentMode: mode})
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		bounded, cancel := context.WithTimeout(context.Background(), abortWait)
		defer cancel()
		_ = l.client.Session().Abort(bounded, "user_initiated") // if it cannot, the run has ended
	})
	defer stop()
	f := &follow.Follower{}
	f.Begin(id)
	if err := f.Follow(l.events, l); err != nil {
		return nil, err
	}
	if ctx.Err() != nil || f.Aborted {
		return nil, cli.ErrAborted
	}
	if f.Dropped { // the model has not got it, so there is no exchange
		return &exchange{rows: []string{"(" + f.Failure.Message + ")"}}, nil
	}
	answer := l.exchanges[len(l.exchanges)-1]
	if f.Exhausted != "" {
		answer.text(f.Exhausted)
	}
	return answer, nil
}

// abortWait bounds an abort.
const abortWait = 5 * time.Second

// Text implements [follow.Display].
func (l *live) Text(string, bool) error { return nil }

// Event implements [follow.Display].
func (l *live) Event(e follow.Event) (bool, error) {
	l.add(e.Event)
	return false, nil
}
