package mailbox

import (
	"context"
	"errors"
)

// ErrClosed is the error of [Mailbox.Post] after [Mailbox.Close].
var ErrClosed = errors.New("the mailbox is closed")

// Mailbox holds no functions: each is handed over when the goroutine is ready for it, so
// callers wait in line, each as long as its context allows. Create one with [New]. Post
// is safe for concurrent use; the other methods are for the goroutine that runs the
// functions, except for Closed.
type Mailbox struct {
	functions chan func()
	closed    chan struct{}
}

// New returns an open mailbox.
func New() *Mailbox { return &Mailbox{functions: make(chan func()), closed: make(chan struct{})} }

// Functions is where the goroutine receives functions. It calls each one at once.
func (m *Mailbox) Functions() <-chan func() { return m.functions }

// Close ends the mailbox. It is called once, after the last function was received.
func (m *Mailbox) Close() { close(m.closed) }

// Closed is closed by [Mailbox.Close].
func (m *Mailbox) Closed() <-chan struct{} { return m.closed }

// Post has the goroutine run f and returns the error of f, which must not panic. It
// returns ctx.Err() as soon as ctx ends: f has not begun then and never runs, or it has
// begun and runs to its end. It returns [ErrClosed] if the mailbox is closed.
//
// If ctx can end, f must not write variables that the caller reads; use [Ask].
func (m *Mailbox) Post(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	begin := func() {
		if err := ctx.Err(); err != nil {
			done <- err
			return
		}
		done <- f()
	}
	select {
	case m.functions <- begin:
	case <-m.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
