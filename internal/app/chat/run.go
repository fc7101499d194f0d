package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// RunCommand is `sidestick run`. join, if it is not nil, is called once the session is
// open, so that a program in this process can take part in it; tests use it.
func RunCommand(o *cli.Options, join Join) *cobra.Command {
	r := &runner{Options: o, join: join}
	cmd := &cobra.Command{
		Use:   "run [PROMPT... | -]",
		Short: "Answer one prompt",
		Long: `Answer one prompt. The answer goes to stdout as it streams, everything else to
stderr. The prompt is an argument; without one, or with "-", it is read from
stdin. Text that is piped in beside a prompt is appended to it, after the line
"--- stdin ---". Every run is saved as a session; continue it with --continue.

Reading in the working directory needs no approval, and neither do commands that
only read there: they run in a sandbox. Before the agent changes a file, runs
any other command, fetches a page or leaves the working directory, you see what
it wants to do, and where, and are asked. You can approve it once, for this
session, or for every session in this repository or folder, or deny it and write
how to continue. Without a terminal, a call that needs approval is denied,
unless a flag or an earlier answer allows it, and the model gets the reason.

Exit codes: 0 done; 1 failed, or --max-turns, --max-tokens or --timeout has
ended the run; 2 the command line or the configuration is wrong; 3 aborted;
141 the program that read the output has left, as head does. The first Ctrl-C
aborts the run and records this in the session; the second exits at once.`,
		Example: `  sidestick run "Explain what a closure is, in two sentences."
  git diff | sidestick run "Review this change."
  git diff | sidestick run -m qwen3 -
  sidestick run "Why does the test fail? Fix it."  # asks before it acts
  sidestick run --continue "And the other test?"   # the last one of this folder
  sidestick run --resume 0b1f "Go on."             # by its first characters
  sidestick run --plan "How would you split this package?"
  sidestick run --autopilot --max-turns 30 --timeout 10m "Make the tests pass."
  sidestick run --allow-tool 'shell(go test:*)' --allow-tool write "Fix it."
  sidestick run --allow-all --deny-tool 'shell(git push)' "Prepare the release."
  sidestick run --session notes "My name is Ann."  # creates or continues it
  sidestick run -m extension:https://agent.example "List my issues."  # an agent
  sidestick run --json "Say hello." | jq -r .type  # every event, one a line`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&r.json, "json", false, "print every event as it happens, one JSON object a line")
	r.talkFlags(o, cmd)
	return cmd
}

// runner is one `sidestick run`.
type runner struct {
	*cli.Options
	talkOptions
	json bool
	join Join
}

// Join enters the session id as another program does, and returns what leaves it. Calls
// to peer reach the user, as those of the session do.
type Join func(ctx context.Context, p *wiring.Parts, id string, peer session.Peer) (leave func(), err error)

func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.check(r.Flags); err != nil {
		return err
	}
	if r.join == nil {
		if err := r.checkRules(r.Options); err != nil {
			return err
		}
	}
	prompt, err := readPrompt(ctx, r.Options, args)
	if err != nil {
		return err
	}
	return withTalk(ctx, r.Options, &r.talkOptions, r.printer(), func(t *conversation) error {
		if r.join != nil {
			leave, err := r.join(ctx, t.parts, t.client.Session().ID(), t.peer)
			if err != nil {
				return err
			}
			defer leave()
		}
		if title, in := t.continued(ctx); in != "" { // the agent will work there, not here
			fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, "continues: "+title+in))
		}
		send, err := r.message(ctx, t, prompt)
		if err != nil {
			return err
		}
		err = t.say(ctx, send)
		hint(r.Options, t.client.Session().ID(), t.took)
		return err
	})
}

// message is the prompt, or that of the skill or file that "/name text" names. Any other text
// with a slash is sent as it is.
func (r *runner) message(ctx context.Context, t *conversation, text string) (wire.Send, error) {
	send := wire.Send{Prompt: text, AgentMode: r.mode()}
	name, args, ok := slash.Split(text)
	if !ok {
		return send, nil
	}
	if _, builtin := slash.Find(name); builtin {
		return send, nil
	}
	prompt, ok, err := t.commandPrompt(ctx, name, args)
	if !ok || err != nil {
		return send, err
	}
	if prompt.Notice != nil {
		fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, *prompt.Notice))
	}
	return asMessage(prompt, send.AgentMode), nil
}

func (r *runner) printer() show.Printer {
	if r.json {
		return &show.JSON{Out: r.Sys.Stdout}
	}
	return show.NewAnswer(r.Sys)
}

// withTalk opens the session that the flags name, and has f talk to it.
func withTalk(ctx context.Context, o *cli.Options, which *talkOptions, printer show.Printer, f func(*conversation) error) (err error) {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	provider := cfg.Provider()
	// A session that is continued may have an agent of its own.
	modelless := provider.Kind == config.None && cfg.Tape.Replay.Value == "" && wiring.AgentModel(provider) == "" && !which.goesOn()
	if modelless && which.id == "" {
		return cli.NewUsageError(errors.New(cfg.NoModelHelp()))
	}
	t := &conversation{show: printer, retries: make(chan retry, maxRetries), peer: newTerminalPeer(), unasked: func(list []timeline.Request, r permit.Rules, b permit.Sandboxing) { suggestion(o, list, r, b) }}
	if tty := openTerminal(o); tty != nil {
		defer func() { _ = tty.Close() }() // nothing is written to it any more
		t.ask = &ask.Asker{Screen: tty, Look: tty.Paint(o.Sys.Getenv)}
	}
	p, err := wiring.Build(cfg, o.Sys, wiring.Adjust{
		Rules: wiring.AllowReading, Sandbox: true, Log: panicsOf, Secrets: &o.Secrets, OnRetry: t.retrying, UserLeaves: which.userLeaves,
	})
	if err != nil {
		return err
	}
	if p.Ignored != nil {
		fmt.Fprintln(o.Sys.Stderr, cli.ForScreen(o.Sys.Stderr, "warning: certificates are ignored: "+p.Ignored.Error()))
	}
	restore := func() {}
	defer func() {
		err = leave(p, err, t.interrupts)
		restore()
	}()
	if modelless {
		if known, err := p.Sessions.Metadata(ctx, which.id); err != nil || known == nil {
			return cmp.Or(err, error(cli.NewUsageError(errors.New(cfg.NoModelHelp()))))
		}
	}
	if err := p.Callable(); err != nil && !which.goesOn() && which.id == "" {
		return cli.NewUsageError(err)
	}
	c, err := which.open(ctx, o, p, t)
	if err != nil {
		return err
	}
	t.interrupts, restore = takeInterrupts() // not before: opening a session reacts to ctx only
	defer close(t.peer.left)
	t.parts = p
	t.begin(c)
	defer t.end()
	return replayed(o, p, f(t))
}

// replayed is how a command ends in a replay: with an error if a request was not recorded, also if
// the model has gone on without its answer.
func replayed(o *cli.Options, p *wiring.Parts, err error) error {
	if err != nil {
		return err
	}
	if err := p.Replayed(); err != nil {
		return err
	}
	if unused, of := p.LeftOver(); unused > 0 {
		fmt.Fprintf(o.Sys.Stderr, "sidestick: %d of the %d recorded calls of models were not made\n", unused, of)
	}
	return nil
}

// leave closes the parts after err. If the user has left, or leaves now, it does not wait
// for work that is under way.
func leave(p *wiring.Parts, err error, interrupts <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), wiring.FlushWait)
	defer cancel()
	closed := make(chan error, 1)
	if errors.Is(err, errLeft) {
		cancel()
	}
	go func() {
		closed <- fault.Guard("chat.leave", func() error { return p.CloseWithin(ctx) })
	}()
	select {
	case closing := <-closed:
		if errors.Is(err, errLeft) {
			return err
		}
		return errors.Join(err, closing)
	case <-interrupts:
		cancel()
		<-closed
		if err == nil {
			err = errLeft
		}
		return err
	}
}

// openTerminal returns the terminal to ask questions at, nil if there is none. If neither
// stdin nor stderr is a terminal, no user watches the process.
func openTerminal(o *cli.Options) *terminal.TTY {
	if !terminal.Is(o.Sys.Stdin) && !terminal.Is(o.Sys.Stderr) {
		return nil
	}
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return nil
	}
	return tty
}
