package agents

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// launching has the parameters of launch.
type launching struct {
	task   tool.AgentTask
	parent *Subagent // that starts it; nil: the main agent, or a client
	in     Worker    // the conversation that it starts in; nil: a client starts it in an idle session
	callID string
}

// launch starts a sub-agent. The error is for the model or the client. It is called on the
// session's goroutine.
func (a *Agents) launch(l launching) (*Subagent, error) {
	def, ok := a.roster.Find(l.task.Agent, a.files.Agents())
	if !ok || slices.Contains(a.overrides.Disabled, def.Name) {
		return nil, fault.New(fault.NotFound, "session.tasks", a.id, "there is no agent %q; there are: %s", l.task.Agent, a.names())
	}
	if err := a.mayStart(l); err != nil {
		return nil, err
	}
	def.Model, l.task.Model = a.named.called(a, def.Name, def.Model), a.named.called(a, def.Name, l.task.Model)
	l.task.Background = l.task.Background || def.Background
	b := &Subagent{
		of: a, id: a.newID(cmp.Or(l.task.Name, def.Name)), parent: l.parent, asker: l.parent, def: def, task: l.task, callID: l.callID,
		done: make(chan struct{}), moved: make(chan struct{}), background: l.task.Background,
	}
	if err := a.begin(b, l.in, l.task.Prompt); err != nil {
		return nil, err
	}
	a.prune()
	a.subs = append(a.subs, b)
	return b, nil
}

// maxKnown bounds the sub-agents that are kept in memory after their end. Others are found in
// the log again when they are asked for.
const maxKnown = 500

// prune forgets the oldest sub-agents that have ended until there is room for one more.
func (a *Agents) prune() {
	for len(a.subs) >= maxKnown {
		i := slices.IndexFunc(a.subs, func(b *Subagent) bool { return b.status != tool.AgentRunning && !slices.Contains(a.inbox.notices, b) })
		if i < 0 {
			return
		}
		a.subs = slices.Delete(a.subs, i, i+1)
	}
}

// mayStart returns why no other sub-agent may start now, nil if one may.
func (a *Agents) mayStart(l launching) error {
	limits := a.limits()
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Unavailable, "session.tasks", a.id, format, args...)
	}
	if err := a.session.Open(); err != nil {
		return err
	}
	switch depth := l.parent.depth(); {
	case l.in != nil && l.in.Stopped():
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

// maxAgentID bounds the id of a sub-agent, in bytes, with the number that makes it unique.
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
	name = id
	for n := 2; a.session.State().Thread(id) != nil; n++ {
		number := "-" + strconv.Itoa(n)
		id = name[:min(len(name), maxAgentID-len(number))] + number
	}
	return id
}

// begin starts the work of a sub-agent, for the first time or again with a new prompt. in is
// the conversation in which it starts; nil if the session is idle.
func (a *Agents) begin(b *Subagent, in Worker, prompt string) error {
	model := a.choose(b)
	if a.strays(b) {
		return fault.New(fault.Denied, "session.tasks", a.id, "the model %s is at another provider than this session, which only the user can choose: leave the model out, or name one of this provider", model)
	}
	w := a.converse(b, in, model)
	called := w.Model()
	if state.IsExtension(called) {
		return fault.New(fault.Invalid, "session.tasks", a.id, "a sub-agent runs on a model, and %s is an agent of another system", called)
	}
	events := []wire.Data{wire.WithJSON(b.startedEvent(), wire.FieldTask, wire.LaunchedTask{Name: b.task.Name, Description: b.task.Description})}
	if called != "" {
		events = append(events, &wire.SubagentConfigured{Model: called, MultiTurn: true, ReasoningEffort: wire.Optional(b.effort)})
	}
	events = append(events, &wire.UserMessage{Content: prompt, Source: wire.Optional(b.source()), ParentAgentTaskID: wire.Optional(b.id)})
	if err := a.session.Record(b.id, events...); err != nil {
		return err
	}
	b.worker, b.begin, b.status, b.quiet, b.text, b.failure = w, time.Now(), tool.AgentRunning, false, "", ""
	b.chosen = cmp.Or(model, a.session.State().Model)
	b.inbox = inbox{}
	a.works(b.id, w)
	work := w.Begin()
	a.running++
	a.started++
	if b.background {
		a.owe(b)
	}
	a.changed()
	if a.Live("") == nil { // a client has started it
		w.Await()
	}
	a.session.Go("session.subagent", func() {
		defer w.Close()
		out := work()
		_ = a.session.Post(context.Background(), func() error { a.ended(b, out); return nil }) // a stopped sub-agent ends too
	})
	return nil
}

// converse makes the conversation of a sub-agent. in is that in which it starts; nil if the session is
// idle.
func (a *Agents) converse(b *Subagent, in Worker, model string) Worker {
	if in == nil {
		return a.session.Converse(b, model)
	}
	return in.Delegate(b, model)
}

// works notes the conversation of a sub-agent that works; nil if it works no more.
func (a *Agents) works(id string, w Worker) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w == nil {
		delete(a.working, id)
		return
	}
	if a.working == nil {
		a.working = map[string]Worker{}
	}
	a.working[id] = w
}

// resume has a sub-agent that has ended continue with a message, in the background. in is the
// conversation that the message comes from; nil for that of the sub-agent before, or of none. asker is
// the agent that wrote the message; nil for the main agent, and for clients.
func (a *Agents) resume(b *Subagent, in Worker, asker *Subagent, message string) error {
	if err := a.mayStart(launching{parent: b.parent, in: in}); err != nil {
		return err
	}
	if b.earlier { // its definition may be another one by now
		def, ok := a.roster.Find(b.def.Name, a.files.Agents())
		if !ok {
			return fault.New(fault.NotFound, "session.tasks", a.id, "there is no agent %q any more; there are: %s", b.def.Name, a.names())
		}
		def.Model = a.named.called(a, def.Name, def.Model)
		b.def, b.earlier = def, false
	}
	if in == nil {
		in = b.worker
	}
	b.background, b.asker, b.done, b.moved = true, asker, make(chan struct{}), make(chan struct{})
	if err := a.begin(b, in, message); err != nil {
		close(b.done)
		return err
	}
	b.task.Prompt = message
	return nil
}

// changed reports that the list of tasks has changed.
func (a *Agents) changed() { a.session.Notify("", &wire.BackgroundTasksChanged{}) }

// choose decides on the model and the reasoning effort of a sub-agent, and returns the model; "" is that
// of the session. The first model that is given counts: in the call of task, by a client for the agent, by
// the user for the agent (SIDESTICK_AGENT_MODELS), in the definition of the agent, that of the session. The
// effort is the one that a client set, or else that of the definition. The session's effort is used only
// with the session's model.
func (a *Agents) choose(b *Subagent) (model string) {
	set, now := a.overrides.Agents[b.def.Name], a.session.State()
	model = cmp.Or(b.task.Model, set.Model, a.models[b.def.Name], b.def.Model)
	if model == b.def.Model && cmp.Or(b.task.Model, set.Model) == "" && a.defects(b) {
		model = ""
	}
	b.effort = cmp.Or(set.ReasoningEffort, b.def.ReasoningEffort)
	if model == "" || model == now.Model {
		b.effort = cmp.Or(b.effort, now.ReasoningEffort)
	}
	return model
}

// strays reports whether a model has chosen by itself that the calls of the sub-agent go to another
// provider than those of the session. It could send everything that it may read to any address.
// The user and the client choose as they like: in settings, in agents, and by session.tasks.startAgent.
func (a *Agents) strays(b *Subagent) bool {
	if b.OfClient() || b.task.Model == "" || b.task.Model == a.models[b.def.Name] || b.task.Model == b.def.Model && !b.def.Untrusted {
		return false
	}
	elsewhere, named := a.session.Elsewhere(b.task.Model)
	return elsewhere && named
}

// defects reports whether the file of an agent that the user does not trust would send the agent's
// conversation to another provider than that of the session. It warns of that.
func (a *Agents) defects(b *Subagent) bool {
	name := b.def.Model
	if !b.def.Untrusted || name == "" || name == a.models[b.def.Name] {
		return false
	}
	if elsewhere, _ := a.session.Elsewhere(name); !elsewhere && !state.IsExtension(name) {
		return false
	}
	why := "the folder is not trusted; to trust it: sidestick trust " + shellword.Quote(filepath.Dir(filepath.Dir(b.def.Path)))
	switch b.def.Source {
	case agent.Project:
		why = "its file is not one that you have agreed to; to trust the folder as it is: sidestick trust"
	case agent.Named:
		why = "agentDirectories gives files no such power; choose its model with session.tools.updateSubagentSettings"
	}
	a.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "agent_model", Message: fmt.Sprintf(
		"The agent %s in %s asks for the model %s, which is not at the provider of this session. It runs on the model of the session, because %s",
		b.def.Name, b.def.Path, publicModel(name), why)})
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
