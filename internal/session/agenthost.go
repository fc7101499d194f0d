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
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
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

func (h agentHost) Listed(ctx context.Context) (all []agent.Listed) {
	if p, err := h.s.Settings().Provider(ctx); err == nil && p.Missing == nil {
		return h.s.home.Models.Listed(ctx, p)
	}
	return nil
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
	r.choice.Situate, r.ledger = situate(s, b.ID()), ledger.Within(r.ledger, b.Definition().MaxTurns)
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
	r.headers, r.headersBy, r.id, r.budget, r.ledger, r.deadline = in.headers, in.headersBy, in.id, in.budget, ledger.Within(in.ledger, b.Definition().MaxTurns), in.deadline
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
		if err := t.s.look(ctx, t.s.discovery.Refresh); err != nil {
			return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
		}
	}
	def := t.sub.Definition()
	t.instructions = t.s.discovery.AgentText(ctx, def)
	t.s.hooks.SubagentStart(ctx, t.agentID, def.Name)
	for {
		if out = t.once(ctx); !t.recovers(ctx, t, out.Err) {
			break
		}
	}
	t.s.hooks.SubagentStop(context.WithoutCancel(ctx), t.agentID, def.Name, agents.Reason(out))
	if why := context.Cause(ctx); out.Aborted && why != nil && fault.KindOf(why) == fault.Denied {
		return turn.Outcome{Stopped: why}
	}
	return out
}

// selection is the event that a configuration has selected an agent; none if it has not.
func selection(cfg wire.Config, roster agent.Roster) []wire.Data {
	if cfg.Agent == "" {
		return nil
	}
	return []wire.Data{agents.Selected(roster.Main)}
}

// restore is [attachment.check] for a session that is read from its log: the agent that was
// selected there is selected again, unless the configuration names one. own is whether the log is
// of this machine: another log selects nothing. events are what is to be recorded about the
// choice. It reads files.
func (e attachment) restore(cfg wire.Config, own bool) (roster agent.Roster, events []wire.Data, err error) {
	name := e.s.log.State().Agent
	if cfg.Agent != "" {
		name = cfg.Agent
	}
	files := e.agentFiles(cfg, name, e.s.permissions.Folder(), e.s.config.search)
	roster, err = e.check(cfg, files)
	switch {
	case err != nil || name == "":
		return roster, nil, err
	case cfg.Agent != "":
		return roster, selection(cfg, roster), nil
	case own && roster.Select(name, files):
		return roster, nil, nil
	}
	why := "is defined neither in customAgents nor in a file now"
	if !own {
		why = "was not selected on this machine"
	}
	text := fmt.Sprintf("The agent %q, which the log names, %s. The session continues with the default agent; select another one if you like.", name, why)
	return roster, []wire.Data{&wire.SubagentDeselected{}, &wire.SessionWarning{WarningType: "agent_not_restored", Message: text}}, nil
}

// agentFilesOf is agentFiles for a session in memory, whose settings its goroutine has.
func (e attachment) agentFilesOf(ctx context.Context, cfg wire.Config) ([]agent.Definition, error) {
	if cfg.Agent == "" {
		return nil, nil
	}
	search, err := mailbox.Ask(ctx, e.s.log.Do, func() (discovery.Settings, error) { return e.s.config.search, nil })
	if err != nil {
		return nil, err
	}
	return e.agentFiles(cfg, cfg.Agent, e.s.log.Cwd(), search), nil
}

// agentFiles returns the agents of files for a session in the folder cwd, with the settings of
// search and of cfg; none if no file can define the agent of that name, because a client does, or
// because there is no name.
func (e attachment) agentFiles(cfg wire.Config, name, cwd string, search discovery.Settings) []agent.Definition {
	if name == "" || slices.ContainsFunc(cfg.CustomAgents, func(a wire.CustomAgent) bool { return a.Name == name }) {
		return nil
	}
	search.Configure(cfg)
	where := e.s.home.Finder.Locate(cfg, cwd)
	return e.s.home.Finder.Agents(discovery.Scope{Settings: search, Cwd: where.Cwd, Root: where.GitRoot})
}

// awaiting is the state of a run that waits for sub-agents in the background. Such a run
// follows another run, and calls the main agent when there is something to report to it.
type awaiting struct {
	after turn.Outcome // of the run before
	// goesOn is true if the model is called when a sub-agent has ended. Otherwise the run
	// only waits until all have ended, after a failure or an abort.
	goesOn bool
}

// await starts a run after this one that waits for the sub-agents that work, and reports whether it has
// started one. records says whether the log can be written and the session is not closing.
func (r *run) await(out turn.Outcome, records bool) bool {
	s := r.s
	goesOn := records && !out.Aborted && out.Err == nil && out.Stopped == nil
	if w := r.awaits; w != nil && !w.goesOn {
		goesOn = false
	}
	if working, report := s.agents.Working(); working == 0 && (!goesOn || !report) {
		return false
	}
	if s.run != nil {
		s.log.Notify("", &wire.AssistantIdle{Aborted: wire.Optional(out.Aborted)})
	}
	next := s.newRun(wire.Send{RequestHeaders: r.headers, HeadersBy: string(r.headersBy)})
	next.id, next.origin, next.format = r.id, r.origin, r.format
	next.budget, next.ledger, next.deadline = r.budget, r.ledger, r.deadline
	if w := r.awaits; w != nil && w.after.Aborted {
		out.Aborted = true
	}
	next.awaits = &awaiting{out, goesOn}
	ctx, cancel := context.WithCancelCause(context.Background())
	if next.cancel, next.ended = cancel, r.ended; next.ended == nil { // a sub-agent's
		next.ended = make(chan struct{})
	}
	next.start(ctx)
	return true
}

// awaitAgents waits until there is something to report to the main agent, and reports whether
// there is. It returns false when a message waits, which the next run sends, and when all
// sub-agents have ended. After an abort it waits for those that are being stopped.
func (r *run) awaitAgents(ctx context.Context) bool {
	over := ctx.Done()
	for {
		ready, goesOn := true, false
		var news <-chan struct{}
		_ = r.s.log.Post(context.Background(), func() error { // also after an abort, and while the session closes
			a := r.s.agents
			if over == nil {
				a.Stop()
			}
			working, report := a.Working()
			message := r.s.queue.Ready() && over != nil && !r.s.log.Closing()
			goesOn = over != nil && r.awaits.goesOn && report && !message
			ready = goesOn || working == 0 || message
			news = a.News()
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
