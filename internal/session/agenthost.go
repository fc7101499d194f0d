package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Agents returns the session's agents.
func (s *Session) Agents() *agents.Agents { return s.agents }

// agentHost is a session as its agents need it; it implements [agents.Session].
type agentHost struct{ recorder }

func (h agentHost) Open() error {
	if h.Closing() {
		return h.Gone()
	}
	return nil
}

func (h agentHost) Run() (ended <-chan struct{}, awaits bool) {
	if h.s.run == nil {
		return nil, false
	}
	return h.s.run.ended, h.s.run.awaits != nil
}

func (h agentHost) Converse(b *agents.Subagent, model string) agents.Worker {
	return converse(h.s, b, model)
}

func (h agentHost) Elsewhere(model string) (elsewhere, named bool) {
	home, _ := h.s.providerOf(h.s.log.State().Model)
	p, _ := h.s.providerOf(model)
	known, ok := h.s.home.Models.Named(model)
	return p.Endpoint.BaseURL != home.Endpoint.BaseURL, ok && known.Endpoint.BaseURL == p.Endpoint.BaseURL
}

func (h agentHost) Follow(main agent.Definition) { MCP(h.s).Follow(main) }

func (h agentHost) Finish(agentID string, why error) {
	h.s.tools.external.Finish(agentID, cmp.Or(h.Cannot(), why, errNotRecorded))
}

func (h agentHost) FinishesLater() bool { return finishesLater(h.s) }

// CheckModel implements [agents.Session]. A provider without a list is asked with the first call.
func (h agentHost) CheckModel(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	if state.IsExtension(name) {
		return fault.New(fault.Invalid, "session.tasks.startAgent", h.s.id, "a sub-agent runs on a model, and %s is an agent of another system", name)
	}
	registered, err := mailbox.Ask(ctx, h.Do, func() (bool, error) { return h.s.config.providers.Registered.Has(name), nil })
	if err != nil || registered {
		return err
	}
	p, err := h.s.Settings().Provider(ctx)
	if err != nil {
		return err
	}
	if p.Missing != nil {
		return p.Missing
	}
	list, err := h.s.home.Model.Models(ctx, p.Endpoint)
	if me := model.ErrorOf(err); err != nil && (me == nil || !slices.Contains([]int{404, 405, 501}, me.Status)) {
		return err
	}
	if err != nil || len(list) == 0 || slices.ContainsFunc(list, func(m model.Info) bool { return m.ID == name }) {
		return ctx.Err()
	}
	return fault.New(fault.NotFound, "session.tasks.startAgent", h.s.id, "the provider has no model %q", name)
}

func (h agentHost) Delegates(ctx context.Context) error {
	if _, _, err := h.s.Settings().resolved(ctx, ""); err != nil { // which notes the set of tools
		return err
	}
	return h.Do(ctx, func() error {
		refused := func(why string) error {
			return fault.New(fault.Invalid, "session.fleet.start", h.s.id, "the session may not start sub-agents: "+why, taskTool.Name)
		}
		switch r := h.s.tools.offeredRole(); {
		case !h.s.tools.delegates(r):
			return refused("its filters leave out the tool %s, or there are no agents")
		case r.small && !h.s.tools.lists(&r.def):
			return refused("its model is offered the small set of tools, which does not have %s; use a model with a larger window, or set toolSet to full")
		}
		return nil
	})
}

func (h agentHost) Send(ctx context.Context, m wire.Send) (string, error) { return h.s.Send(ctx, m) }

// worker is a thread as the agents of its session see it; it implements [agents.Worker].
type worker struct{ t *thread }

// converse makes the thread of a sub-agent, in a run of its own.
func converse(s *Session, b *agents.Subagent, model string) worker {
	r := s.newRun(wire.Send{})
	r.choice.Situate = situate(s, b.ID())
	if model != "" && model != r.choice.Model {
		r.choice.Model, r.choice.Refused = model, nil
		r.choice.Provider, r.choice.Override = s.providerOf(model)
	}
	s.config.carrier.carry(&r.choice.Provider.Endpoint, s.id, b.ID())
	r.main.agentID, r.main.sub = b.ID(), b
	r.main.compact = compact.New(compactHost{recorder{s.log, s}}, s.id, b.ID(), s.log.Logger())
	return worker{r.main}
}

// Delegate implements [agents.Worker]. The run of the sub-agent shares what this one may use.
func (w worker) Delegate(b *agents.Subagent, model string) agents.Worker {
	next, in := converse(w.t.s, b, model), w.t.run
	r := next.t.run
	r.headers, r.headersBy, r.id, r.budget, r.ledger, r.deadline = in.headers, in.headersBy, in.id, in.budget, in.ledger, in.deadline
	return next
}

func (w worker) Model() string { return cmp.Or(w.t.choice.Model, w.t.choice.Provider.Model) }

func (w worker) Begin() (work func() turn.Outcome) {
	ctx, cancel := context.WithCancelCause(context.Background())
	w.t.cancel, w.t.ended = cancel, nil
	w.t.servers = MCP(w.t.s).Start(w.t.agentID, w.t.sub.Definition())
	return func() turn.Outcome { return w.t.serve(ctx) }
}

func (w worker) Close() {
	w.t.cancel(nil)
	w.t.servers.Close()
}

func (w worker) Await() { w.t.await(turn.Outcome{}, true) }

func (w worker) Stop() { w.t.stop() }

func (w worker) Stopped() bool { return w.t.stopped() }

func (w worker) Spent() (tokens, calls int64) { return w.t.spending.Total(), w.t.calls.Load() }

func (w worker) Emit(event wire.Data) { w.t.Emit(event) }

// serve runs the loop of a sub-agent. A panic on the way is a failure of the sub-agent.
func (t *thread) serve(ctx context.Context) (out turn.Outcome) {
	defer t.spending.Free()
	defer func() {
		if p := recover(); p != nil {
			t.s.log.Logger().Error("a sub-agent panicked", "agent", t.agentID, "panic", fmt.Sprint(p), "stack", trace())
			out = turn.Outcome{Err: fault.New(fault.Internal, "session", t.agentID, "panic: %v", p)}
		}
	}()
	ctx, cancel := t.timed(ctx)
	defer cancel()
	if t.sub.OfClient() { // the run of a call has looked already
		if err := t.s.look(ctx); err != nil {
			return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
		}
	}
	def := t.sub.Definition()
	t.instructions = t.s.discovery.AgentText(def)
	t.s.hooks.SubagentStart(ctx, t.agentID, def.Name)
	for {
		if out = t.once(ctx); !t.recovers(ctx, t, out.Err) {
			break
		}
	}
	t.s.hooks.SubagentStop(context.WithoutCancel(ctx), t.agentID, def.Name, reason(out))
	if why := context.Cause(ctx); out.Aborted && why != nil && fault.KindOf(why) == fault.Denied {
		return turn.Outcome{Stopped: why}
	}
	return out
}

// reason is how a sub-agent ended, in words for hooks.
func reason(out turn.Outcome) string {
	switch {
	case out.Aborted:
		return "cancelled"
	case out.Err != nil || out.Stopped != nil || out.Incomplete != "":
		return "failed"
	}
	return "completed"
}
