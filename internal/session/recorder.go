package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recorder is a session as all packages below it see it; it implements [state.Recorder]. The
// hosts of the packages embed it and add what only that package needs.
type recorder struct{ s *Session }

func (r recorder) Do(ctx context.Context, f func() error) error { return r.s.do(ctx, f) }

func (r recorder) Change(ctx context.Context, f func() error) error { return r.s.change(ctx, f) }

func (r recorder) Post(ctx context.Context, f func() error) error { return r.s.post(ctx, f) }

func (r recorder) Go(op string, f func()) { r.s.spawn(op, f) }

func (r recorder) State() *state.State { return &r.s.state }

func (r recorder) Record(agentID string, events ...wire.Data) error {
	return r.s.log.recordFor(agentID, events...)
}

func (r recorder) RecordOrEmit(agentID string, event wire.Data) {
	r.s.log.recordOrEmitFor(agentID, event)
}

func (r recorder) Emit(agentID string, event wire.Data) { r.s.log.emitFor(agentID, event) }

func (r recorder) Notify(agentID string, event wire.Data) { r.s.log.notifyFor(agentID, event) }

// Cwd returns the working directory. Any goroutine may call it.
func (r recorder) Cwd() string { return *r.s.at.Load() }

// CanvasesOf returns the canvases of a session.
func CanvasesOf(s *Session) *canvas.Canvases { return s.config.canvases }
