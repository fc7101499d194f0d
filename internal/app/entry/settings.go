package entry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
)

// Settings are the flags of `run` and `chat`: which session is entered, in which mode, and how the
// user is asked. The zero value enters a new session.
type Settings struct {
	ID, Resume string // --session and --resume; a resumed session must exist
	Continue   bool   // --continue

	AgentMode       string
	Plan, Autopilot bool
	Plugins         []string // the folders of --plugin-dir
	Choices

	Once  bool // the command answers one prompt, and may be part of a script
	Plain bool // --plain: text is only appended, as for a screen reader
	Asks  bool // --ask: questions are asked also in a script

	FromLog  string // --from-log: whether a foreign log's model and folder take effect; "" asks
	switched bool   // the session is entered from another one

	Unfinished bool // a question that an earlier process left open is asked again
	UserLeaves bool // sessions are closed because the user leaves them
}

// Another are the settings for a session that the user enters later: the one with an id, or with its first
// characters, or a new one for "". Flags about all sessions of the command hold for it, too.
func (s *Settings) Another(id string) *Settings {
	return &Settings{switched: true, Resume: id, Plugins: s.Plugins, Choices: s.Choices, Unfinished: s.Unfinished}
}

// AddFlags adds the flags that `run` and `chat` have in common to cmd.
func (s *Settings) AddFlags(o *cli.Options, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.Flags.Model, "model", "m", "", "`name` of the model, or extension:URL for a Copilot Extensions agent (default $SIDESTICK_MODEL)")
	o.FallbackFlag(cmd)
	o.ToolSetFlag(cmd)
	f.BoolVarP(&s.Continue, "continue", "c", false, "continue the session of this folder that was changed last")
	f.StringVarP(&s.Resume, "resume", "r", "", "continue the session with this `ID`; its first characters are enough")
	f.StringVar(&s.ID, "session", "", "continue the session with exactly this `ID`, or create it")
	f.StringVar(&s.FromLog, "from-log", "", "`use` or ignore the model and the folder that the log of a session from elsewhere names, instead of asking")
	f.StringVar(&s.AgentMode, "agent-mode", "", "`mode` of the agent: interactive, plan or autopilot")
	f.StringVar(&o.Flags.Effort, "effort", "", "how much the model reasons: `LEVEL` is none, minimal, low, medium, high, xhigh or max, as far as the model has it")
	f.BoolVar(&s.Plan, "plan", false, "short for --agent-mode plan: make a plan first, and ask for your approval of it")
	f.BoolVar(&s.Autopilot, "autopilot", false, "short for --agent-mode autopilot: continue until the task is done")
	f.IntVar(&o.Flags.MaxTurns, "max-turns", 0, "end a run after `N` model calls; 0 is no limit")
	f.IntVar(&o.Flags.MaxTokens, "max-tokens", 0, "end a run before it uses more than `N` tokens, in and out; 0 is no limit")
	f.DurationVar(&o.Flags.Timeout, "timeout", 0, "end a run after this `time`, such as 90s or 5m; 0 is no limit")
	f.StringArrayVar(&s.Plugins, "plugin-dir", nil, "use the plugin in this `folder`; repeatable")
	s.addFlags(cmd)
	o.DurabilityFlag(cmd)
	o.TapeFlags(cmd)
	o.PermissionFlags(cmd)
	for _, name := range []string{"session", "resume"} {
		_ = cmd.RegisterFlagCompletionFunc(name, wiring.CompleteSession(o)) // fails for an unknown flag only
	}
	_ = cmd.RegisterFlagCompletionFunc("effort", cobra.FixedCompletions(config.Efforts(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("agent-mode", cobra.FixedCompletions(AgentModes(), cobra.ShellCompDirectiveNoFileComp))
}

// AgentModes are the modes of the agent, as the protocol names them.
func AgentModes() []string { return []string{"interactive", "plan", "autopilot"} }

// Mode is the mode that the flags set, "" for that of the session.
func (s *Settings) Mode() string {
	switch {
	case s.Plan:
		return "plan"
	case s.Autopilot:
		return "autopilot"
	}
	return s.AgentMode
}

// Check finds flags that contradict each other, and numbers out of range.
func (s *Settings) Check(given config.Flags) error {
	which := howMany(s.Continue, s.Resume != "", s.ID != "")
	switch {
	case which > 1:
		return cli.NewUsageError(errors.New("give only one of --continue, --resume and --session: each chooses a session"))
	case s.FromLog != "" && s.FromLog != useLog && s.FromLog != ignoreLog:
		return cli.NewUsageError(fmt.Errorf("--from-log is %q, want use or ignore", s.FromLog))
	case s.Plan && s.Autopilot:
		return cli.NewUsageError(errors.New("--plan and --autopilot contradict each other: give one of them"))
	case s.AgentMode != "" && s.AgentMode != s.Mode():
		return cli.NewUsageError(fmt.Errorf("--agent-mode %s and --%s contradict each other: give one of them", s.AgentMode, s.Mode()))
	case s.AgentMode != "" && !slices.Contains(AgentModes(), s.AgentMode):
		return cli.NewUsageError(fmt.Errorf("there is no mode %q; --agent-mode takes %s", s.AgentMode, strings.Join(AgentModes(), ", ")))
	}
	existing := ""
	switch {
	case s.Continue:
		existing = "--continue"
	case s.Resume != "":
		existing = "--resume"
	case s.ID != "":
		existing = "--session"
	}
	return cmp.Or(s.check(existing), checkLimits(given))
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

// CheckRules finds permission rules that would do nothing.
func (s *Settings) CheckRules(o *cli.Options) error {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	local := wiring.OpenLocal(cfg, o.Sys)
	given, err := s.readServers(local.ServerFiles(), local.Project)
	if err != nil {
		return err
	}
	return wiring.CheckRuleNames(cfg, func() []string { return slices.AppendSeq(local.ServerNames(), maps.Keys(given)) })
}

// MustExist reports whether the flags name a session that must exist.
func (s *Settings) MustExist() bool { return s.Continue || s.Resume != "" }

func howMany(conditions ...bool) (n int) {
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}
