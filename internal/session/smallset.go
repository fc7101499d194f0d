package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// A model with a small window gets the small set of tools: those that carry the work, with short texts, and a short
// system message ([prompt.Env].Small). It is decided anew for each call, so a session that changes
// to a model with a larger window has all tools at once. Tools of clients and MCP servers, and built-in ones
// that a list of the client or of an agent names, are offered in any case.

// SmallWindow is the window, in tokens, below which a model gets the small set. The full one takes some 5,300 tokens;
// of 32,768 that is a sixth.
const SmallWindow = 32_768

// The words for [Options.ToolSet], as the setting has them.
const toolSetSmall, toolSetFull = "small", "full"

// SmallSet reports whether a model gets the small set of tools. setting is "small", "full" or, also if it is empty,
// "auto". window is how long its prompts may be, in tokens; 0 is not known, and not small.
func SmallSet(setting string, window int64) bool {
	switch setting {
	case toolSetSmall:
		return true
	case toolSetFull:
		return false
	}
	return window > 0 && window < SmallWindow
}

// smallSet is [SmallSet] for the main agent or another one, whose calls go to an endpoint. A window that is
// only assumed is never small.
func (e *turnEndpoint) smallSet(setting string, is role) bool {
	if e.isExtension() {
		return false // it is offered none
	}
	name := e.model
	if is.sub == nil {
		name = is.def.ModelOr(name)
	}
	return SmallSet(setting, e.window(name))
}

// noteToolSet has the snapshots of a session describe the set of tools that its next call is offered, before it has
// made one. e is where that goes.
func (m *Metrics) noteToolSet(ctx context.Context, e *turnEndpoint) error {
	return m.s.do(ctx, func() error {
		m.s.tools.small = e.smallSet(m.s.reg.opts.ToolSet, m.s.agents.mainRole())
		return nil
	})
}

// SmallTools reports whether the main agent is offered the small set of tools, as far as that is known: after a call, or
// after [Metrics.Window].
func (m *Metrics) SmallTools(ctx context.Context) (small bool, err error) {
	err = m.s.do(ctx, func() error { small = m.s.agents.offeredRole().small; return nil })
	return small, err
}

// inSmallSet returns what the small set has of a built-in tool: the tool with its short text; the tool as it is if
// it was asked for, or if the mode needs it; else nil.
func (t *toolset) inSmallSet(o *offer.Tool, a *agent.Definition) *offer.Tool {
	name := o.Definition.Name
	named := t.s.config.filter.Available != nil || a.Tools != nil
	if short := o.Short(&t.s.reg.sheets); short != nil && (named || !tool.IsShellReader(name) || t.commandsGoOn()) {
		return short
	}
	switch {
	case named,
		name == tool.TaskCompleteName && t.s.state.ModeNow() == modeAutopilot,
		name == tool.ExitPlanModeName: // which is usable in its mode only
		return o
	}
	return nil
}

// commandsGoOn reports whether a command runs that no call waits for, or has output that none has returned. The
// shell that waits for the next command counts for neither.
func (t *toolset) commandsGoOn() bool {
	if t.builtins.Shells == nil {
		return false
	}
	for _, i := range t.builtins.Shells.List() {
		if i.Running || i.Unread > 0 {
			return true
		}
	}
	return false
}
