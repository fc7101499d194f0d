package session

import (
	"context"
	"log/slog"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A model with a small window gets the small set of tools: those that carry the work, with short texts, and a short
// system message ([prompt.Env].Small). It is decided anew for each call, so a session that changes
// to a model with a larger window has all tools at once. Tools of clients and MCP servers, and built-in ones
// that a list of the client or of an agent names, are offered in any case.

// The words for [Options.ToolSet], as the setting has them.
const toolSetSmall, toolSetFull = "small", "full"

// ToolSet is which set of tools a model gets, and what decides that.
type ToolSet struct {
	// Small says that it is the small set.
	Small bool
	// Window is the window in force, in tokens of prompt and answer together, and Source where it is known from. Window is 0
	// if it is only assumed, which is never small.
	Window int64
	Source string
}

// toolSet is the set of tools that a model of the endpoint gets. setting is that of [Options.ToolSet].
func (e *turnEndpoint) toolSet(setting, name string) ToolSet {
	l := e.limits(name)
	if l.guess {
		l.whole = 0
	}
	t := ToolSet{Window: l.whole, Source: l.prompt.Source}
	switch setting {
	case toolSetSmall:
		t.Small = true
	case toolSetFull:
	default:
		t.Small = l.whole > 0 && l.whole < smallWindow
	}
	return t
}

// smallSet reports whether the main agent or another one, whose calls go to an endpoint, gets the small set.
func (e *turnEndpoint) smallSet(setting string, is role) bool {
	if e.isExtension() {
		return false // it is offered none
	}
	name := e.model
	if is.sub == nil {
		name = is.def.ModelOr(name)
	}
	return e.toolSet(setting, name).Small
}

// ForeseeToolSet returns which set of tools a new session with these options would get for a model, "" for the one that it
// would use. It finds the window as the first turn of a session does, so it may ask the provider. Of opts it
// reads Model, Provider, ToolSet, FS, Home and Logger. It stores nothing.
func ForeseeToolSet(ctx context.Context, opts Options, name string) (ToolSet, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	r := Registry{opts: opts}
	r.facts.catalogue = known.New(opts.FS, known.Path(opts.Home))
	r.facts.kept = known.OpenWindows(opts.FS, opts.Home, opts.Logger)
	r.facts.log, r.facts.looks = opts.Logger, true
	defer r.facts.stop()
	e, err := r.resolve(ctx, modelChoice{provider: opts.Provider, model: name, patient: true})
	if err != nil || e.isExtension() {
		return ToolSet{}, err
	}
	return e.toolSet(opts.ToolSet, e.model), nil
}

// noteToolSet has the snapshots of a session describe the set of tools that its next call is offered, before it has
// made one. e is where that goes.
func (m *Metrics) noteToolSet(ctx context.Context, e *turnEndpoint) error {
	return m.s.do(ctx, func() error {
		m.s.tools.small = e.smallSet(m.s.reg.opts.ToolSet, m.s.agents.mainRole())
		return nil
	})
}

// leftOutOfSmall warns once while the session is in memory of what the session has and its model cannot use, because the small
// set leaves the tools out; nil if there is nothing like that.
func (t *toolset) leftOutOfSmall(r role) wire.Data {
	if !r.small || t.toldOfSmall || t.lists(&r.def) || r.sub != nil {
		return nil
	}
	var lost []string
	if (host{t.s}).SkillListing() != "" {
		lost = append(lost, "It cannot load skills by itself, because the set does not have "+tool.SkillName+"; as slash commands they work.")
	}
	if len(t.s.config.agents.Custom(t.s.agents.files())) > 0 {
		lost = append(lost, "It cannot start agents, because the set does not have "+tool.TaskName+"; an agent that you choose for the session works.")
	}
	if lost == nil {
		return nil
	}
	t.toldOfSmall = true
	return &wire.SessionWarning{
		WarningType: wire.WarningSmallSet,
		Message:     "The model is offered the small set of tools. " + strings.Join(lost, " ") + " To have all tools, set toolSet to full, or use a model with a larger window.",
	}
}

// SmallTools reports whether the main agent is offered the small set of tools, as far as that is known: after a call, or
// after [Metrics.Window].
func (m *Metrics) SmallTools(ctx context.Context) (small bool, err error) {
	err = m.s.do(ctx, func() error { small = m.s.agents.offeredRole().small; return nil })
	return small, err
}

// lists reports whether the client or an agent lists the tools that it wants. The list counts, also in the small set.
func (t *toolset) lists(a *agent.Definition) bool {
	return t.s.config.filter.Available != nil || a.Tools != nil
}

// inSmallSet returns what the small set has of a built-in tool: the tool with its short text; the tool as it is if
// it was asked for, or if the mode needs it; else nil.
func (t *toolset) inSmallSet(o *offer.Tool, a *agent.Definition) *offer.Tool {
	name := o.Definition.Name
	if short := o.Short(&t.s.reg.sheets); short != nil {
		return short
	}
	switch {
	case t.lists(a),
		name == tool.TaskCompleteName && t.s.state.ModeNow() == modeAutopilot,
		name == tool.ExitPlanModeName: // which is usable in its mode only
		return o
	}
	return nil
}
