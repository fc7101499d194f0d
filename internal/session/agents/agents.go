// Package agents has the agents that a session can use, its sub-agents, and the tasks that clients see
// of both. A sub-agent is an agent with a conversation of its own, which another agent or a client has
// started. How an agent talks with its model is not known here: a [Worker] does that, and the session
// makes one for each.
//
// Begin with [New]. [Agents.Tools] is for the tools that start sub-agents; a launch decides whether one
// may start, and with which model. [Agents.Tasks] is for clients, [ClientTasks] for the work of their own
// that they show as tasks. Which agents there are is a matter of [agent.Roster], which [Agents.Configure]
// changes.
//
// # What always holds
//
//   - Whatever is recorded or sent on behalf of a sub-agent carries its id.
//   - Each subagent.started has exactly one subagent.completed or subagent.failed after it.
//   - The agent that a sub-agent in the background works for is notified once of its end, unless it was
//     stopped with everything else.
package agents

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Options are those of [New].
type Options struct {
	Session Session
	ID      string // of the session
	Files   Files
	Limits  agent.Limits      // of the sub-agents; zero fields are the defaults
	Models  map[string]string // that the user has chosen for sub-agents, by the name of the agent
	Logger  *slog.Logger
}

// Agents has the agents that a session can use, and its sub-agents. Methods with a context, Live,
// Tools and Tasks are safe for concurrent use; those with a context are not called on the session's
// goroutine, and return as [mailbox.Goroutine] describes. The others are called on that goroutine, or
// while the session is opened.
type Agents struct {
	session Session
	id      string // of the session
	files   Files
	bounds  agent.Limits
	models  map[string]string
	logs    *slog.Logger

	mu      sync.Mutex        // guards main and working
	main    Worker            // of the main agent, in the run under way; nil when the session is idle
	working map[string]Worker // of the sub-agents that work

	// The rest belongs to the session's goroutine.
	roster  agent.Roster
	subs    []*Subagent // in the order in which they started; first, those of the log that somebody has asked for
	running int         // how many of subs work
	started int         // since the session was idle last
	inbox   inbox       // of the main agent
	// overrides are what clients have set for sub-agents.
	overrides agent.Overrides
	listed    *listed // what the task tool lists; nil before it is asked for
	named     named   // which models the words in files of agents mean
	clients   *ClientTasks
}

// New returns the agents of a session: the built-in ones and those of files, until [Agents.Configure] is
// called.
func New(o Options) *Agents {
	return &Agents{
		session: o.Session, id: o.ID, files: o.Files, bounds: o.Limits, models: o.Models, logs: o.Logger,
		clients: NewClientTasks(o.Session, o.ID),
	}
}

// Roster returns the agents that are configured, for a change with [Agents.Configure].
func (a *Agents) Roster() agent.Roster { return a.roster }

// Configure replaces the agents that are configured.
func (a *Agents) Configure(roster agent.Roster) { a.roster = roster }

// Main returns the agent of the main conversation.
func (a *Agents) Main() agent.Definition { return a.roster.Main }

// Custom returns the agents that clients have configured and those of files, without built-in ones.
func (a *Agents) Custom() []agent.Definition { return a.roster.Custom(a.files.Agents()) }

// OfClients returns the tasks that clients have registered.
func (a *Agents) OfClients() *ClientTasks { return a.clients }

// Began notes the conversation of the main agent in the run that begins.
func (a *Agents) Began(main Worker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.main = main
}

// Rest notes that the session is idle: no run is under way, and sub-agents are counted from zero again.
func (a *Agents) Rest() {
	a.Began(nil)
	a.started = 0
}

// GoesOn counts the sub-agents that the run of an earlier process has started, because the run goes on.
func (a *Agents) GoesOn() { a.started = a.session.State().AgentStarts }

// Live returns the conversation of an agent that works now, nil if there is none. agentID is "" for the
// main agent.
func (a *Agents) Live(agentID string) Worker {
	a.mu.Lock()
	defer a.mu.Unlock()
	if agentID == "" {
		return a.main
	}
	return a.working[agentID]
}

// limits bounds the sub-agents of the session.
func (a *Agents) limits() agent.Limits { return a.overrides.Within(a.bounds) }

// choosable are the agents that a model may start. The caller must not modify the slice:
// sessions that have only the built-in agents share it.
func (a *Agents) choosable() []agent.Definition {
	all := a.roster.All(a.files.Agents())
	barred := func(d agent.Definition) bool { return !d.Infer || slices.Contains(a.overrides.Disabled, d.Name) }
	if !slices.ContainsFunc(all, barred) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), barred)
}

// Startable reports whether an agent may start a sub-agent now; nil is the main agent.
func (a *Agents) Startable(by *Subagent) bool {
	return by.depth() < a.limits().Depth && len(a.choosable()) > 0
}

// Any reports whether this process knows of a sub-agent.
func (a *Agents) Any() bool { return len(a.subs) > 0 }

// Listing is a text that changes whenever the list of agents in the task tool changes. It is
// needed for every model call, so it is computed again only if choosable returns another slice.
func (a *Agents) Listing() string {
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

// WaitedFor reports whether the main agent waits for a sub-agent in the background, or for the
// notice of one. It also asks while the session closes.
func (a *Agents) WaitedFor(ctx context.Context) (waits bool) {
	_ = a.session.Post(context.WithoutCancel(ctx), func() error {
		waits = a.inbox.owed > 0 || len(a.inbox.notices) > 0
		return nil
	})
	return waits
}

// Working returns how many sub-agents work, and whether one that has ended is still to be reported to
// the main agent.
func (a *Agents) Working() (n int, report bool) { return a.running, len(a.inbox.notices) > 0 }

// News returns a channel that gets a value when what Working returns may have changed, or after
// [Agents.Wake]. There is one reader.
func (a *Agents) News() <-chan struct{} { return a.inbox.reports() }

// Wake has the reader of News look again, because of a message to the main agent.
func (a *Agents) Wake() { a.inbox.wake() }

// Stop ends all sub-agents that work, because the user has aborted the run, or because the
// session closes. No agent is notified of their end.
func (a *Agents) Stop() {
	for _, b := range a.subs {
		if b.status == tool.AgentRunning {
			b.quiet = true
			b.worker.Stop()
		}
	}
	a.inbox.notices = nil
}
