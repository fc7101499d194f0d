package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// talkOptions is what the flags of `run` and `chat` say: which session, how the agent
// works, and how much it may take.
type talkOptions struct {
	id, resume      string
	goOn            bool // --continue
	agentMode       string
	plan, autopilot bool
	turns, tokens   int
	timeout         time.Duration
	unfinished      bool // what a process that died had asked is asked again
}

// talkFlags are those that `run` and `chat` have in common.
func (t *talkOptions) talkFlags(o *cli.Options, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the model, or extension:URL for a Copilot Extensions agent (default $SIDESTICK_MODEL)")
	f.BoolVarP(&t.goOn, "continue", "c", false, "go on with the newest session of this directory")
	f.StringVarP(&t.resume, "resume", "r", "", "go on with the session of this `ID`; its beginning is enough")
	f.StringVar(&t.id, "session", "", "go on with the session of exactly this `ID`; a new one if there is none")
	f.StringVar(&t.agentMode, "agent-mode", "", "`how` the agent works: interactive, plan or autopilot")
	f.BoolVar(&t.plan, "plan", false, "short for --agent-mode plan: make a plan first, and ask")
	f.BoolVar(&t.autopilot, "autopilot", false, "short for --agent-mode autopilot: go on until it is done")
	f.IntVar(&t.turns, "max-turns", 0, "end a run after `N` model calls; 0 is no limit")
	f.IntVar(&t.tokens, "max-tokens", 0, "end a run before it takes more than `N` tokens, in and out; 0 is no limit")
	f.DurationVar(&t.timeout, "timeout", 0, "end a run after this `time`, as 90s or 5m; 0 is no limit")
	o.DurabilityFlag(cmd)
	o.PermissionFlags(cmd)
	for _, name := range []string{"session", "resume"} {
		_ = cmd.RegisterFlagCompletionFunc(name, wiring.CompleteSession(o)) // fails for an unknown flag only
	}
	_ = cmd.RegisterFlagCompletionFunc("agent-mode", cobra.FixedCompletions(agentModes, cobra.ShellCompDirectiveNoFileComp))
}

// agentModes are the ways that an agent works, as the protocol names them.
var agentModes = []string{"interactive", "plan", "autopilot"}

// mode is the one that the flags ask for, "" for the session's own.
func (t *talkOptions) mode() string {
	switch {
	case t.plan:
		return "plan"
	case t.autopilot:
		return "autopilot"
	}
	return t.agentMode
}

// check finds flags that contradict each other, and numbers that cannot be.
func (t *talkOptions) check() error {
	which := howMany(t.goOn, t.resume != "", t.id != "")
	switch {
	case which > 1:
		return cli.NewUsageError(errors.New("--continue, --resume and --session each name a session: give one of them"))
	case t.plan && t.autopilot:
		return cli.NewUsageError(errors.New("--plan and --autopilot contradict each other: give one of them"))
	case t.agentMode != "" && t.agentMode != t.mode():
		return cli.NewUsageError(fmt.Errorf("--agent-mode %s and --%s contradict each other: give one of them", t.agentMode, t.mode()))
	case t.agentMode != "" && !slices.Contains(agentModes, t.agentMode):
		return cli.NewUsageError(fmt.Errorf("--agent-mode is %q, want %s", t.agentMode, strings.Join(agentModes, ", ")))
	case t.turns < 0:
		return cli.NewUsageError(fmt.Errorf("--max-turns is %d, want a number of model calls, or 0 for no limit", t.turns))
	case t.tokens < 0:
		return cli.NewUsageError(fmt.Errorf("--max-tokens is %d, want a number of tokens, or 0 for no limit", t.tokens))
	case t.timeout < 0 || t.timeout > 0 && t.timeout < time.Millisecond:
		return cli.NewUsageError(fmt.Errorf("--timeout is %v, want a time such as 5m, or 0 for no limit", t.timeout))
	}
	return nil
}

// goesOn says whether the flags name a session that there must be already.
func (t *talkOptions) goesOn() bool { return t.goOn || t.resume != "" }

func howMany(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// open creates the session, or resumes the one that the flags name. What was approved
// for the place that it works in counts.
func (t *talkOptions) open(ctx context.Context, o *cli.Options, p *wiring.Parts, with *talk) (*session.Client, error) {
	c, err := t.enter(ctx, o, p, with)
	if err != nil {
		return nil, err
	}
	if _, err := c.Session().Permissions().ApplyLocation(ctx, ""); err != nil { // then it is asked about again
		fmt.Fprintln(o.Sys.Stderr, "sidestick: what was approved for this place does not count: "+cli.Message(err))
	}
	return c, nil
}

func (t *talkOptions) enter(ctx context.Context, o *cli.Options, p *wiring.Parts, with *talk) (*session.Client, error) {
	cfg := t.settings(o, with)
	id, err := t.chosen(ctx, p)
	if err != nil {
		return nil, err
	}
	if cfg.SessionID = id; id == "" {
		return p.Sessions.Create(ctx, cfg, with.peer)
	}
	known, err := p.Sessions.Metadata(ctx, id)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return p.Sessions.Resume(ctx, cfg, with.peer, nil)
	}
	c, err := p.Sessions.Create(ctx, cfg, with.peer)
	if err == nil { // the id may be a typing error, so say it
		fmt.Fprintf(o.Sys.Stderr, "sidestick: there was no session %s, so it is a new one\n", id)
	}
	return c, err
}

// settings is how the terminal enters a session. Who cannot ask anybody says so: the
// session then denies at once, and waits for nobody.
func (t *talkOptions) settings(o *cli.Options, with *talk) wire.Config {
	yes, asks := true, with.ask != nil
	return wire.Config{
		ClientName: "sidestick-terminal", Model: o.Flags.Model, Streaming: &yes,
		RequestPermission: &asks, RequestUserInput: &asks, RequestExitPlan: &asks,
		ContinuePendingWork: t.unfinished && asks,
		Budget:              &wire.Budget{MaxTurns: t.turns, MaxTokens: int64(t.tokens), TimeoutMs: t.timeout.Milliseconds()},
	}
}

// chosen is the id of the session to go on with, "" for a new one.
func (t *talkOptions) chosen(ctx context.Context, p *wiring.Parts) (string, error) {
	switch {
	case t.goOn:
		return newestHere(ctx, p)
	case t.resume != "":
		return matching(ctx, p, t.resume)
	}
	return t.id, nil
}

// newestHere is the session of the working directory that was changed last.
func newestHere(ctx context.Context, p *wiring.Parts) (string, error) {
	list, err := here(ctx, p)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &fault.Error{
			Op: "sessions", On: cli.Absolute("."), Kind: fault.NotFound, Hint: "leave --continue out to start one; sidestick sessions list shows all",
			Err: errors.New("no session was held in this directory yet"),
		}
	}
	return list[0].SessionID, nil
}

// here lists the sessions of the working directory, the newest first.
func here(ctx context.Context, p *wiring.Parts) ([]wire.SessionMetadata, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return p.Sessions.List(ctx, wire.SessionContext{Cwd: cwd})
}

// matching is the session whose id is given, or the only one whose id begins so.
func matching(ctx context.Context, p *wiring.Parts, given string) (string, error) {
	known, err := p.Sessions.Metadata(ctx, given)
	if err != nil || known != nil {
		return given, err
	}
	list, err := p.Sessions.List(ctx, wire.SessionContext{})
	if err != nil {
		return "", err
	}
	var found []string
	for _, m := range list {
		if strings.HasPrefix(m.SessionID, given) {
			found = append(found, m.SessionID)
		}
	}
	switch len(found) {
	case 0:
		return "", wiring.UnknownSession(given)
	case 1:
		return found[0], nil
	}
	return "", cli.NewUsageError(fmt.Errorf("%d sessions begin with %q, among them %s and %s: give more of the id", len(found), given, found[0], found[1]))
}
