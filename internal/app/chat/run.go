package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

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
		Long: `Answer one prompt. The answer goes to stdout, everything else to stderr. At a
terminal the answer streams; to a file or a pipe goes the answer alone, without
what the model says beside its tool calls. The prompt is an argument; without
one, or with "-", it is read from stdin. Text that is piped in beside a prompt
is appended to it, after the line "--- stdin ---". Every run is saved as a
session; continue it with --continue.

Reading in the working directory needs no approval, and neither do commands that
only read there: they run in a sandbox. Before the agent changes a file, runs
any other command, fetches a page or leaves the working directory, you see what
it wants to do, and where, and are asked. You can approve it once, for this
session, or for every session in this repository or folder, or deny it and write
how to continue. If stdin or stdout is not a terminal, nothing is asked unless
you give --ask: a call that needs approval is denied, unless a flag or an
earlier answer allows it, and the model gets the reason.

--output-format says what goes to stdout: text; json, one object with the
answer, tokens, cost, session and error; stream-json, a line for each event and
that object last; events, every event of the protocol, as --json does.

Exit codes: 0 done; 1 failed, or --max-turns, --max-tokens or --timeout has
ended the run; 2 the command line or the configuration is wrong; 3 aborted;
4 a call was denied that the answer needed, because nobody could be asked;
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
  sidestick run --output-format json "Say hello." | jq -r .result`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.reported(r.run(cmd.Context(), args))
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.format, "output-format", "", "what goes to stdout: `FORMAT` is text, json, stream-json or events (default text)")
	f.BoolVar(&r.json, "json", false, "the same as --output-format events: every event of the protocol as it happens, one JSON object a line")
	f.BoolVar(&r.verbose, "verbose", false, "print tool calls and their results to stderr, also if that is not a terminal")
	f.BoolVar(&r.asks, "ask", false, "ask at the terminal of the process, also if stdin or stdout is not a terminal")
	r.talkFlags(o, cmd)
	_ = cmd.RegisterFlagCompletionFunc("output-format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// runner is one `sidestick run`.
type runner struct {
	*cli.Options
	talkOptions
	json, verbose bool
	format        string // of --output-format
	join          Join

	began  time.Time
	text   *show.Answer // prints text; nil for other formats
	script *show.Script // prints for a program; nil for other formats
	result show.Result  // for script
}

// Join enters the session id as another program does, and returns what leaves it. Calls
// to peer reach the user, as those of the session do.
type Join func(ctx context.Context, p *wiring.Parts, id string, peer session.Peer) (leave func(), err error)

func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.begin(); err != nil {
		return err
	}
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
		if title, in := t.continued(ctx); in != "" && r.script == nil { // the agent will work there, not here
			fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, "continues: "+title+in))
		}
		send, err := r.message(ctx, t, prompt)
		if err != nil {
			return err
		}
		if err := r.opened(ctx, t); err != nil {
			return err
		}
		err = t.say(ctx, send)
		return r.ended(t, err)
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

// withTalk opens the session that the flags name, and has f talk to it.
func withTalk(ctx context.Context, o *cli.Options, which *talkOptions, printer show.Printer, f func(*conversation) error) error {
	return withRuntime(ctx, o, which, printer, func(t *conversation) error {
		c, err := which.open(ctx, o, t.parts, t)
		if err != nil {
			return err
		}
		t.interrupts, t.restore = takeInterrupts() // not before: opening a session reacts to ctx only
		t.begin(c)
		defer t.end()
		return replayed(o, t.parts, f(t))
	})
}

// withRuntime makes the runtime for a session that the flags name, and has f open and use it.
func withRuntime(ctx context.Context, o *cli.Options, which *talkOptions, printer show.Printer, f func(*conversation) error) (err error) {
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
	t := &conversation{show: printer, retries: make(chan retry, maxRetries), peer: newTerminalPeer(), taped: cfg.Tape.Tools.Value}
	defer t.openAsker(o, which)()
	p, err := wiring.Build(cfg, o.Sys, wiring.Adjust{
		Rules: wiring.AllowReading, Sandbox: true, Log: wiring.OnlyPanics, Secrets: &o.Secrets, OnRetry: t.retrying, UserLeaves: which.userLeaves,
	})
	if err != nil {
		return err
	}
	if p.Ignored != nil {
		fmt.Fprintln(o.Sys.Stderr, cli.ForScreen(o.Sys.Stderr, "warning: certificates are ignored: "+p.Ignored.Error()))
	}
	defer func() {
		err = leave(p, err, t.interrupts)
		if t.restore != nil {
			t.restore()
		}
	}()
	if modelless {
		if known, err := p.Sessions.Metadata(ctx, which.id); err != nil || known == nil {
			return cmp.Or(err, error(cli.NewUsageError(errors.New(cfg.NoModelHelp()))))
		}
	}
	if err := p.Callable(); err != nil && !which.goesOn() && which.id == "" {
		return cli.NewUsageError(err)
	}
	defer close(t.peer.left)
	t.parts = p
	return f(t)
}

// openAsker opens the terminal that questions are asked at, if there is one, and sets what happens to
// requests that nobody can answer. stop closes the terminal.
func (t *conversation) openAsker(o *cli.Options, which *talkOptions) (stop func()) {
	t.unasked = func(list []timeline.Request, r permit.Rules, b permit.Sandboxing) {
		if which.hints != nil {
			which.hints(list, r, b)
			return
		}
		suggestion(o, t.nobody, list, r, b)
	}
	tty, why := openTerminal(o, which)
	if t.nobody = why; tty == nil {
		return func() {}
	}
	if tty.Plain = which.plain || o.Sys.Getenv("ACCESSIBLE") == "1"; tty.Append() {
		t.every = plainEvery
	}
	t.ask = &ask.Asker{Screen: tty, Look: tty.Paint(o.Sys.Getenv), Numbered: tty.Plain}
	return func() { _ = tty.Close() } // nothing is written to it any more
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

// openTerminal returns the terminal to ask questions at, nil if nothing is asked, and why. A command
// that answers once asks only if both stdin and stdout are terminals, or if a flag says so: with one
// of them redirected, the command is part of a script.
func openTerminal(o *cli.Options, which *talkOptions) (tty *terminal.TTY, why string) {
	in, out := terminal.Is(o.Sys.Stdin), terminal.Is(o.Sys.Stdout)
	switch {
	case which.asks || !which.once && (in || terminal.Is(o.Sys.Stderr)):
	case !in && !out && !terminal.Is(o.Sys.Stderr):
		return nil, noTerminal
	case !in:
		return nil, "nothing is asked, because stdin is not a terminal (--ask asks all the same)"
	case !out:
		return nil, "nothing is asked, because stdout is not a terminal (--ask asks all the same)"
	}
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return nil, noTerminal
	}
	return tty, ""
}

// noTerminal is why nothing is asked where the process has no terminal.
const noTerminal = "there is no terminal to ask at"
