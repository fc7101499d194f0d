package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// thread is one conversation that a run holds with a model, and the [turn.Host] of its
// turns: that of the main agent, whose agentID is empty, or of a sub-agent. It posts to
// the session's mailbox what is to be recorded; the ephemeral pieces of a streaming
// answer go straight to the log. Everything that it records, sends and asks carries its
// agent id. Its messages are in [state.Thread].
type thread struct {
	*run
	agentID  string
	sub      *agents.Subagent    // nil: the main agent
	servers  *servers.OfAgent    // that the definition of the sub-agent brings; nil: it brings none
	compact  *compact.Compaction // of this conversation
	endpoint provider.Endpoint   // where its model calls go
	spending provider.Spending   // of what the run's ledger allows

	calls atomic.Int64 // of tools, that the model has made

	// Of the goroutine of its turns.
	blocks int // how many times hooks had it continue
	nudges int // how many times it was asked to continue in autopilot
	// refusals counts the calls that the provider has refused as too long since the last one that succeeded, and
	// sent is the last request, until it has succeeded. tight is how many tokens a request to the model tightFor may
	// have in this run, by our estimate, after it has refused one; "" if none has.
	refusals int
	sent     model.Request
	tight    int64
	tightFor string
	// opened is the system message, made of what openedBy stands for.
	opened, openedBy string
	instructions     string            // of the sub-agent
	offers           toolsearch.Offers // of the last call; it belongs to the session's goroutine

	notes sync.Mutex // guards the rest
	// progress is the time of the last streaming_delta, guidance what hooks have for the
	// next call, and touched the files that tools have read or changed since the last.
	progress time.Time
	guidance []string
	touched  []string
}

// talk is the thread's conversation. It is called on the session's goroutine.
func (t *thread) talk() *state.Thread { return t.s.log.State().Thread(t.agentID) }

// Begin implements [turn.Host].
func (t *thread) Begin(model string) (turnID string, err error) {
	err = t.s.log.Post(context.Background(), func() error {
		turnID = t.s.log.State().NextTurn(t.agentID)
		start := &wire.AssistantTurnStart{TurnID: turnID, Model: wire.Optional(model), InteractionID: &t.id}
		if t.sub != nil {
			t.sub.Calls(model)
		}
		if t.sub != nil || t.endpoint.IsExtension() { // which is offered none
			return t.s.log.Record(t.agentID, start)
		}
		return t.s.log.Record(t.agentID, t.s.tools.withNewTools(start, &t.offers))
	})
	return turnID, err
}

// Record implements [turn.Host].
func (t *thread) Record(events ...wire.Data) error {
	if t.sub != nil {
		t.sub.Note(events...)
	}
	return t.s.log.Post(context.Background(), func() error {
		if t.sub == nil && slices.ContainsFunc(events, isAnswer) && !t.complete() {
			return errNotRecorded
		}
		return t.s.log.Record(t.agentID, events...)
	})
}

// Emit implements [turn.Host].
func (t *thread) Emit(data wire.Data) {
	if t.sub != nil {
		t.sub.Note(data)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.muted {
		return
	}
	if _, dropped := data.(*wire.AssistantTurnRetry); dropped && t.sub == nil {
		t.begun = state.Partial{}
	}
	t.s.log.Notify(t.agentID, data)
}

// Delta implements [turn.Host].
func (t *thread) Delta(kind wire.EventType, key, text, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.muted {
		return
	}
	if kind == wire.MessageDelta && t.sub == nil && !t.endpoint.IsExtension() { // which would get it back as its own
		t.begun.Add(key, text)
	}
	t.s.log.Delta(kind, t.agentID, key, text, name)
}

// progressEvery thins out assistant.streaming_delta, which reports only how far the
// download is: often enough for a progress bar, and no load beside the text.
const progressEvery = 100 * time.Millisecond

// Progress implements [turn.Host].
func (t *thread) Progress(bytes int64, last bool) {
	now := time.Now()
	t.notes.Lock()
	due := last || now.Sub(t.progress) >= progressEvery
	if due {
		t.progress = now
	}
	t.notes.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.muted || !due {
		return
	}
	t.s.log.Progress(t.agentID, bytes)
}

// Used implements [turn.Host].
func (t *thread) Used(u turn.Usage) {
	t.spending.Spend(u)
	if u.Lost {
		return // the provider never reported its tokens
	}
	t.run.failed.Store(nil)
	t.refusals, t.sent = 0, model.Request{}
	err := t.s.log.Post(context.Background(), func() error {
		m := t.s.metrics
		m.Account(t.agentID, u)
		if t.s.config.maxCredits() > 0 { // a process that dies must not forget it
			return m.Checkpoint()
		}
		return nil
	})
	if err != nil {
		t.s.log.Logger().Warn("what a call has cost was not recorded", "err", err)
	}
}

// CallFailed implements [turn.Host].
func (t *thread) CallFailed(c tool.Call, why string) {
	t.s.log.Logger().Warn("a client's tool failed", "tool", c.Name, "call", c.ID, "why", why)
}

// retrying is told of each retry of a model call, before its wait.
func (t *thread) retrying(next int, wait, left time.Duration, err error) {
	t.run.failed.Store(&err)
	t.s.log.Logger().Warn("a model call is tried again", "attempt", next-1, "wait", wait, "err", err)
	_ = t.s.log.Post(context.Background(), func() error { // else the session is closed
		if !(audience{t.s}).interested(wire.InterestRetries) {
			return nil
		}
		info := &wire.SessionInfo{InfoType: wire.InfoModelRetry, Message: "The model call has failed and is made again."}
		t.s.log.Emit(t.agentID, wire.WithJSON(info, wire.FieldRetry, wire.ModelRetry{
			Next: next, WaitMs: wait.Milliseconds(), LeftMs: left.Milliseconds(), Reason: fault.Message(err),
		}))
		return nil
	})
}

// waits is told what a model call waits for. It may be called by several goroutines.
func (t *thread) waits(tokens int64, w model.Waiting) {
	info := &wire.SessionInfo{InfoType: wire.InfoModelWaiting, Message: "The model call waits for its answer."}
	t.Emit(wire.WithJSON(info, wire.FieldWaiting, wire.ModelWaiting{
		SinceMs: time.Since(w.Since).Milliseconds(), Tokens: tokens, Loading: w.Loading, Read: w.Read, Total: w.Total, Others: w.Others,
	}))
}

// placeOf is where the calls of a conversation belong, for recordings.
func placeOf(s *Session, agentID string) model.Place {
	return model.Place{Session: s.id, Agent: agentID, Cwd: s.log.Cwd(), Folder: s.storage.dir, Home: s.home.Folder}
}

// situate returns what says of a request to which conversation it belongs, and what a recording of it
// must not contain.
func situate(s *Session, agentID string) func(*model.Request) {
	return func(r *model.Request) { r.Place, r.Secrets = placeOf(s, agentID), s.log.Secrets() }
}

// onTape are the calls of tools of the thread as they are recorded, or replayed: from the recording that the
// client has named for its provider, or else from that of the process.
func (t *thread) onTape() taped.Calls {
	on := t.s.home.Tape
	if own, ok := t.choice.Provider.Endpoint.Transport.(*tape.Player); ok {
		on.Player = own
	}
	return taped.Calls{Tape: on, Place: placeOf(t.s, t.agentID), Secrets: t.s.log.Secrets(), Logger: t.s.log.Logger()}
}

// taped implements [turn.Prompt].Taped. The folder of the session may change during a turn.
func (t *thread) taped(d tool.Definition, c tool.Call, run func() tool.Result) tool.Result {
	return t.onTape().Result(d, c, run)
}

// switchedModel reports whether the model was changed since the run found out where its calls go. A
// Copilot Extensions agent takes over with the next message only. It is called on the session's
// goroutine.
func (t *thread) switchedModel() bool {
	now := t.s.log.State().Model
	return t.sub == nil && !t.endpoint.IsExtension() && now != "" && now != t.choice.Model && !state.IsExtension(now)
}

// follow finds out where the calls of a model go that was switched to.
func (t *thread) follow(ctx context.Context) error {
	c, err := mailbox.Ask(ctx, t.s.log.Post, func() (provider.Choice, error) { return choiceOf(t.s), nil })
	if err != nil {
		return err
	}
	ep, err := t.s.home.Models.Resolve(ctx, c)
	if err != nil {
		return err
	}
	t.choice, t.endpoint = c, ep
	return nil
}

// Stream implements [turn.Model]. An effort that the model does not take is not sent.
func (t *thread) Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error) {
	name := t.choice.Model
	if name == "" || name == provider.ModelAuto {
		name = t.endpoint.Model
	}
	if err := allows(t.s, name); err != nil { // the list may be another since the run began
		return nil, err
	}
	asked, taken := req.ReasoningEffort, t.endpoint.Takes(&req)
	if !taken {
		req.ReasoningEffort = ""
	}
	if req.ReasoningSummary != "" && !t.endpoint.Summarizes() {
		t.warn(fmt.Sprintf("The provider of the model %s has no choice of summaries, so reasoningSummary has no effect.", req.Model))
	}
	if t.budget != nil && t.budget.MaxTokens > 0 {
		req.OnBroken = nil // the tokens of the lost answer are not known, and those of another one are not reserved
	}
	req.Hurried = t.replaceable(ctx)
	resp, err := t.endpoint.Stream(ctx, req, onDelta)
	if err != nil && !turn.Billed(err) { // else [thread.Used] is told
		t.spending.Free()
	}
	switch known := t.endpoint.Known; {
	case err != nil:
	case !taken || resp.WithoutEffort:
		t.warn(fmt.Sprintf("The model %s does not take the reasoning effort %q. It answers with its usual effort.", req.Model, asked))
	case asked != "" && len(known) > 0 && !slices.Contains(known, asked):
		if sent := t.endpoint.EffortSent(&req); sent != asked && slices.Contains(known, sent) {
			t.warn(fmt.Sprintf("The model %s has no reasoning effort %q. It was asked for %q, the nearest that it has.", req.Model, asked, sent))
			break
		}
		t.warn(fmt.Sprintf("The reasoning effort %q was sent to the model %s, of which only these are known: %s.", asked, req.Model, strings.Join(known, ", ")))
	}
	return resp, err
}

// warn records a warning about the model, once for each that the session has in memory.
func (t *thread) warn(message string) {
	err := t.s.log.Post(context.Background(), func() error {
		if t.s.config.warned[message] {
			return nil
		}
		if t.s.config.warned == nil {
			t.s.config.warned = map[string]bool{}
		}
		t.s.config.warned[message] = true
		return t.s.log.Record(t.agentID, &wire.SessionWarning{WarningType: state.WarningReasoning, Message: message})
	})
	if err != nil {
		t.s.log.Logger().Warn("a warning was not recorded", "warning", message, "err", err)
	}
}
