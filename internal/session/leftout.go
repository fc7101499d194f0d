package session

import (
	"context"
	"reflect"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A session never ends because of its length. What the provider refuses as too long is summarised, and if that
// does not help or fails, the request leaves a part of the conversation out. What is left out is in the log, so
// that the next process, which may not know the window, does the same at once. See
// docs/decisions/0031-a-session-never-dies-of-its-length.md.

// maxRefusals bounds how often one call is made again with less. Each time it has a tenth less at least.
const maxRefusals = 8

// fit leaves out of a request what does not fit into the window of the model, or what earlier requests have left
// out where the window is not known. The same messages stay left out until the request does not fit either, so
// that the provider's cache stays valid. It tells the user when that changes.
func (t *thread) fit(p *turn.Prompt, talk transcribed) error {
	if t.endpoint.IsExtension() || talk.limits.off() {
		return nil
	}
	limit := int64(0)
	if t.tightFor == p.Request.Model {
		limit = t.tight
	}
	if t.endpoint.Sure(p.Request.Model) {
		if room := t.endpoint.Room(p.ContextTokens); limit == 0 || room < limit {
			limit = room
		}
	}
	before, kept := talk.left, p.Request.Messages
	if t.endpoint.Leaves(before, p.Request.Model) {
		kept = t.without(talk, before)
	}
	if limit == 0 || t.endpoint.Tokens(p, kept) <= limit {
		p.Request.Messages = kept
		return nil
	}
	left, ok := t.leaveOut(p, talk, limit)
	_, messages, results := state.Without(talk.entries, left)
	if !ok && t.tightFor != p.Request.Model || messages+results == 0 {
		p.Request.Messages = kept // the provider refuses it, with numbers that are no estimate
		return nil
	}
	p.Request.Messages = t.without(talk, left)
	if reflect.DeepEqual(left, before) {
		return nil
	}
	return t.Record(compact.LeftOut(talk.entries, left))
}

// leaveOut chooses what a request leaves out so that it has three quarters of limit, and the next turns fit, too.
// ok is false if even the newest message alone has more than limit.
func (t *thread) leaveOut(p *turn.Prompt, talk transcribed, limit int64) (left wire.LeftOut, ok bool) {
	size := func(l wire.LeftOut) int64 { return t.endpoint.Tokens(p, t.without(talk, l)) }
	left, ok = state.LeaveOut(talk.entries, func(l wire.LeftOut) bool { return size(l) <= limit*3/4 })
	ok = ok || size(left) <= limit
	left.Model, left.Window = p.Request.Model, p.ContextTokens
	return left, ok
}

// without is the conversation as a request has it that leaves l out.
func (t *thread) without(talk transcribed, l wire.LeftOut) []model.Message {
	kept, _, _ := state.Without(talk.entries, l)
	return prompt.Visible(state.Transcript(talk.system, kept), t.endpoint.Sight())
}

// off reports whether the client has switched off that a conversation is made shorter.
func (i *infinite) off() bool { return i.Enabled != nil && !*i.Enabled }

// overflowed makes a conversation shorter that the provider has refused as too long: by a summary after the
// first refusal, and after that, or if there is no summary, by what the request leaves out. It reports
// whether the call is to be made again.
func (t *thread) overflowed(ctx context.Context, failed error) bool {
	e := model.ErrorOf(failed)
	if e == nil || e.Category != model.CategoryContextLimit || e.Delivered || t.refusals == maxRefusals {
		return false
	}
	t.refusals++
	p, talk, err := t.draft(ctx)
	if err == nil && talk.running != nil { // a summary that began before; it may fail
		select {
		case <-talk.running:
			p, talk, err = t.draft(ctx)
		case <-ctx.Done():
			return false
		}
	}
	if err != nil || len(p.Unfinished) > 0 || talk.limits.off() {
		return false
	}
	p.BytesPerToken = t.correct(e, &t.sent, p.BytesPerToken)
	sent := p
	sent.Request.Tools = t.sent.Tools
	tokens := t.endpoint.Tokens(&sent, t.sent.Messages)
	if t.endpoint.Tokens(&p, p.Request.Messages) < tokens-tokens/10 {
		return true // by that summary, or by the small set of tools for the window that the refusal has named
	}
	limit := tokens
	switch { // a part of our own estimate, which may be far from the provider's count, as for pictures
	case e.Limit > 0 && e.Prompt > e.Limit:
		limit = int64(float64(tokens) * float64(e.Limit) / float64(e.Prompt))
	case e.Limit > 0:
		limit = min(tokens, int64(e.Limit))
	}
	if _, ok := t.leaveOut(&p, talk, limit); !ok && e.Prompt > 0 && !compact.Pictured(t.sent.Messages) {
		return false // the newest message is too long by itself
	}
	room := t.endpoint.Room(limit)
	if t.refusals == 1 {
		done, err := t.summarize(ctx, &p, talk.before(state.Newest(talk.entries)), wire.TriggerContextLimit, compact.Below(tokens, limit), room)
		if err != nil {
			t.s.log.Logger().Info("the conversation is too long for the model and cannot be summarized", "err", err)
		}
		if done || ctx.Err() != nil {
			return ctx.Err() == nil
		}
	}
	t.tight, t.tightFor = min(room, tokens-tokens/10), p.Request.Model
	left, _ := t.leaveOut(&p, talk, t.tight)
	return t.endpoint.Tokens(&p, t.without(talk, left)) < tokens // else it is what was refused
}

// overfilled reports whether a call is to be made again that the provider has refused for the number of its tools: with
// fewer, now that the limit is known.
func (t *thread) overfilled(failed error) bool {
	e := model.ErrorOf(failed)
	if e == nil || e.Category != model.CategoryToolLimit || e.Limit == 0 || len(t.sent.Tools) <= e.Limit || t.refusals == maxRefusals {
		return false
	}
	t.refusals++
	return true
}

// correct takes over what a refusal says about the length of a request, and returns how
// many bytes a token has now.
func (t *thread) correct(e *model.Error, sent *model.Request, ratio float64) float64 {
	ratio, known := compact.Ratio(e, sent, ratio)
	if known {
		_ = t.s.log.Post(context.Background(), func() error { t.s.metrics.SetRatio(ratio); return nil }) // else the session is closed
	}
	return ratio
}
