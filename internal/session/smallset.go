package session

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A model with a small window gets the small set of tools: those that carry the work, with short texts, and a short
// system message ([prompt.Env].Small). It is decided anew for each call, so a session that changes
// to a model with a larger window has all tools at once. Tools of clients and MCP servers, and built-in ones
// that a list of the client or of an agent names, are offered in any case.

// smallSet reports whether the main agent or another one, whose calls go to an endpoint, gets the small set.
func smallSet(e *provider.Endpoint, setting string, is role) bool {
	if e.IsExtension() {
		return false // it is offered none
	}
	name := e.Model
	if is.sub == nil {
		name = is.def.ModelOr(name)
	}
	return e.ToolSet(setting, name).Small
}

// noteToolSet has the snapshots of a session describe the set of tools that its next call is offered, before it has
// made one. e is where that goes.
func (t Settings) noteToolSet(ctx context.Context, e *provider.Endpoint) error {
	return t.s.log.Do(ctx, func() error {
		t.s.tools.small = smallSet(e, t.s.home.ToolSet, t.s.tools.mainRole())
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
		lost = append(lost, "It cannot load skills by itself, because the set does not have "+fact.Skill+"; as slash commands they work.")
	}
	if len(t.s.agents.Custom()) > 0 {
		lost = append(lost, "It cannot start agents, because the set does not have "+fact.Task+"; an agent that you choose for the session works.")
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

// lists reports whether the client or an agent lists the tools that it wants. The list counts, also in the small set.
func (t *toolset) lists(a *agent.Definition) bool {
	return t.s.config.filter.Available != nil || a.Tools != nil
}

// inSmallSet returns what the small set has of a built-in tool: the tool with its short text; the tool as it is if
// it was asked for, or if the mode needs it; else nil.
func (t *toolset) inSmallSet(o *offer.Tool, a *agent.Definition) *offer.Tool {
	if short := o.Short(t.s.home.Sheets); short != nil {
		return short
	}
	switch does := fact.Of(o.Definition.Name).Does; {
	case t.lists(a),
		does == fact.Done && t.s.log.State().ModeNow() == modeAutopilot,
		does == fact.Plan: // which is usable in its mode only
		return o
	}
	return nil
}
