// Package statetest has a session for tests of packages that know theirs as a [state.Recorder].
package statetest

import (
	"context"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session implements [state.Recorder] without a log. It runs functions one after the other, on
// the goroutine of the caller. The zero value is a session without events.
type Session struct {
	// Fold is the state. It is read and written in functions of Do, or before the test begins.
	Fold state.State
	// Broken is why nothing can be recorded; nil if it can.
	Broken error

	mu      sync.Mutex // held while a function runs, as if it were the session's goroutine
	closing bool
	running sync.WaitGroup // of Go

	sending sync.Mutex // guards sent
	sent    []Sent
}

// Sent is an event that clients were sent. It has no parent.
type Sent struct {
	wire.Event
	Ephemeral bool
	Missable  bool // sent with Notify
}

var _ state.Recorder = (*Session)(nil)

// Do implements [state.Recorder].
func (s *Session) Do(ctx context.Context, f func() error) error {
	return s.Post(ctx, func() error {
		if s.closing {
			return wire.SessionNotFound("s1")
		}
		return f()
	})
}

// Change implements [state.Recorder].
func (s *Session) Change(ctx context.Context, f func() error) error { return s.Do(ctx, f) }

// Post implements [state.Recorder].
func (s *Session) Post(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// Close has Do and Change return the error of a session that closes.
func (s *Session) Close() {
	_ = s.Post(context.Background(), func() error { s.closing = true; return nil })
}

// Go implements [state.Recorder]: f runs after the function that calls Go has ended.
func (s *Session) Go(_ string, f func()) {
	s.running.Go(func() {
		_ = s.Post(context.Background(), func() error { return nil })
		f()
	})
}

// Wait returns when all functions of Go have ended.
func (s *Session) Wait() { s.running.Wait() }

// State implements [state.Recorder].
func (s *Session) State() *state.State { return &s.Fold }

// Record implements [state.Recorder].
func (s *Session) Record(agentID string, events ...wire.Data) error {
	if s.Broken != nil {
		return s.Broken
	}
	for _, data := range events {
		e := eventOf(agentID, data)
		s.Fold.Apply(s.Fold.Seq+1, e)
		s.send(Sent{Event: e})
	}
	return nil
}

// RecordOrEmit implements [state.Recorder].
func (s *Session) RecordOrEmit(agentID string, event wire.Data) {
	if s.Record(agentID, event) != nil {
		s.Emit(agentID, event)
	}
}

// Emit implements [state.Recorder].
func (s *Session) Emit(agentID string, event wire.Data) {
	s.send(Sent{Event: eventOf(agentID, event), Ephemeral: true})
}

// Notify implements [state.Recorder].
func (s *Session) Notify(agentID string, event wire.Data) {
	s.send(Sent{Event: eventOf(agentID, event), Ephemeral: true, Missable: true})
}

func (s *Session) send(e Sent) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.sent = append(s.sent, e)
}

// Sent returns the events that were sent so far, in their order.
func (s *Session) Sent() []Sent {
	s.sending.Lock()
	defer s.sending.Unlock()
	return append([]Sent(nil), s.sent...)
}

// Types returns the types of the events that were sent so far, in their order.
func (s *Session) Types() (types []wire.EventType) {
	for _, e := range s.Sent() {
		types = append(types, e.Type)
	}
	return types
}

// eventOf makes an event. An event that cannot be encoded is a mistake of the test.
func eventOf(agentID string, data wire.Data) wire.Event {
	body, err := wire.Marshal(data)
	if err != nil {
		panic(err)
	}
	return wire.Event{Header: wire.Header{ID: wire.NewID(), Time: time.Now(), AgentID: agentID, Type: data.Type()}, Data: body}
}
