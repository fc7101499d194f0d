package session

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Begin implements [turn.Host].
func (r *run) Begin(model string) (turnID string, err error) {
	err = r.s.post(context.Background(), func() error {
		turnID = r.s.state.NextTurn()
		if r.endpoint.isExtension() { // which is offered none
			return r.s.record(&wire.AssistantTurnStart{TurnID: turnID, Model: wire.Optional(model)})
		}
		return r.s.record(r.s.withNewTools(&wire.AssistantTurnStart{TurnID: turnID, Model: wire.Optional(model)}))
	})
	return turnID, err
}

// Record implements [turn.Host].
func (r *run) Record(events ...wire.Data) error {
	return r.s.post(context.Background(), func() error { return r.s.record(events...) })
}

// Emit implements [turn.Host].
func (r *run) Emit(data wire.Data) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.muted {
		r.s.say(data, false)
	}
}

// Delta implements [turn.Host].
func (r *run) Delta(t wire.EventType, key, text, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.muted {
		return
	}
	s := r.s
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	d := wire.NewDelta(t, s.out.last, key, text)
	d.Name = name
	s.log.EmitDelta(d)
}

// progressEvery thins out assistant.streaming_delta, which says only how far the
// download is: often enough for a progress bar, and no load beside the text.
const progressEvery = 100 * time.Millisecond

// Progress implements [turn.Host].
func (r *run) Progress(bytes int64, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.muted || !last && now.Sub(r.progress) < progressEvery {
		return
	}
	r.progress = now
	s := r.s
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	d := wire.NewDelta(wire.StreamingDelta, s.out.last, "", "")
	d.Size = bytes
	s.log.EmitDelta(d)
}

// Used implements [turn.Host].
func (r *run) Used(u turn.Usage) {
	r.used.spend(u)
	if u.Lost {
		return // the provider tells what it cost in its own time
	}
	_ = r.s.post(context.Background(), func() error { r.s.Metrics().account(u); return nil })
}

// CallFailed implements [turn.Host].
func (r *run) CallFailed(c tool.Call, why string) {
	r.s.logs.Warn("a client's tool failed", "tool", c.Name, "call", c.ID, "why", why)
}

func (r *run) retrying(attempt int, wait time.Duration, err error) {
	r.s.logs.Warn("a model call is tried again", "attempt", attempt, "wait", wait, "err", err)
}
