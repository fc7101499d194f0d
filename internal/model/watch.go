package model

import (
	"context"
	"errors"
	"io"
	"time"
)

// errSilent is why a watch ended its context.
var errSilent = errors.New("silent for too long")

// watch ends an attempt's context when a wait for the provider takes too long. The time
// in which the caller handles a delta does not count. Not safe for concurrent use.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
	until  time.Time // when the wait under way ends
}

// newWatch starts the first wait. The owner calls stop.
func newWatch(ctx context.Context, limit time.Duration) *watch {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errSilent) })
	return &watch{ctx: ctx, cancel: cancel, timer: timer, limit: limit}
}

func (w *watch) wait() {
	w.until = time.Now().Add(w.limit)
	w.timer.Reset(w.limit)
}

// resume continues the last wait after a pause: the event that came was none.
func (w *watch) resume() { w.timer.Reset(max(time.Until(w.until), 0)) }

func (w *watch) pause() { w.timer.Stop() }

// hurry bounds the current wait by d, for an answer that matters less.
func (w *watch) hurry(d time.Duration) { w.timer.Reset(min(d, w.limit)) }

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// silent reports whether the provider's silence ended the attempt.
func (w *watch) silent() bool { return context.Cause(w.ctx) == errSilent }

// watched is a body on which each Read is one wait.
type watched struct {
	io.Reader
	watch *watch
}

func (r watched) Read(p []byte) (int, error) {
	r.watch.wait()
	defer r.watch.pause()
	return r.Reader.Read(p)
}
