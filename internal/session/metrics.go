package session

import (
	"cmp"
	"context"
	"math"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Snapshot describes the session as it is now.
func (m *Metrics) Snapshot(ctx context.Context) (wire.Snapshot, error) {
	return mailbox.Ask(ctx, m.s.do, func() (wire.Snapshot, error) {
		folder := m.s.Dir()
		return wire.Snapshot{
			SessionID: m.s.id, StartTime: wire.Moment(m.s.state.Started), ModifiedTime: wire.Moment(m.s.state.Modified), Summary: wire.Optional(m.s.state.Label()),
			SelectedModel: wire.Optional(m.s.Settings().currentModel()), CurrentMode: wire.SnapshotMode(m.s.state.SessionMode()), WorkingDirectory: m.s.state.Cwd,
			Workspace: m.s.Workspace().summary(), WorkspacePath: &folder, AlreadyInUse: m.s.log.OpenElsewhere() != "",
			SessionLimits: limitsConfig(m.s.config.maxCredits()),
		}, nil
	})
}

// Working reports whether a run is under way.
func (m *Metrics) Working(ctx context.Context) (bool, error) {
	return mailbox.Ask(ctx, m.s.do, func() (bool, error) { return m.s.run != nil, nil })
}

// Offered returns the tools that the next turn offers to the model.
func (m *Metrics) Offered(ctx context.Context) ([]tool.Definition, error) {
	return mailbox.Ask(ctx, m.s.do, func() (defs []tool.Definition, _ error) {
		for _, t := range m.s.tools.offeredTo(m.s.tools.offeredRole()) {
			defs = append(defs, t.Definition)
		}
		return defs, nil
	})
}

// systemSize is how long the system message is, in bytes: as it was sent last, or as
// it would be before clients rewrite it.
func (m *Metrics) systemSize(programs []string) (n int64) {
	if m.s.state.Main.SystemBytes > 0 {
		return m.s.state.Main.SystemBytes
	}
	for _, section := range prompt.Sections(m.s.opening(programs, m.s.tools.offeredRole()).env) {
		n += int64(len(section.Text))
	}
	return n
}

// Footprint estimates the size of the next request to the model, in tokens. Results are those of
// tools, a part of Conversation. ServerTools are the definitions of tools of MCP servers, a part of
// Tools.
type Footprint struct{ System, Conversation, Results, Tools, ServerTools int64 }

// offer adds the definition of a tool, in bytes.
func (f *Footprint) offer(d *tool.Definition) {
	size := int64(len(d.Name) + len(d.Description) + len(d.Parameters))
	f.Tools += size
	if d.Origin == tool.MCP {
		f.ServerTools += size
	}
}

// count adds the results of the calls in a message, in bytes.
func (f *Footprint) count(m *state.Message) {
	for i := range m.Calls {
		f.Results += int64(m.Calls[i].ResultSize())
	}
}

// Measure estimates what the next turn sends. It reads the log if the conversation
// is not in memory.
func (m *Metrics) Measure(ctx context.Context) (f Footprint, err error) {
	programs := m.s.home.programs()
	type measured struct {
		Footprint
		talk  state.Thread
		cuts  state.Spans
		ratio float64
	}
	now, err := mailbox.Ask(ctx, m.s.do, func() (now measured, _ error) {
		now.talk, now.cuts, now.ratio = m.s.state.Main, m.s.state.Cuts(), m.totals.ratio
		for i := range now.talk.Messages {
			now.count(&now.talk.Messages[i])
		}
		now.talk.Messages = nil                                                    // they may change meanwhile, and are counted
		if provider.ExtensionOf(m.s.state.Model, m.s.config.providers.Own) == "" { // an agent is sent neither
			now.System = m.systemSize(programs)
			for _, t := range m.s.tools.offeredTo(m.s.tools.offeredRole()) {
				d := t.Definition
				now.offer(&d)
			}
		}
		now.Conversation = int64(m.s.state.Main.Held)
		return now, nil
	})
	f = now.Footprint
	if err == nil && now.talk.Released > 0 {
		var entries []state.Message
		entries, err = now.talk.All(now.cuts, m.s.History().records(ctx)())
		for i := range entries {
			f.Conversation += int64(entries[i].Size())
			f.count(&entries[i])
		}
	}
	for _, n := range []*int64{&f.System, &f.Conversation, &f.Results, &f.Tools, &f.ServerTools} {
		*n = int64(math.Ceil(float64(*n) / max(now.ratio, 1)))
	}
	return f, err
}

// Window returns how many tokens the prompt of the next turn may have, with the given
// model, and where that is known from; "" is the session's. It may ask the provider for its list of models. A provider that
// does not answer, or does not know the model, has the limit of most models.
func (m *Metrics) Window(ctx context.Context, model string) (provider.PromptWindow, error) {
	e, err := m.endpoint(ctx, model)
	if err != nil {
		return provider.PromptWindow{}, err
	}
	w := e.Limit(e.Model)
	if w.Tokens == 0 {
		w = provider.PromptWindow{Tokens: provider.DefaultContextTokens, Source: provider.WindowAssumed}
	}
	return w, ctx.Err()
}

// Destination is where the next message of a session goes.
type Destination struct {
	// Model is the name of the model, "" if none is chosen; Address is where it is, without user and query, "" for an agent.
	Model, Address string
	// Window is how long a prompt may be.
	Window provider.PromptWindow
	// Missing is why no message can be sent, nil if one can.
	Missing error
}

// Destination returns where the next message goes. It may ask the provider, as [Metrics.Window].
func (m *Metrics) Destination(ctx context.Context) (Destination, error) {
	e, failed, err := m.resolved(ctx, "")
	if err != nil || failed != nil {
		return Destination{Missing: failed}, err
	}
	return Destination{Model: e.Model, Address: model.PublicAddress(e.At.BaseURL), Window: e.Limit(e.Model)}, ctx.Err()
}

// endpoint is where a message would go that is sent now; the zero value if it could not be sent.
func (m *Metrics) endpoint(ctx context.Context, model string) (provider.Endpoint, error) {
	e, _, err := m.resolved(ctx, model)
	return e, err
}

// resolved finds out where a message would go. failed is why it would go nowhere.
func (m *Metrics) resolved(ctx context.Context, name string) (e provider.Endpoint, failed, err error) {
	c, err := mailbox.Ask(ctx, m.s.do, func() (provider.Choice, error) { return m.s.newRun(wire.Send{}).choice, nil })
	if err != nil {
		return e, nil, err
	}
	c.Model, c.Patient = cmp.Or(name, c.Model), true
	e, failed = m.s.home.Models.Resolve(ctx, c)
	if name == "" && failed == nil {
		if err := m.noteToolSet(ctx, &e); err != nil {
			return e, nil, err
		}
	}
	return e, failed, nil
}

// defaultBytesPerToken is where the estimate of tokens starts; each call whose
// provider counts tokens improves it for this session's language and
// model. Source: English text and code measure 3.5 to 4.5 with common
// vocabularies.
const defaultBytesPerToken = 4.0

// Metrics is what a session has cost and its present state, as clients read it.
type Metrics struct {
	s      *Session
	totals totals
}

// Metrics returns the session's metrics.
func (s *Session) Metrics() *Metrics { return &s.metrics }

// totals is what the session has cost since it was last opened.
type totals struct {
	ratio        float64 // bytes per token, estimated from reported usage
	milliseconds int64
	cost         float64 // of calls with a known price, in US dollars
	asked        int64   // messages of users
	lastInput    int64   // tokens of the last call, as lastOutput
	lastOutput   int64
	models       map[string]wire.ModelMetric
	context      wire.SessionUsageInfo // after the last call; zero before the first
	unsaved      int64                 // cost at the GitHub service since the last session.usage_checkpoint, in billionths of an AI credit
}

// account adds one model call of an agent; agentID is "" for the main agent.
func (m *Metrics) account(agentID string, u turn.Usage) {
	if u.Tokens.Reported && !u.Tokens.Partial && u.Tokens.Input > 0 {
		measured := float64(u.RequestBytes) / float64(u.Tokens.Input)
		m.totals.ratio = min(max(0.8*m.totals.ratio+0.2*measured, 1), 16)
	}
	if m.totals.models == nil {
		m.totals.models = map[string]wire.ModelMetric{}
	}
	m.totals.milliseconds += u.Milliseconds
	if agentID == "" {
		if u.Context != nil {
			m.totals.context = *u.Context
		}
		m.totals.lastInput, m.totals.lastOutput = u.Tokens.Input, u.Tokens.Output
	}
	m.totals.unsaved += u.Tokens.NanoAIU
	sum := m.totals.models[u.Model]
	count := int64(1)
	if sum.Requests.Count != nil {
		count += *sum.Requests.Count
	}
	sum.Requests.Count = &count
	if c := u.Tokens.Cost; c != nil {
		m.totals.cost += *c
		sum.Requests.Cost = wire.Optional(*c + wire.OrZero(sum.Requests.Cost))
	}
	if n := u.Tokens.Reasoning; n > 0 {
		sum.Usage.ReasoningTokens = wire.Optional(n + wire.OrZero(sum.Usage.ReasoningTokens))
	}
	sum.Usage.InputTokens += u.Tokens.Input
	sum.Usage.OutputTokens += u.Tokens.Output
	sum.Usage.CacheReadTokens += u.Tokens.CacheRead
	sum.Usage.CacheWriteTokens += u.Tokens.CacheWrite
	m.totals.models[u.Model] = sum
}

// shutdownEvent is the session.shutdown event: what the session has cost since it was
// opened.
func (m *Metrics) shutdownEvent() *wire.SessionShutdown {
	size, full := m.s.log.Size(), m.totals.context
	return &wire.SessionShutdown{
		CurrentTokens: wire.Optional(full.CurrentTokens), SystemTokens: full.SystemTokens, ConversationTokens: full.ConversationTokens,
		ToolDefinitionsTokens: full.ToolDefinitionsTokens,
		ShutdownType:          cmp.Or(m.s.life.ending.kind, "routine"), ErrorReason: wire.Optional(m.s.life.ending.reason), SessionStartTime: m.s.state.Started.UnixMilli(), CurrentModel: wire.Optional(m.s.state.Model),
		TotalAPIDurationMs: m.totals.milliseconds, ModelMetrics: m.totals.models, TotalNanoAiu: wire.Optional(m.nanoAIU()),
		CodeChanges: wire.CodeChanges{FilesModified: []string{}}, EventsFileSizeBytes: &size,
	}
}

func summary(s string) *wire.ReasoningSummary { return wire.Optional(wire.ReasoningSummary(s)) }

// Usage returns what the session has cost since it was opened here.
func (m *Metrics) Usage(ctx context.Context) (wire.UsageMetrics, error) {
	return mailbox.Ask(ctx, m.s.do, func() (wire.UsageMetrics, error) {
		u := wire.UsageMetrics{
			SessionStartTime: wire.Moment(m.s.state.Started), CurrentModel: wire.Optional(m.s.Settings().currentModel()), ModelMetrics: map[string]wire.UsageModel{},
			CodeChanges: wire.UsageCodeChanges{FilesModified: []string{}}, TotalAPIDurationMs: m.totals.milliseconds, TotalUserRequests: m.totals.asked,
			LastCallInputTokens: m.totals.lastInput, LastCallOutputTokens: m.totals.lastOutput, TotalNanoAiu: wire.Optional(m.nanoAIU()),
			TotalPremiumRequestCost: m.totals.cost,
		}
		for name, t := range m.totals.models {
			u.ModelMetrics[name] = wire.UsageModel{
				Requests: wire.UsageRequests{Count: *t.Requests.Count, Cost: wire.OrZero(t.Requests.Cost)},
				Usage: wire.UsageTokens{
					InputTokens: t.Usage.InputTokens, OutputTokens: t.Usage.OutputTokens,
					CacheReadTokens: t.Usage.CacheReadTokens, CacheWriteTokens: t.Usage.CacheWriteTokens,
					ReasoningTokens: t.Usage.ReasoningTokens,
				},
			}
		}
		return u, nil
	})
}
