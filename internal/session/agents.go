package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Agents has the agents that a session can use, and its sub-agents. Except for main and
// working, its fields belong to the session's goroutine.
type Agents struct {
	s    *Session
	main atomic.Pointer[thread] // the main conversation of the run under way; nil when idle

	mu      sync.Mutex // guards working
	working map[string]*thread

	subs    []*subagent // in the order in which they started, those of earlier processes first
	loaded  bool        // subs has those of earlier processes
	running int         // how many of subs work
	started int         // since the session was idle last
	inbox   inbox       // of the main agent
	// clientTasks are tasks that clients have registered.
	clientTasks *agents.ClientTasks
	// overrides are what clients have set for sub-agents.
	overrides agent.Overrides
	listed    *listed // what the task tool lists; nil before it is asked for
}

// Agents returns the session's agents.
func (s *Session) Agents() *Agents { return &s.agents }

// role is an agent as the system message and the tools of its conversation see it.
type role struct {
	def agent.Definition
	sub *subagent // nil: the main agent
	// small says that the model gets the small set of tools.
	small bool
}

// mainRole is that of the main agent, with all tools.
func (a *Agents) mainRole() role { return role{def: a.s.config.agents.Main} }

// offeredRole is that of the main agent, with the set of tools that its next call is offered, as far as that
// is known.
func (a *Agents) offeredRole() role {
	return role{def: a.s.config.agents.Main, small: a.s.tools.small || a.s.home.ToolSet == provider.ToolSetSmall}
}

func (t *thread) role() role {
	if t.sub == nil {
		return t.s.agents.mainRole()
	}
	return role{def: t.sub.def, sub: t.sub}
}

// inbox has the messages and notices that wait for one agent. It belongs to the session's
// goroutine, except for news.
type inbox struct {
	messages []string    // to a sub-agent
	notices  []*subagent // have ended; the agent is still to be notified of them
	owed     int         // sub-agents in the background that still work and will send a notice
	news     chan struct{}
}

// wake reports that the inbox has changed. At most one report waits.
func (i *inbox) wake() {
	select {
	case i.reports() <- struct{}{}:
	default:
	}
}

// reports is the channel of wake. It is made on the session's goroutine.
func (i *inbox) reports() chan struct{} {
	if i.news == nil {
		i.news = make(chan struct{}, 1)
	}
	return i.news
}

// live returns the conversation of an agent that works now, nil if there is none. agentID is
// "" for the main agent. It is safe for concurrent use.
func (a *Agents) live(agentID string) *thread {
	if agentID == "" {
		return a.main.Load()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.working[agentID]
}

// rest resets the counts of a run, because the session is idle.
func (a *Agents) rest() {
	a.main.Store(nil)
	a.started = 0
}

// limits bounds the sub-agents of the session.
func (a *Agents) limits() agent.Limits { return a.overrides.Within(a.s.home.Subagents) }

// files are the agents found in files.
func (a *Agents) files() []agent.Definition { return a.s.discovery.Agents() }

// choosable are the agents that a model may start. The caller must not modify the slice:
// sessions that have only the built-in agents share it.
func (a *Agents) choosable() []agent.Definition {
	all := a.s.config.agents.All(a.files())
	barred := func(d agent.Definition) bool { return !d.Infer || slices.Contains(a.overrides.Disabled, d.Name) }
	if !slices.ContainsFunc(all, barred) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), barred)
}

// startable reports whether an agent may start a sub-agent now.
func (a *Agents) startable(r role) bool {
	return r.depth() < a.limits().Depth && len(a.choosable()) > 0 && a.s.config.offersTo(&r.def, &taskTool)
}

// taskTool is the tool that starts sub-agents, as the filters see it.
var taskTool = tool.Definition{Name: fact.Task, Origin: tool.Builtin}

// depth is how deep an agent is nested: 0 is the main agent.
func (r role) depth() (n int) {
	for b := r.sub; b != nil; b = b.parent {
		n++
	}
	return n
}

// listing is a text that changes whenever the list of agents in the task tool changes. It is
// needed for every model call, so it is computed again only if choosable returns another slice.
func (a *Agents) listing() string {
	now := a.choosable()
	if len(now) == 0 {
		return ""
	}
	if l := a.listed; l != nil && len(now) == len(l.agents) && &now[0] == &l.agents[0] {
		return l.text
	}
	var b strings.Builder
	for _, d := range now {
		b.WriteString(d.Name + "\x00" + d.Description + "\x00")
	}
	a.listed = &listed{now, b.String()}
	return a.listed.text
}

// listed is the listing of agents, which nobody changes.
type listed struct {
	agents []agent.Definition
	text   string
}

// find returns a sub-agent by its id, or the newest one with that name if no id matches; nil if
// there is none.
func (a *Agents) find(id string) *subagent {
	if b := a.named(func(b *subagent) bool { return b.id == id }); b != nil { // without a look at the log
		return b
	}
	a.load()
	return cmp.Or(
		a.named(func(b *subagent) bool { return b.id == id }),
		a.named(func(b *subagent) bool { return b.task.Name == id }),
	)
}

// named returns the newest sub-agent for which fits is true, nil if there is none.
func (a *Agents) named(fits func(*subagent) bool) *subagent {
	for _, b := range slices.Backward(a.subs) {
		if fits(b) {
			return b
		}
	}
	return nil
}

// load adds the sub-agents of earlier processes from the log, each with the agent that started
// it.
func (a *Agents) load() {
	if a.loaded {
		return
	}
	a.loaded = true
	known := map[string]*subagent{}
	for _, b := range a.subs {
		known[b.id] = b
	}
	var earlier []*subagent
	for _, t := range a.s.state.Threads()[1:] {
		if known[t.AgentID] == nil {
			b := endedSubagent(a.s, t)
			earlier, known[t.AgentID] = append(earlier, b), b
		}
	}
	for _, b := range earlier {
		b.parent = known[a.s.state.Thread(b.id).Launch.Parent]
		b.asker = b.parent
	}
	a.subs = append(earlier, a.subs...)
}

// endedSubagent is a sub-agent of an earlier process.
func endedSubagent(s *Session, t *state.Thread) *subagent {
	l := t.Launch
	b := &subagent{
		s: s, id: t.AgentID, def: agent.Definition{Name: l.Agent, DisplayName: l.DisplayName}, status: tool.AgentCompleted, background: l.Background,
		task: tool.AgentTask{Agent: l.Agent, Name: l.Name, Description: l.Description}, done: make(chan struct{}), turns: t.Turns, earlier: true,
	}
	close(b.done)
	switch {
	case l.Failed:
		b.status = tool.AgentFailed
	case l.Canceled:
		b.status = tool.AgentCanceled
	}
	return b
}

// waitedFor reports whether the main agent waits for a sub-agent in the background, or for the
// notice of one.
func (a *Agents) waitedFor(ctx context.Context) (waits bool) {
	_ = a.s.post(context.WithoutCancel(ctx), func() error { waits = a.inbox.owed > 0 || len(a.inbox.notices) > 0; return nil })
	return waits
}

// owes reports whether the main agent will be notified of the end of a sub-agent.
func (a *Agents) owes(id string) bool {
	return slices.ContainsFunc(a.inbox.notices, func(b *subagent) bool { return b.id == id })
}

// stop ends all sub-agents that work, because the user has aborted the run, or because the
// session closes. No agent is notified of their end.
func (a *Agents) stop() {
	for _, b := range a.subs {
		if b.status == tool.AgentRunning {
			b.quiet = true
			b.stop()
		}
	}
	a.inbox.notices = nil
}

// awaiting is the state of a run that waits for sub-agents in the background. Such a run
// follows another run, and calls the main agent when there is something to report to it.
type awaiting struct {
	after turn.Outcome // of the run before
	// goesOn is true if the model is called when a sub-agent has ended. Otherwise the run
	// only waits until all have ended, after a failure or an abort.
	goesOn bool
}

// await starts a run that waits for the sub-agents that work, and reports whether it has
// started one. records says whether the log can be written and the session is not closing.
func (a *Agents) await(before *run, out turn.Outcome, records bool) bool {
	s := a.s
	goesOn := records && !out.Aborted && out.Err == nil && out.Stopped == nil
	if w := before.awaits; w != nil && !w.goesOn {
		goesOn = false
	}
	if s.agents.running == 0 && (!goesOn || len(s.agents.inbox.notices) == 0) {
		return false
	}
	if s.run != nil {
		s.log.Notify("", &wire.AssistantIdle{Aborted: wire.Optional(out.Aborted)})
	}
	r := s.newRun(wire.Send{RequestHeaders: before.headers, HeadersBy: string(before.headersBy)})
	r.id, r.origin, r.format = before.id, before.origin, before.format
	r.budget, r.ledger, r.deadline = before.budget, before.ledger, before.deadline
	if w := before.awaits; w != nil && w.after.Aborted {
		out.Aborted = true
	}
	r.awaits = &awaiting{out, goesOn}
	ctx, cancel := context.WithCancelCause(context.Background())
	if r.cancel, r.ended = cancel, before.ended; r.ended == nil { // a sub-agent's
		r.ended = make(chan struct{})
	}
	r.start(ctx)
	return true
}

// awaitAgents waits until there is something to report to the main agent, and reports whether
// there is. It returns false when a message waits, which the next run sends, and when all
// sub-agents have ended. After an abort it waits for those that are being stopped.
func (r *run) awaitAgents(ctx context.Context) bool {
	over := ctx.Done()
	for {
		ready, goesOn := true, false
		var news chan struct{}
		_ = r.s.post(context.Background(), func() error { // also after an abort, and while the session closes
			a := &r.s.agents
			if over == nil {
				a.stop()
			}
			_, message := r.s.Queue().ready()
			message = message && over != nil && !r.s.log.Closing()
			goesOn = over != nil && r.awaits.goesOn && len(a.inbox.notices) > 0 && !message
			ready = goesOn || a.running == 0 || message
			news = a.inbox.reports()
			return nil
		})
		if ready || news == nil {
			return goesOn
		}
		select {
		case <-news:
		case <-over:
			over = nil
		}
	}
}
