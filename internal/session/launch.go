package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// launching has the parameters of launch.
type launching struct {
	task   tool.AgentTask
	parent *subagent
	run    *run // the run in progress; nil: a client starts the sub-agent in an idle session
	callID string
}

// launch starts a sub-agent. The error is for the model or the client. It is called on the
// session's goroutine.
func (a *Agents) launch(l launching) (*subagent, error) {
	def, ok := a.s.config.agents.Find(l.task.Agent, a.files())
	if !ok || slices.Contains(a.overrides.Disabled, def.Name) {
		return nil, fault.New(fault.NotFound, "session.tasks", a.s.id, "there is no agent %q; there are: %s", l.task.Agent, a.names())
	}
	if err := a.mayStart(l); err != nil {
		return nil, err
	}
	b := &subagent{
		s: a.s, id: a.newID(cmp.Or(l.task.Name, def.Name)), parent: l.parent, asker: l.parent, def: def, task: l.task, callID: l.callID,
		done: make(chan struct{}), moved: make(chan struct{}), background: l.task.Background,
	}
	if err := a.begin(b, l.run, l.task.Prompt, wire.WithJSON(b.startedEvent(), wire.FieldTask, wire.LaunchedTask{Name: l.task.Name, Description: l.task.Description})); err != nil {
		return nil, err
	}
	a.subs = append(a.subs, b)
	a.prune()
	return b, nil
}

// maxKnown bounds the sub-agents that are kept in memory after their end. Others are found in
// the log again when they are asked for.
const maxKnown = 500

// prune forgets the oldest sub-agents that have ended if there are too many.
func (a *Agents) prune() {
	for len(a.subs) > maxKnown {
		i := slices.IndexFunc(a.subs, func(b *subagent) bool { return b.status != tool.AgentRunning && !slices.Contains(a.inbox.notices, b) })
		if i < 0 {
			return
		}
		a.subs, a.loaded = slices.Delete(a.subs, i, i+1), false
	}
}

// mayStart returns why no other sub-agent may start now, nil if one may.
func (a *Agents) mayStart(l launching) error {
	limits := a.limits()
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Unavailable, "session.tasks", a.s.id, format, args...)
	}
	switch depth := (role{sub: l.parent}).depth(); {
	case a.s.log.Closing():
		return a.s.log.Gone()
	case l.run != nil && l.run.stopped():
		return context.Canceled
	case depth >= limits.Depth:
		return refuse("sub-agents are nested %d deep already, which is the limit; do the task yourself", depth)
	case a.running >= limits.Running:
		return refuse("%d sub-agents are running already, which is the limit; wait until one has ended", a.running)
	case a.started >= limits.Total:
		return refuse("%d sub-agents were started for this message, which is the limit; do the rest yourself", a.started)
	}
	return nil
}

// names lists the agents that can be started.
func (a *Agents) names() string {
	var names []string
	for _, d := range a.choosable() {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// maxAgentID bounds the id of a sub-agent, in bytes.
const maxAgentID = 64

// newID makes the id of a sub-agent of its name: readable for models and users, and unique in
// the session, also among the sub-agents of earlier processes.
func (a *Agents) newID(name string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name), "-")
	id = cmp.Or(id[:min(len(id), maxAgentID)], "agent")
	for n := 2; ; n++ {
		if a.s.state.Thread(id) == nil {
			return id
		}
		id = strings.TrimSuffix(id, "-"+strconv.Itoa(n-1)) + "-" + strconv.Itoa(n)
	}
}

// begin starts the work of a sub-agent, for the first time or again with a new prompt. in is
// the run in which it starts; nil if the session is idle.
func (a *Agents) begin(b *subagent, in *run, prompt string, started wire.Data) error {
	s := a.s
	r := s.newRun(wire.Send{})
	if in != nil {
		r.headers, r.headersBy, r.id, r.budget, r.ledger, r.deadline = in.headers, in.headersBy, in.id, in.budget, in.ledger, in.deadline
	}
	home := r.choice.Provider.Endpoint.BaseURL
	b.choose(r)
	if b.strays(r, home) {
		return fault.New(fault.Denied, "session.tasks", s.id, "the model %s is at another provider than this session, which only the user can choose: leave the model out, or name one of this provider", r.choice.Model)
	}
	if state.IsExtension(cmp.Or(r.choice.Model, r.choice.Provider.Model)) {
		return fault.New(fault.Invalid, "session.tasks", s.id, "a sub-agent runs on a model, and %s is an agent of another system", r.choice.Model)
	}
	message := &wire.UserMessage{Content: prompt, Source: wire.Optional(b.source()), ParentAgentTaskID: wire.Optional(b.id)}
	events := []wire.Data{started, message}
	if model := cmp.Or(r.choice.Model, r.choice.Provider.Model); model != "" {
		events = slices.Insert(events, 1, wire.Data(&wire.SubagentConfigured{Model: model, MultiTurn: true, ReasoningEffort: wire.Optional(b.effort)}))
	}
	if err := s.log.Record(b.id, events...); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel, r.ended, b.cancel = cancel, nil, cancel
	r.main.agentID, r.main.sub = b.id, b
	r.main.compact = compact.New(compactHost{recorder{s.log, s}}, s.id, b.id, s.logs)
	b.thread, b.begin, b.status, b.quiet, b.text, b.failure = r.main, time.Now(), tool.AgentRunning, false, "", ""
	b.inbox = inbox{}
	a.mu.Lock()
	if a.working == nil {
		a.working = map[string]*thread{}
	}
	a.working[b.id] = b.thread
	a.mu.Unlock()
	b.servers = MCP(s).Start(b.id, b.def)
	a.running++
	a.started++
	if b.background {
		a.owe(b)
	}
	a.changed()
	if s.run == nil { // a client has started it
		a.await(r, turn.Outcome{}, true)
	}
	s.spawn("session.subagent", func() { b.work(ctx) })
	return nil
}

// resume has a sub-agent that has ended continue with a message, in the background. in is the
// run that the message comes from; nil for that of the sub-agent before, or of none. asker is
// the agent that wrote the message; nil for the main agent, and for clients.
func (a *Agents) resume(b *subagent, in *run, asker *subagent, message string) error {
	if err := a.mayStart(launching{parent: b.parent, run: in}); err != nil {
		return err
	}
	if b.earlier { // its definition may be another one by now
		def, ok := a.s.config.agents.Find(b.def.Name, a.files())
		if !ok {
			return fault.New(fault.NotFound, "session.tasks", a.s.id, "there is no agent %q any more; there are: %s", b.def.Name, a.names())
		}
		b.def, b.earlier = def, false
	}
	if in == nil && b.thread != nil {
		in = b.thread.run
	}
	b.background, b.asker, b.done, b.moved = true, asker, make(chan struct{}), make(chan struct{})
	started := wire.WithJSON(b.startedEvent(), wire.FieldTask, wire.LaunchedTask{Name: b.task.Name, Description: b.task.Description})
	if err := a.begin(b, in, message, started); err != nil {
		close(b.done)
		return err
	}
	b.task.Prompt = message
	return nil
}

// of returns the inbox of an agent; nil is the main agent.
func (a *Agents) of(b *subagent) *inbox {
	if b == nil {
		return &a.inbox
	}
	return &b.inbox
}

// changed reports that the list of tasks has changed.
func (a *Agents) changed() { a.s.log.Notify("", &wire.BackgroundTasksChanged{}) }

// choose decides on the model and the reasoning effort of a sub-agent. The first model that is
// given counts: in the call of task, by a client for the agent, by the user for the agent
// (SIDESTICK_AGENT_MODELS), in the definition of the agent, that of the session. The effort is
// the one that a client set, or else that of the definition. The session's effort is used only
// with the session's model.
func (b *subagent) choose(r *run) {
	session := r.choice.Model
	defer func() { b.s.config.carrier.carry(&r.choice.Provider.Endpoint, b.s.id, b.id) }()
	r.choice.Situate = situate(b.s, b.id)
	set := b.s.agents.overrides.Agents[b.def.Name]
	model := cmp.Or(b.task.Model, set.Model, b.s.home.AgentModels[b.def.Name], b.def.Model)
	if model == b.def.Model && cmp.Or(b.task.Model, set.Model) == "" && b.defects(model, r.choice.Provider.Endpoint.BaseURL) {
		model = ""
	}
	b.effort = cmp.Or(set.ReasoningEffort, b.def.ReasoningEffort)
	if model == "" || model == session {
		b.effort = cmp.Or(b.effort, b.s.state.ReasoningEffort)
		return
	}
	r.choice.Model, r.choice.Refused = model, nil
	r.choice.Provider, r.choice.Override = b.s.providerOf(model)
}

// strays reports whether a model has chosen by itself that the calls of the sub-agent go to another
// provider than those of the session. It could send everything that it may read to any address.
// The user and the client choose as they like: in settings, in agents, and by session.tasks.startAgent.
func (b *subagent) strays(r *run, home string) bool {
	if b.callID == "" || b.task.Model == "" || r.choice.Provider.Endpoint.BaseURL == home {
		return false
	}
	named, ok := b.s.home.Models.Named(b.task.Model)
	return ok && named.Endpoint.BaseURL == r.choice.Provider.Endpoint.BaseURL && b.task.Model != b.s.home.AgentModels[b.def.Name] && (b.task.Model != b.def.Model || b.def.Untrusted)
}

// defects reports whether the file of an agent that the user does not trust would send the agent's
// conversation to another provider than that of the session, home. It warns of that.
func (b *subagent) defects(name, home string) bool {
	if !b.def.Untrusted || name == "" || name == b.s.home.AgentModels[b.def.Name] {
		return false
	}
	if p, _ := b.s.providerOf(name); p.Endpoint.BaseURL == home && !state.IsExtension(name) {
		return false
	}
	b.s.log.RecordOrEmit("", &wire.SessionWarning{WarningType: "agent_model", Message: fmt.Sprintf(
		"The agent %s in %s asks for the model %s, which is not at the provider of this session. It runs on the model of the session, because the folder is not trusted; to trust it: sidestick trust %s",
		b.def.Name, b.def.Path, publicModel(name), shellword.Quote(filepath.Dir(filepath.Dir(b.def.Path))))})
	return true
}

// publicModel returns the name of a model without a password that its address may have.
func publicModel(name string) string {
	address, id, ok := strings.Cut(name, "#")
	if !ok {
		return name
	}
	return model.PublicAddress(address) + "#" + id
}
