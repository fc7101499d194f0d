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
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// talkOptions are the flags of `run` and `chat`: which session, in which mode, and with
// which budget.
type talkOptions struct {
	id, resume      string
	choose          bool // the session, from a list
	goOn            bool // --continue
	agentMode       string
	plan, autopilot bool
	plugins         []string // the folders of --plugin-dir
	once            bool     // the command answers one prompt, and may be part of a script
	connect         string   // --connect: the address of a server
	plain           bool     // --plain: text is only appended, as for a screen reader
	asks            bool     // --ask: questions are asked also in a script
	unfinished      bool     // a question that an earlier process left open is asked again
	userLeaves      bool     // sessions are closed because the user leaves them
	// hints, if it is not nil, gets the requests that no user could answer, in place of a hint on
	// stderr.
	hints func(list []timeline.Request, r permit.Rules, b permit.Sandboxing)
}

// talkFlags adds the flags that `run` and `chat` have in common.
func (t *talkOptions) talkFlags(o *cli.Options, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the model, or extension:URL for a Copilot Extensions agent (default $SIDESTICK_MODEL)")
	o.FallbackFlag(cmd)
	f.BoolVarP(&t.goOn, "continue", "c", false, "continue the session of this folder that was changed last")
	f.StringVarP(&t.resume, "resume", "r", "", "continue the session with this `ID`; its first characters are enough")
	f.StringVar(&t.id, "session", "", "continue the session with exactly this `ID`, or create it")
	f.StringVar(&t.agentMode, "agent-mode", "", "`mode` of the agent: interactive, plan or autopilot")
	f.StringVar(&o.Flags.Effort, "effort", "", "how much the model reasons: `LEVEL` is none, minimal, low, medium, high, xhigh or max, as far as the model has it")
	f.BoolVar(&t.plan, "plan", false, "short for --agent-mode plan: make a plan first, and ask for your approval of it")
	f.BoolVar(&t.autopilot, "autopilot", false, "short for --agent-mode autopilot: continue until the task is done")
	f.IntVar(&o.Flags.MaxTurns, "max-turns", 0, "end a run after `N` model calls; 0 is no limit")
	f.IntVar(&o.Flags.MaxTokens, "max-tokens", 0, "end a run before it uses more than `N` tokens, in and out; 0 is no limit")
	f.DurationVar(&o.Flags.Timeout, "timeout", 0, "end a run after this `time`, such as 90s or 5m; 0 is no limit")
	f.StringArrayVar(&t.plugins, "plugin-dir", nil, "use the plugin in this `folder`; repeatable")
	o.DurabilityFlag(cmd)
	o.TapeFlags(cmd)
	o.PermissionFlags(cmd)
	for _, name := range []string{"session", "resume"} {
		_ = cmd.RegisterFlagCompletionFunc(name, wiring.CompleteSession(o)) // fails for an unknown flag only
	}
	_ = cmd.RegisterFlagCompletionFunc("effort", cobra.FixedCompletions(config.Efforts(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("agent-mode", cobra.FixedCompletions(agentModes, cobra.ShellCompDirectiveNoFileComp))
}

// agentModes are the modes of the agent, as the protocol names them.
var agentModes = []string{"interactive", "plan", "autopilot"}

// mode is the mode that the flags set, "" for that of the session.
func (t *talkOptions) mode() string {
	switch {
	case t.plan:
		return "plan"
	case t.autopilot:
		return "autopilot"
	}
	return t.agentMode
}

// check finds flags that contradict each other, and numbers out of range.
func (t *talkOptions) check(given config.Flags) error {
	which := howMany(t.goOn, t.resume != "", t.id != "")
	switch {
	case which > 1:
		return cli.NewUsageError(errors.New("give only one of --continue, --resume and --session: each chooses a session"))
	case t.plan && t.autopilot:
		return cli.NewUsageError(errors.New("--plan and --autopilot contradict each other: give one of them"))
	case t.agentMode != "" && t.agentMode != t.mode():
		return cli.NewUsageError(fmt.Errorf("--agent-mode %s and --%s contradict each other: give one of them", t.agentMode, t.mode()))
	case t.agentMode != "" && !slices.Contains(agentModes, t.agentMode):
		return cli.NewUsageError(fmt.Errorf("there is no mode %q; --agent-mode takes %s", t.agentMode, strings.Join(agentModes, ", ")))
	}
	return checkLimits(given)
}

// checkLimits finds an effort that does not exist, and limits out of range.
func checkLimits(given config.Flags) error {
	switch efforts := config.Efforts(); {
	case given.Effort != "" && !slices.Contains(efforts, given.Effort):
		return cli.NewUsageError(fmt.Errorf("there is no effort %q; --effort takes %s", given.Effort, strings.Join(efforts, ", ")))
	case given.MaxTurns < 0:
		return cli.NewUsageError(fmt.Errorf("--max-turns is %d, want a number of model calls, or 0 for no limit", given.MaxTurns))
	case given.MaxTokens < 0:
		return cli.NewUsageError(fmt.Errorf("--max-tokens is %d, want a number of tokens, or 0 for no limit", given.MaxTokens))
	case given.Timeout < 0 || given.Timeout > 0 && given.Timeout < time.Millisecond:
		return cli.NewUsageError(fmt.Errorf("--timeout is %v, want a time such as 5m, or 0 for no limit", given.Timeout))
	}
	return nil
}

// checkRules finds permission rules that would do nothing.
func (t *talkOptions) checkRules(o *cli.Options) error {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	return wiring.CheckRuleNames(cfg, func() []string { return wiring.OpenLocal(cfg, o.Sys).ServerNames() })
}

// goesOn reports whether the flags name a session that must exist.
func (t *talkOptions) goesOn() bool { return t.goOn || t.resume != "" }

func howMany(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// open creates the session, or resumes the one that the flags name. It applies the
// approvals that were saved for the session's location.
func (t *talkOptions) open(ctx context.Context, o *cli.Options, p *wiring.Parts, with *conversation) (*session.Client, error) {
	c, err := t.enter(ctx, o, p, with)
	if err != nil {
		return nil, err
	}
	_, err = c.Session().Permissions().ApplyLocation(ctx, "")
	if err != nil && fault.KindOf(err) != fault.NotFound { // without a working directory, there is nothing to apply
		fmt.Fprintln(o.Sys.Stderr, "sidestick: the approvals for this location could not be applied: "+cli.Message(err))
	}
	return c, nil
}

func (t *talkOptions) enter(ctx context.Context, o *cli.Options, p *wiring.Parts, with *conversation) (*session.Client, error) {
	cfg := t.settings(o, p.Config.Budget, with)
	id, err := t.chosen(ctx, p)
	if err != nil {
		return nil, err
	}
	created := cfg
	created.TrackFiles = new(true) // so that /undo and /rewind can restore files
	created.ReasoningEffort = p.Config.Effort.Value
	if cfg.SessionID = id; id == "" {
		return p.Sessions.Create(ctx, created, with.peer)
	}
	created.SessionID = id
	known, err := p.Sessions.Metadata(ctx, id)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return p.Sessions.Resume(ctx, cfg, with.peer, nil)
	}
	if err := wiring.CheckNewID(id); err != nil {
		return nil, err
	}
	c, err := p.Sessions.Create(ctx, created, with.peer)
	if err == nil { // the id may be mistyped
		fmt.Fprintf(o.Sys.Stderr, "sidestick: there was no session %s, so it was created\n", id)
	}
	return c, err
}

// settings is how the terminal enters a session. Without a terminal to ask at, it tells
// the session so, which then denies at once instead of waiting.
func (t *talkOptions) settings(o *cli.Options, limits config.Budget, with *conversation) wire.Config {
	yes, asks := true, with.ask != nil
	var plugins []string
	for _, folder := range t.plugins { // the session may have another working directory
		plugins = append(plugins, cli.Absolute(folder))
	}
	return wire.Config{
		ClientName: "sidestick-terminal", Model: o.Flags.Model, ReasoningEffort: o.Flags.Effort, Streaming: &yes,
		RequestPermission: &asks, RequestUserInput: &asks, RequestExitPlan: &asks,
		RequestElicitation: &asks, RequestSwitch: &asks, EnableConfigDiscovery: &yes, TokenStorage: session.TokensPersistent,
		ContinuePendingWork: t.unfinished && asks, HoldPendingWork: true, PluginDirectories: plugins,
		Budget: &wire.Budget{MaxTurns: limits.Turns.Value, MaxTokens: int64(limits.Tokens.Value), TimeoutMs: limits.Time.Value.Milliseconds()},
	}
}

// chosen is the id of the session to continue, "" for a new one.
func (t *talkOptions) chosen(ctx context.Context, p *wiring.Parts) (string, error) {
	switch {
	case t.goOn:
		return newestHere(ctx, p)
	case t.resume != "" || t.id != "":
		if err := wiring.CheckID(t.resume + t.id); err != nil || t.resume == "" {
			return t.id, err
		}
		return wiring.ChooseSession(ctx, p.Sessions, t.resume)
	}
	return t.id, nil
}

// newestHere is the id of the session in the working directory that was changed last.
func newestHere(ctx context.Context, p *wiring.Parts) (string, error) {
	list, err := here(ctx, p)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &fault.Error{
			Op: "sessions", On: cli.Absolute("."), Kind: fault.NotFound, Hint: "leave out --continue to start one; sidestick sessions list shows all",
			Err: errors.New("there is no session in this folder yet"),
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
