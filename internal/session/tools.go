package session

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/clienttools"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Toolbox is the built-in tools of one session, and how to end what they have
// started.
type Toolbox struct {
	Tools []tool.Tool
	// Shells are those of the tools; nil: there are none.
	Shells *shell.Shells
	// Boxes are the sandboxes of the session, in which hooks run, too; nil: there are none.
	Boxes *sandbox.Boxes
	// ServerBoxes are those of the MCP servers, apart from Boxes, whose sandboxes may end
	// before the session; nil: there are none.
	ServerBoxes *sandbox.Boxes
	// Guard looks at what commands make; nil: nobody does.
	Guard *quarantine.Guard
	// Start starts a program of the user, with its output; nil: none can be started here.
	Start func(shell.Script, func(output string)) (*shell.Running, error)
	// Close ends processes and closes files. It is called once, when the session leaves
	// memory, after its last run; the session waits for it. nil: there is nothing to end.
	Close func()
}

// builtins is a session's Toolbox, and its tools as a source.
type builtins struct {
	Toolbox
	source *offer.Builtins
	offers offer.List
}

// toolset is the tools of a session: which sources they come from, and which of them the
// model is offered now. It belongs to the session's goroutine.
type toolset struct {
	s        *Session
	builtins *builtins        // made when first needed
	user     *usershell.Shell // what the user runs
	guard    atomic.Pointer[quarantine.Guard]
	servers  *servers.Servers
	external *clienttools.Calls // to the tools of clients
	// serverOffers are the tools of the session's servers.
	serverOffers offer.List
	unfit        offer.Unfit
	small        bool         // the last call of the main agent offered the small set
	limits       offer.Limits // of the last call of the main agent
	toldOfSmall  bool         // the user was warned of what the small set leaves out
}

// own returns the session's built-in tools, which are made when first needed:
// most sessions of a large server are asleep.
func (t *toolset) own() *builtins {
	if t.builtins == nil {
		t.builtins = &builtins{}
		if t.s.home.Tools != nil {
			t.builtins.Toolbox = t.s.home.Tools(toolHost{host{t.s}, t.s.agents.Tools()})
			if t.s.log.State().TracksFiles {
				t.builtins.Tools = t.s.History().Files().Track(t.builtins.Tools)
			}
		}
		if t.builtins.Shells != nil {
			t.builtins.Shells.OnEnd(t.user.Jobs().Ended)
		}
		if guard := t.builtins.Guard; guard != nil {
			guard.OnFound(func(f quarantine.Found) { tellFound(t.s, f) })
			t.guard.Store(guard)
		}
		t.builtins.source = offer.NewBuiltins(t.builtins.Tools)
	}
	return t.builtins
}

// shell is the tool that runs commands; nil if this system has none.
func (t *toolset) shell() tool.Tool {
	for _, known := range t.own().source.Tools() {
		if known.Definition().Name == fact.Bash {
			return known
		}
	}
	return nil
}

// builtin reports whether this program has a tool of that name. It does not make the
// session's own tools, because many sessions never run one.
func (t *toolset) builtin(name string) bool {
	return slices.ContainsFunc(t.s.home.Builtin(), func(known tool.Definition) bool { return known.Name == name })
}

// sources yields where the session's tools come from, in the order in which the model is
// offered them, and what each has on offer: the program itself, the MCP servers, then the attached
// clients in the order in which they came. A source of another sort is added here.
func (t *toolset) sources(yield func(tool.Source, *offer.List) bool) {
	own := t.own()
	own.source.Describe(host{t.s}.SkillListing(), t.s.agents.Listing())
	own.source.AskWithForms(t.s.config.asksWithForms, host{t.s})
	if !yield(own.source, &own.offers) {
		return
	}
	if set := t.servers.Current(); set != nil && !yield(set, &t.serverOffers) {
		return
	}
	for _, c := range t.s.clients {
		if !yield(c.tools, &c.offers) {
			return
		}
	}
}

// sourcesFor yields the sources of the session's tools, and then the MCP servers that an agent
// brings. Of two MCP tools with one name, the agent is offered its own.
func (t *toolset) sourcesFor(r role) iter.Seq2[tool.Source, []*offer.Tool] {
	own := t.servers.OfMain()
	if r.sub != nil {
		own = r.own
	}
	return func(yield func(tool.Source, []*offer.Tool) bool) {
		var brought []*offer.Tool
		if own != nil {
			brought = own.Tools(t.s.home.Sheets)
		}
		for from, known := range t.sources {
			list := known.Now(from, t.s.home.Sheets)
			if len(brought) > 0 && known == &t.serverOffers {
				list = slices.DeleteFunc(slices.Clone(list), func(o *offer.Tool) bool {
					return slices.ContainsFunc(brought, func(b *offer.Tool) bool { return b.Definition.Name == o.Definition.Name })
				})
			}
			if !yield(from, list) {
				return
			}
		}
		if own != nil {
			yield(own.Set(), brought)
		}
	}
}

// offeredTo are the tools of all sources that the filters of the session and of an agent let
// through, but for built-in ones that cannot work now, those that a client's tool replaces, and
// those that no provider accepts.
func (t *toolset) offeredTo(r role) []*offer.Tool {
	var out []*offer.Tool
	for from, list := range t.sourcesFor(r) {
		out = slices.Grow(out, len(list))
		for _, o := range list {
			d := &o.Definition
			if from == tool.Source(t.builtins.source) && !t.usable(r, d.Name) || d.Origin != tool.Custom && t.s.tools.external.Owner(d.Name) != nil {
				continue
			}
			if r.small && from == tool.Source(t.builtins.source) {
				if o = t.inSmallSet(o, &r.def); o == nil {
					continue
				}
			}
			switch {
			case !t.s.config.offersTo(&r.def, d):
			case o.Unfit != nil:
				t.unfit.Note(*d, o.Unfit)
			default:
				out = append(out, o)
			}
		}
	}
	return out
}

// choose returns the tools of an agent's next call: those of offeredTo, or some of them while others are deferred.
func (t *toolset) choose(r role, o *toolsearch.Offers) *toolsearch.Offered {
	q := toolsearch.Request{All: t.offeredTo(r), Agent: r.def, Settings: t.s.home.ToolSearch.With(t.s.config.toolSearch), Limits: r.limits}
	talk := &t.s.log.State().Main
	if r.sub != nil {
		talk = t.s.log.State().Thread(r.sub.ID())
	}
	if talk != nil {
		q.Found = talk.Found
	}
	return o.Of(q, t.s.home.Sheets)
}

// usable reports whether a built-in tool can work now, for an agent. The model is not offered
// others. Only the main agent speaks with the user.
func (t *toolset) usable(r role, name string) bool {
	switch fact.Of(name).Offered {
	case fact.MainOnly:
		return r.sub == nil
	case fact.AsksUser:
		return r.sub == nil && t.canAsk()
	case fact.InPlanMode:
		return r.sub == nil && t.s.log.State().ModeNow() == modePlan && audience{t.s}.can(approval.DecidesOnPlans)
	case fact.HasSkills:
		return host{t.s}.SkillListing() != ""
	case fact.HasResources:
		return t.servers.HaveResources()
	case fact.HasAgents:
		return t.s.agents.Any() || t.delegates(r)
	case fact.StartsAgent:
		return t.delegates(r)
	}
	return true
}

// canAsk reports whether a client answers the questions of the model.
func (t *toolset) canAsk() bool {
	switch {
	case t.s.config.noQuestions:
		return false
	case t.s.config.asksWithForms:
		return audience{t.s}.can(approval.FillsForms)
	}
	return audience{t.s}.can(approval.AnswersQuestions)
}

// offer is the tool of that name that is on offer, nil if none is.
func (t *toolset) offer(name string) tool.Tool {
	for _, o := range t.offeredTo(t.mainRole()) {
		if o.Definition.Name == name {
			return o.Tool
		}
	}
	return nil
}

// delegates reports whether an agent may start a sub-agent now.
func (t *toolset) delegates(r role) bool {
	return t.s.agents.Startable(r.sub) && t.s.config.offersTo(&r.def, &taskTool)
}

// taskTool is the tool that starts sub-agents, as the filters see it.
var taskTool = tool.Definition{Name: fact.Task, Origin: tool.Builtin}

// waitingFor is the tool of a call that waits: the one on offer, which knows whether its
// success ends the run, or else only its name.
func (t *toolset) waitingFor(name string) tool.Tool {
	if known := t.offer(name); known != nil {
		return known
	}
	return t.s.tools.external.Tool(name)
}

// repeatable is the tool of that name if a call that was cut off can be made again,
// else nil.
func (t *toolset) repeatable(name string) tool.Tool {
	if known := t.offer(name); known != nil && known.Definition().Repeatable {
		return known
	}
	return nil
}

// closing returns the function that ends the MCP servers, and what the built-in tools have
// started. It may wait for processes, so it is not called on the session's goroutine.
func (t *toolset) closing() func() {
	stopPrograms, endServers, closeTools := t.user.Closing(), t.servers.Closing(), func() {}
	if t.builtins != nil && t.builtins.Close != nil {
		closeTools = t.builtins.Close
	}
	return func() {
		stopPrograms()
		endServers()
		closeTools() // which closes the sandboxes of the servers
	}
}

// emitOfRun sends an event of a conversation under way, unless that was aborted. agentID is
// that of a sub-agent, "" for the main agent.
func (t *toolset) emitOfRun(agentID string, data wire.Data) {
	if w := t.s.agents.Live(agentID); w != nil {
		w.Emit(data)
	}
}

// offersTo reports whether an agent may use a tool in this session.
func (c *configuration) offersTo(a *agent.Definition, d *tool.Definition) bool {
	if d.Name == fact.ToolSearch { // it stands for the tools that are available, and need not be listed itself
		return c.filter.WithoutList().Offers(offer.Named(d)) && agent.Filter{Excluded: a.ExcludedTools}.Offers(offer.Named(d))
	}
	return c.filter.Offers(offer.Named(d)) && a.Offers(offer.Named(d))
}

// When client tools that the model was offered leave with their client, the next
// message reports it to the model, which would otherwise continue to call them. The log records
// what was offered, so that a resumed session knows it too: a turn that offers tools for
// the first time names them (wire.FieldNewTools), and the message that reports their
// removal names those (wire.FieldRemovedTools). The program's own tools change with the
// mode, and the notice about the mode reports that.

// clientTools are the names of the client tools on offer.
func (t *toolset) clientTools() (names []string) {
	main := t.s.agents.Main()
	for def := range t.s.tools.external.Definitions {
		if t.s.config.offersTo(&main, def) {
			names = append(names, def.Name)
		}
	}
	return names
}

// withNewTools adds to the start of a turn which tools it is the first to offer.
func (t *toolset) withNewTools(begin *wire.AssistantTurnStart, now *toolsearch.Offers) wire.Data {
	fresh := slices.DeleteFunc(t.clientTools(), func(name string) bool {
		return slices.Contains(t.s.log.State().OfferedTools, name) || !now.Has(name)
	})
	if len(fresh) == 0 {
		return begin
	}
	return wire.WithJSON(begin, wire.FieldNewTools, fresh)
}

// removedTools are those that the model was offered and that no client provides any more.
func (t *toolset) removedTools() []string {
	if len(t.s.log.State().OfferedTools) == 0 {
		return nil
	}
	now := t.clientTools()
	return slices.DeleteFunc(slices.Clone(t.s.log.State().OfferedTools), func(name string) bool { return slices.Contains(now, name) })
}

// toolHost is a session as its built-in tools see it; it implements [tool.Host].
type toolHost struct {
	host
	agents.Tools
}

// host is [toolHost] without the sub-agents.
type host struct{ s *Session }

func (h host) Cwd() string { return h.s.log.Cwd() }

func (h host) Resources() tool.Resources { return MCP(h.s) }

func (h host) Dir() string { return h.s.storage.dir }

// Stored implements [tool.Workspace].
func (h host) Stored(path string) *tool.Stored { return h.s.storage.stored(path) }

func (h host) Partial(c tool.Call, text string) {
	if output := (&wire.ToolPartialResult{ToolCallID: c.ID, PartialOutput: text}); h.s.tools.user.Runs(c.ID) {
		h.s.log.Notify("", output) // also outside of a run
	} else {
		h.s.tools.emitOfRun(c.AgentID, output)
	}
}

func (h host) Progress(c tool.Call, message string) {
	h.s.tools.emitOfRun(c.AgentID, &wire.ToolProgress{ToolCallID: c.ID, ProgressMessage: message})
}

// Database implements [tool.Host].
func (h host) Database() (sessiondb.Database, error) { return h.s.Workspace().Database() }

// TodosChanged implements [tool.Host].
func (h host) TodosChanged() { h.s.Workspace().TodosChanged() }

// A model with a small window gets the small set of tools: those that carry the work, with short texts, and a short
// system message ([prompt.Env].Small). It is decided anew for each call, so a session that changes
// to a model with a larger window has all tools at once. Tools of clients and MCP servers, and built-in ones
// that a list of the client or of an agent names, are offered in any case.

// calling is the role with the set of tools and the limits of the model that an endpoint has for it.
func (r role) calling(e *provider.Endpoint, setting string) role {
	if e.IsExtension() {
		return r // it is offered none
	}
	name := e.Model
	if r.sub == nil {
		name = r.def.ModelOr(name)
	}
	r.small, r.limits = e.ToolSet(setting, name).Small, e.ToolLimits(name)
	return r
}

// noteToolSet has the snapshots of a session describe the set of tools that its next call is offered, before it has
// made one. e is where that goes.
func (t Settings) noteToolSet(ctx context.Context, e *provider.Endpoint) error {
	return t.s.log.Do(ctx, func() error {
		r := t.s.tools.mainRole().calling(e, t.s.home.ToolSet)
		t.s.tools.small, t.s.tools.limits = r.small, r.limits
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
	case t.lists(a), does == fact.Find,
		does == fact.Done && t.s.log.State().ModeNow() == modeAutopilot,
		does == fact.Plan: // which is usable in its mode only
		return o
	}
	return nil
}
