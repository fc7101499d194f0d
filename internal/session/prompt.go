package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ownServers returns the MCP servers of the thread's agent; nil if it brings none.
func (t *thread) ownServers() *servers.OfAgent {
	if t.sub != nil {
		return t.servers
	}
	return t.s.tools.servers.OfMain()
}

// Prompt implements [turn.Host]. The conversation is written out here, on the
// goroutine of the run: it may be long, and the oldest of it only in the log.
func (t *thread) Prompt(ctx context.Context) (p turn.Prompt, err error) {
	t.spending.Free()
	if t.endpoint.IsExtension() && !t.decided() { // otherwise the decision is sent first, and alone
		if err := t.steer(ctx); err != nil {
			return p, err
		}
	}
	if set := t.s.tools.servers.Current(); set != nil && !t.endpoint.IsExtension() {
		t.s.tools.servers.RenewToken(ctx)
		set.Await(ctx)
	}
	if own := t.ownServers(); own != nil && !t.endpoint.IsExtension() {
		own.Set().Await(ctx)
	}
	if err := cmp.Or(t.advise(), t.instruct(ctx)); err != nil {
		return p, err
	}
	if t.limited {
		if p.Stop = t.withinLimit(ctx); p.Stop != nil {
			return p, ctx.Err()
		}
	}
	for {
		p, talk, err := t.draft(ctx)
		if err != nil || len(p.Unfinished) > 0 {
			return p, err
		}
		again, err := t.shorten(ctx, &p, talk)
		if err != nil {
			return p, err
		}
		if again {
			continue
		}
		if err := t.fit(&p, talk); err != nil {
			return p, err
		}
		t.sent = p.Request
		return p, t.reserveTurn(ctx, &p)
	}
}

// transcribed is a conversation as it stood when a request was made of it.
type transcribed struct {
	system  string
	entries []state.Message
	epoch   int
	left    wire.LeftOut // what requests leave out already
	// As it was then: the compaction under way, how the last one ended, and the limits.
	running <-chan struct{} // closed when that has ended; nil: there is none
	last    *prompt.Attempt
	limits  infinite
}

// draft is the next turn's request as the conversation stands.
func (t *thread) draft(ctx context.Context) (p turn.Prompt, is transcribed, err error) {
	var system string
	offered := &toolsearch.Offered{}
	if !t.endpoint.IsExtension() {
		if system, offered, err = t.system(ctx); err != nil {
			return p, is, err
		}
	}
	var talk state.Thread // no call is open now, so what it holds does not change
	var cuts state.Spans
	var before func(context.Context) error // what is to be done first
	// Without the context, which request looks at itself: it may record the system message.
	err = t.s.log.Post(context.WithoutCancel(ctx), func() error {
		if err := cmp.Or(t.s.log.Claim(), ctx.Err()); err != nil {
			return err
		}
		if err := t.s.agents.Deliver(t.sub); err != nil {
			return err
		}
		switch {
		case t.s.log.State().Torn(), t.s.log.Unfinished() && !t.s.config.resumed: // because of another process
			before = t.s.History().Current
			return nil
		case t.sub == nil && !t.endpoint.IsExtension() && t.s.queue.Steers():
			before = t.steer
			return nil
		case t.switchedModel():
			before = t.follow
			return nil
		}
		p, err = t.request(ctx, system, offered)
		talk, cuts, is.epoch = *t.talk(), t.s.log.State().Cuts(), t.s.log.State().EpochOf(t.agentID)
		is.running, is.last = t.compact.Now()
		is.limits = t.s.config.infinite
		return err
	})
	if err == nil && before != nil {
		if err = before(ctx); err == nil {
			return t.draft(ctx)
		}
	}
	if err != nil {
		return p, is, err
	}
	is.entries, err = talk.All(cuts, t.s.History().Records(context.WithoutCancel(ctx))())
	if err != nil {
		return p, is, err
	}
	if talk.Released > 0 {
		_ = t.s.log.Post(context.WithoutCancel(ctx), func() error { t.talk().Restore(talk, is.entries); return nil })
	}
	if t.endpoint.IsExtension() {
		p.Request.Messages = state.ExtensionTranscript(t.endpoint.Model, is.entries)
		return p, is, nil
	}
	is.system, is.left = system, talk.LeftOut
	p.Request.Messages = prompt.Visible(state.Transcript(system, is.entries), t.endpoint.Sight())
	return p, is, nil
}

// request puts together what the next turn sends, but for its messages, the first of
// which is system.
func (t *thread) request(ctx context.Context, system string, offered *toolsearch.Offered) (p turn.Prompt, err error) {
	if ctx.Err() != nil {
		return p, ctx.Err()
	}
	if state.Digest(system) != t.talk().System && !t.endpoint.IsExtension() {
		if err := t.s.log.Record(t.agentID, &wire.SystemMessage{Role: "system", Content: system, InteractionID: &t.id}); err != nil {
			return p, err
		}
	}
	p = turn.Prompt{
		AgentID:       t.agentID,
		Source:        t.endpoint.Source(),
		BytesPerToken: t.s.metrics.Ratio(),
		Whole:         !t.streaming,
		WatchCalls:    t.s.home.WatchCalls,
		Request: model.Request{
			Model: t.endpoint.Model, Stream: t.streams(),
			ReasoningEffort: t.s.log.State().ReasoningEffort, ReasoningSummary: t.s.log.State().ReasoningSummary, Headers: t.headers, HeadersOwner: t.headersBy, InteractionID: t.id, OnRetry: t.retrying,
		},
	}
	if (audience{t.s}).interested(wire.InterestWaiting) {
		p.Waiting = t.waits
	}
	if t.sub == nil {
		p.MessageID, p.Request.Format = t.origin, t.format
	}
	if t.sub != nil {
		p.Request.ReasoningEffort, p.Request.Initiator = t.sub.Effort(), model.InitiatorAgent
	}
	if t.sub == nil && !t.endpoint.IsExtension() {
		main := t.s.agents.Main()
		p.Request.Model, p.Request.ReasoningEffort = main.ModelOr(p.Request.Model), main.EffortOr(t.s.log.State().ReasoningEffort)
	}
	limit := t.endpoint.Limit(p.Request.Model)
	p.ContextTokens, p.ContextSource = limit.Tokens, limit.Source
	p.Request.Thread = t.s.id + t.agentID // the provider keeps its cache under it
	if t.endpoint.IsExtension() {
		p.Request.Thread = forExtension(t.s).thread()
	}
	p.Request.Citations = t.s.config.citations && t.endpoint.At.Dialect == anthropic.Name
	if w := t.s.tools.unfit.Warning(); w != nil {
		t.s.log.RecordOrEmit(t.agentID, w)
	}
	p.Tools, p.Request.Tools, p.Similar = offered.ByName, offered.Sent, offered.Similar
	if t.endpoint.IsExtension() {
		p.Tools = map[string]turn.Offer{extensions.ConfirmationTool: {Tool: &t.confirmation, Schema: tool.NewSchema(nil)}}
	}
	if t.onTape().Active() {
		p.Taped = t.taped
	}
	if t.s.config.resumed && t.sub == nil {
		t.s.config.resumed = false
		p.TurnID, p.Unfinished = t.talk().OpenTurn, t.unfinished()
	}
	return p, nil
}

// streams reports whether a provider is asked for a stream, also if the clients get answers whole:
// a long answer in one piece runs into the limits on silence of everything in between. The Copilot
// API is asked as the session says, and so are chat completions at an address that no vendor has,
// because the recordings of the SDKs depend on it: where an answer has several choices, their replaying
// proxy streams the first alone.
func (t *thread) streams() bool {
	ep := &t.endpoint.At
	switch {
	case t.streaming:
		return true
	case ep.Copilot:
		return false
	case ep.Dialect == "", ep.Dialect == chat.Name:
		return known.ProviderAt(ep.BaseURL) != ""
	}
	return true
}

// advise records the guidance that hooks have given since the last call.
func (t *thread) advise() error {
	t.notes.Lock()
	guidance := t.guidance
	t.guidance = nil
	t.notes.Unlock()
	for _, text := range guidance {
		if err := t.Record(queue.Aside(state.SourceHook, text)); err != nil {
			return err
		}
	}
	return nil
}

// instruct records the instructions for the files that tools have read or changed since the last call.
func (t *thread) instruct(ctx context.Context) error {
	t.notes.Lock()
	touched := t.touched
	t.touched = nil
	t.notes.Unlock()
	if len(touched) == 0 {
		return nil
	}
	given, err := mailbox.Ask(ctx, t.s.log.Post, func() ([]string, error) { return t.talk().Instructed, nil })
	if err != nil {
		return err
	}
	text, ids, err := t.s.discovery.InstructionsFor(ctx, touched, given)
	if text == "" || err != nil {
		return err
	}
	return t.Record(wire.WithJSON(queue.Aside(state.SourceInstructions, text), wire.FieldInstructions, ids))
}

// unfinished are the calls that were open when the session was resumed. Any client
// can give the permission or the result that a call waits for, also if no attached client
// has its tool.
func (t *thread) unfinished() []turn.Unfinished {
	var out []turn.Unfinished
	calls, at := t.talk().LastCalls()
	if at < 0 {
		return nil
	}
	finish, last := t.talk().Messages[at].Finish, calls[len(calls)-1].ID
	for _, c := range state.OpenCalls(calls) {
		u := turn.Unfinished{Call: c.ToolCall, Started: c.Started}
		if !c.Started {
			u.Unfit = turn.Unfit(finish, c.ToolCall, c.ID == last)
		}
		if t.talk().OpenExtension() != "" { // also if a client has a tool of that name
			u.Tool = &offer.Confirmation{} // nothing is sent to the agent before its result is on disk
		} else if t.talk().Waits(c.ID) {
			u.Tool = t.s.tools.waitingFor(c.Name)
		} else if known := t.s.tools.repeatable(c.Name); known != nil {
			u.Tool = known
		}
		out = append(out, u)
	}
	return out
}
