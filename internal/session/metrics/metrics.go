package metrics

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of [Metrics] to their session. The methods beside those of
// [state.Recorder] are called on the session's goroutine, except for Programs and Read.
type Session interface {
	state.Recorder
	// Model is the model of the next request, "" for that of the provider.
	Model() string
	// Limit is how many tokens the next request may have; last is the limit of the last one, 0
	// if there was none.
	Limit(last int64) int64
	// Extension reports whether the next request goes to an agent, which is sent neither a
	// system message nor tools.
	Extension() bool
	// Offered are the tools that the model may call, and which of them the next request has. Small says that the
	// built-in ones are the small set, as far as that is known.
	Offered() []offer.Chosen
	Small() bool
	// Sections are those of the next system message, before clients rewrite it. programs is
	// the result of Programs.
	Sections(programs []string) []prompt.Section
	// Programs returns the programs that the model learns of. It may wait for the disk.
	Programs() []string
	// Read yields the records of the log from position from.
	Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error]
	// Size is the size of the log in bytes.
	Size() int64
}

// defaultBytesPerToken is where the estimate of tokens starts; each call whose
// provider counts tokens improves it for this session's language and
// model. Source: English text and code measure 3.5 to 4.5 with common
// vocabularies.
const defaultBytesPerToken = 4.0

// Metrics is what a session has cost since it was last opened. Create it with [New]. Its fields
// belong to the session's goroutine; methods without a context are called there.
type Metrics struct {
	session      Session
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

// New returns the metrics of a session that has cost nothing since it was opened.
func New(s Session) *Metrics { return &Metrics{session: s, ratio: defaultBytesPerToken} }

// Ratio is how many bytes a token has, as estimated from calls so far.
func (m *Metrics) Ratio() float64 { return m.ratio }

// SetRatio corrects Ratio. It takes a ratio as it is: the caller keeps it above 0.
func (m *Metrics) SetRatio(ratio float64) { m.ratio = ratio }

// Ask adds a message of the user.
func (m *Metrics) Ask() { m.asked++ }

// Account adds one model call of an agent; agentID is "" for the main agent.
func (m *Metrics) Account(agentID string, u turn.Usage) {
	if u.Tokens.Reported && !u.Tokens.Partial && u.Tokens.Input > 0 {
		measured := float64(u.RequestBytes) / float64(u.Tokens.Input)
		m.ratio = min(max(0.8*m.ratio+0.2*measured, 1), 16)
	}
	if m.models == nil {
		m.models = map[string]wire.ModelMetric{}
	}
	m.milliseconds += u.Milliseconds
	if agentID == "" {
		if u.Context != nil {
			m.context = *u.Context
		}
		m.lastInput, m.lastOutput = u.Tokens.Input, u.Tokens.Output
	}
	m.unsaved += u.Tokens.NanoAIU
	sum := m.models[u.Model]
	count := int64(1)
	if sum.Requests.Count != nil {
		count += *sum.Requests.Count
	}
	sum.Requests.Count = &count
	if c := u.Tokens.Cost; c != nil {
		m.cost += *c
		sum.Requests.Cost = wire.Optional(*c + wire.OrZero(sum.Requests.Cost))
	}
	if n := u.Tokens.Reasoning; n > 0 {
		sum.Usage.ReasoningTokens = wire.Optional(n + wire.OrZero(sum.Usage.ReasoningTokens))
	}
	sum.Usage.InputTokens += u.Tokens.Input
	sum.Usage.OutputTokens += u.Tokens.Output
	sum.Usage.CacheReadTokens += u.Tokens.CacheRead
	sum.Usage.CacheWriteTokens += u.Tokens.CacheWrite
	m.models[u.Model] = sum
}

// Spent returns how many tokens were sent and received since the session was opened, and what calls with a known
// price have cost, in US dollars.
func (m *Metrics) Spent() (tokens int64, cost float64) {
	for _, of := range m.models {
		tokens += of.Usage.InputTokens + of.Usage.OutputTokens
	}
	return tokens, m.cost
}

// Shutdown returns what the session has cost, as session.shutdown reports it: TotalNanoAiu in all processes, everything
// else since it was opened here.
func (m *Metrics) Shutdown() *wire.SessionShutdown {
	size, full := m.session.Size(), m.context
	return &wire.SessionShutdown{
		CurrentTokens: wire.Optional(full.CurrentTokens), SystemTokens: full.SystemTokens, ConversationTokens: full.ConversationTokens,
		ToolDefinitionsTokens: full.ToolDefinitionsTokens, SessionStartTime: m.session.State().Started.UnixMilli(), CurrentModel: wire.Optional(m.session.State().Model),
		TotalAPIDurationMs: m.milliseconds, ModelMetrics: m.models, TotalNanoAiu: wire.Optional(m.nanoAIU()),
		CodeChanges: wire.CodeChanges{FilesModified: []string{}}, EventsFileSizeBytes: &size,
	}
}

// Usage returns what the session has cost: TotalNanoAiu in all processes, everything else since it was opened here.
func (m *Metrics) Usage(ctx context.Context) (wire.UsageMetrics, error) {
	return mailbox.Ask(ctx, m.session.Do, func() (wire.UsageMetrics, error) {
		u := wire.UsageMetrics{
			SessionStartTime: wire.Moment(m.session.State().Started), CurrentModel: wire.Optional(m.session.Model()), ModelMetrics: map[string]wire.UsageModel{},
			CodeChanges: wire.UsageCodeChanges{FilesModified: []string{}}, TotalAPIDurationMs: m.milliseconds, TotalUserRequests: m.asked,
			LastCallInputTokens: m.lastInput, LastCallOutputTokens: m.lastOutput, TotalNanoAiu: wire.Optional(m.nanoAIU()),
			TotalPremiumRequestCost: m.cost,
		}
		for name, t := range m.models {
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

// nanoPerCredit is how many of the units in which calls are reported make an AI credit.
// Source: docs/features/usage-and-billing.md of the SDK.
const nanoPerCredit = 1e9

// Credits is what the session has cost in AI credits, in all processes that have worked in it. Only
// the GitHub service reports any.
func (m *Metrics) Credits() float64 { return m.nanoAIU() / nanoPerCredit }

// nanoAIU is the same in the units of the service.
func (m *Metrics) nanoAIU() float64 { return m.session.State().NanoAIU + float64(m.unsaved) }

// Checkpoint records what the session has cost, if that has grown, so that a resume knows it.
func (m *Metrics) Checkpoint() error {
	if m.unsaved == 0 {
		return nil
	}
	total := m.nanoAIU()
	m.unsaved = 0 // if it cannot be recorded, the session ends
	return m.session.Record("", &wire.UsageCheckpoint{TotalNanoAiu: total})
}
