package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/session"
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

Exit codes: 0 done, 1 failed, 2 bad usage, 3 aborted. The first Ctrl-C aborts
the run, and its log says so; the second leaves at once.`,
		Example: `  sidestick run "Explain what a closure is, in two sentences."
  git diff | sidestick run -m qwen3 -
  sidestick run --session notes "My name is Ann."   # starts it, or goes on
  sidestick run --session notes "What is my name?"
  sidestick run --json "Say hello." | jq -r .type   # every event, one a line`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.flags.Model, "model", "m", "", "`name` of the model (default $SIDESTICK_MODEL)")
	f.BoolVar(&r.json, "json", false, "print every event as it happens, one JSON object a line")
	f.StringVar(&r.id, "session", "", "`ID` of the session to go on with; a new one if there is none of that id")
	o.durabilityFlag(cmd)
	o.permissionFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("session", o.completeSession) // fails for an unknown flag only
	return cmd
}

// runner is one `sidestick run`. It is a door like the server: it sends its
// commands to a session and ranges over the session's tail, so that a stdout which
// is read slowly holds up nobody.
type runner struct {
	*options
	json bool
	id   string
}

// abortWait bounds how long an aborted run is waited for: the session has to
// cancel a request and to write two events.
const abortWait = 5 * time.Second

func (r *runner) run(ctx context.Context, args []string) (err error) {
	prompt, err := r.readPrompt(ctx, args)
	if err != nil {
		return err
	}
	cfg, err := r.config()
	if err != nil {
		return err
	}
	if cfg.Provider().Kind == config.None {
		return errors.New(cfg.NoModelHelp())
	}
	p, err := build(cfg, r.sys)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	c, err := r.open(ctx, p)
	if err != nil {
		return err
	}
	defer c.Tail().Close() // a log is closed when its last reader has left
	if _, err := c.Session().Send(ctx, wire.Send{Prompt: prompt}); err != nil {
		return err
	}
	err = r.follow(ctx, c)
	r.hint(c.Session().ID())
	return err
}

// open creates the session, or resumes the one that --session names.
func (r *runner) open(ctx context.Context, p *parts) (*session.Client, error) {
	streaming := true
	cfg := wire.Config{SessionID: r.id, Model: r.flags.Model, Streaming: &streaming}
	if r.id == "" {
		return p.sessions.Create(ctx, cfg, nil)
	}
	known, err := p.sessions.Metadata(ctx, r.id)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return p.sessions.Resume(ctx, cfg, nil, nil)
	}
	c, err := p.sessions.Create(ctx, cfg, nil)
	if err == nil { // the id may be a typing error, so say it
		fmt.Fprintf(r.sys.Stderr, "sidestick: there was no session %s, so it is a new one\n", r.id)
	}
	return c, err
}

// follow shows what happens until the session is idle. When ctx ends, it aborts
// the run and follows that to its end.
func (r *runner) follow(ctx context.Context, c *session.Client) error {
	watch, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(abortWait, leave)
		_ = c.Session().Abort(watch, "user_initiated") // if it cannot, the run has ended
	})
	defer stop()
	show := r.printer()
	var out outcome
	var missed uint64
	for rec, err := range c.Tail().Records(watch) {
		if watch.Err() != nil {
			break
		}
		if n := c.Tail().Missed(); n != missed {
			missed = n
			show.missed()
		}
		if err == nil {
			err = out.add(show, rec.AppendJSON(nil))
		}
		if err != nil {
			return err
		}
		if out.idle {
			break
		}
	}
	return errors.Join(show.finish(), out.err())
}

// outcome is how a run ended, from its events.
type outcome struct {
	idle, aborted bool
	failure       string // the message of session.error
}

// add shows an event and learns from it.
func (o *outcome) add(show printer, line []byte) error {
	e, err := wire.ParseEvent(line)
	if err != nil {
		return err
	}
	d := read(e)
	switch e.Type {
	case "session.error":
		o.failure = d.Message
	case "session.idle":
		o.idle, o.aborted = true, d.Aborted
	}
	return show.event(e, d, line)
}

func (o *outcome) err() error {
	switch {
	case o.aborted || !o.idle:
		return errAborted
	case o.failure != "":
		return errors.New(o.failure)
	}
	return nil
}

// hint says how to go on, to a person who sees it.
func (r *runner) hint(id string) {
	if isTerminal(r.sys.Stderr) {
		look := paintFor(r.sys.Stderr, r.sys.Getenv)
		fmt.Fprintln(r.sys.Stderr, look.dim("\nto go on: sidestick run --session "+shellWord(id)+` "..."`))
	}
}

// shellWord quotes what a shell would take apart.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
