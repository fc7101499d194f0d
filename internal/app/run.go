package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func runCommand(o *options) *cobra.Command {
	r := &runner{options: o}
	cmd := &cobra.Command{
		Use:   "run [PROMPT... | -]",
		Short: "Answer one prompt, as the answer streams",
		Long: `Answer one prompt. The answer goes to stdout as it streams, everything else to
stderr. The prompt stands on the command line, or, without one or with "-", on
stdin. Every run is a session that can be gone on with.

What a tool would do is asked on the terminal, with the command or the change:
yes once, always in this session or in every one here, or no and what to do
instead. Where there is no terminal, nobody can be asked: what no --allow flag
covers is denied, and the model is told.

Exit codes: 0 done, 1 failed, 2 bad usage, 3 aborted. A run that --max-turns,
--max-tokens or --timeout has ended has failed. The first Ctrl-C aborts the run,
and its log says so; the second leaves at once.`,
		Example: `  sidestick run "Explain what a closure is, in two sentences."
  git diff | sidestick run -m qwen3 -
  sidestick run "Why does the test fail? Fix it."  # asks before it acts
  sidestick run --continue "And the other test?"   # the last session here
  sidestick run --resume 0b1f "Go on."             # by the beginning of its id
  sidestick run --plan "How would you split this package?"
  sidestick run --autopilot --max-turns 30 --timeout 10m "Make the tests pass."
  sidestick run --allow-tool 'shell(go test:*)' --allow-tool write "Fix it."
  sidestick run --allow-all --deny-tool 'shell(git push)' "Prepare the release."
  sidestick run --session notes "My name is Ann."  # starts it, or goes on
  sidestick run -m extension:https://agent.example "List my issues."  # an agent
  sidestick run --json "Say hello." | jq -r .type  # every event, one a line`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&r.json, "json", false, "print every event as it happens, one JSON object a line")
	r.talkFlags(o, cmd)
	return cmd
}

// runner is one `sidestick run`.
type runner struct {
	*options
	talkOptions
	json bool
}

func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.check(); err != nil {
		return err
	}
	prompt, err := r.readPrompt(ctx, args)
	if err != nil {
		return err
	}
	return r.withTalk(ctx, &r.talkOptions, r.printer(), func(t *talk) error {
		err := t.say(ctx, wire.Send{Prompt: prompt, AgentMode: r.mode()})
		r.hint(t.client.Session().ID(), t.spent())
		return err
	})
}

func (r *runner) printer() printer {
	if r.json {
		return &jsonLines{out: r.sys.Stdout}
	}
	return newAnswer(r.sys)
}

// withTalk opens the session that the flags name, and has f talk to it.
func (o *options) withTalk(ctx context.Context, which *talkOptions, show printer, f func(*talk) error) (err error) {
	cfg, err := o.config()
	if err != nil {
		return err
	}
	provider := cfg.Provider()
	// What a session is gone on with may have an agent of its own.
	modelless := provider.Kind == config.None && agentModel(provider) == "" && !which.goesOn()
	if modelless && which.id == "" {
		return errors.New(cfg.NoModelHelp())
	}
	if cfg.LogLevel.From == config.Default && terminal.Is(o.sys.Stderr) {
		cfg.LogLevel.Value = "error" // a person reads the events, which say the rest
	}
	t := &talk{show: show, peer: newTerminalPeer(), unasked: o.suggestion}
	if tty := o.openTerminal(); tty != nil {
		defer func() { _ = tty.Close() }() // nothing is written to it any more
		t.ask = &asker{screen: tty, look: tty.Paint(o.sys.Getenv)}
	}
	p, err := build(cfg, o.sys, lookFreely)
	if err != nil {
		return err
	}
	restore := func() {}
	defer func() {
		err = p.leave(err, t.interrupts)
		restore()
	}()
	if modelless {
		if known, err := p.sessions.Metadata(ctx, which.id); err != nil || known == nil {
			return cmp.Or(err, errors.New(cfg.NoModelHelp()))
		}
	}
	c, err := which.open(ctx, o, p, t)
	if err != nil {
		return err
	}
	t.interrupts, restore = takeInterrupts() // not before: what opens a session heeds ctx alone
	defer close(t.peer.left)
	t.parts = p
	t.begin(c)
	defer t.end()
	return f(t)
}

// leave closes the parts after err. Who has left, or does so now, does not wait for
// what is still at work.
func (p *parts) leave(err error, interrupts <-chan os.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushWait)
	defer cancel()
	closed := make(chan error, 1)
	if errors.Is(err, errLeft) {
		cancel()
	}
	go func() { closed <- p.closeWithin(ctx) }()
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

// openTerminal returns the terminal to ask questions at, nil if nobody is there: a
// process whose input and messages both go elsewhere has no person who watches it.
func (o *options) openTerminal() *terminal.TTY {
	if !terminal.Is(o.sys.Stdin) && !terminal.Is(o.sys.Stderr) {
		return nil
	}
	tty, err := terminal.Open(o.sys.Getenv)
	if err != nil {
		return nil
	}
	return tty
}

// suggestion says once which flag would have allowed what nobody could be asked.
func (o *options) suggestion(q timeline.Request) {
	if q.Personal {
		fmt.Fprintln(o.sys.Stderr, "hint: there is no terminal to ask at, and a confirmation is a person's to give; no flag gives it")
		return
	}
	flag := "--allow-all allows everything"
	if f := allowing(q); f != "" {
		flag = f + " allows this, --allow-all everything"
	}
	fmt.Fprintln(o.sys.Stderr, "hint: there is no terminal to ask at; "+flag)
}

// allowing is the flag that covers a request, "" if none does.
func allowing(q timeline.Request) string {
	rule := ""
	switch q.Kind {
	case "shell":
		for _, p := range q.Programs {
			if !p.ReadOnly && rule == "" {
				rule = "shell(" + p.Name + ":*)"
			}
		}
	case "write", "read":
		rule = q.Kind
	case "url":
		if host := q.Host(); host != "" {
			rule = "url(" + host + ")"
		}
	case "custom-tool":
		rule = q.ToolName
	}
	if rule == "" {
		return ""
	}
	return "--allow-tool " + shellWord(timeline.OneLine(rule, columns))
}

// hint says what a run took and how to go on, to a person who sees it.
func (o *options) hint(id string, took spending) {
	if terminal.Is(o.sys.Stderr) {
		look := terminal.PaintFor(o.sys.Stderr, o.sys.Getenv)
		if took.turns > 0 {
			fmt.Fprintln(o.sys.Stderr, look.Dim("\n"+took.String()))
		}
		fmt.Fprintln(o.sys.Stderr, look.Dim("to go on: sidestick run --resume "+shellWord(id)+` "..."`))
	}
}

// shellWord quotes what a shell would take apart.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
