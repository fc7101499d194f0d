package mailbox

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrClosed is the error of [Mailbox.Post] after [Mailbox.Close].
var ErrClosed = errors.New("the mailbox is closed")

// Mailbox holds no functions: each is handed over when the goroutine is ready for it, so
// callers wait in line, each as long as its context allows. Create one with [New]. Post
// is safe for concurrent use; the other methods are for the goroutine that runs the
// functions, except for Closed.
type Mailbox struct {
	functions chan *Function
	closed    chan struct{}
	// spare is used for the next function: a session runs some 15 of them in each turn, most
	// often one after the other.
	spare atomic.Pointer[Function]
}

// New returns an open mailbox.
func New() *Mailbox {
	return &Mailbox{functions: make(chan *Function), closed: make(chan struct{})}
}

// Functions is where the goroutine receives functions. It runs each one at once.
func (m *Mailbox) Functions() <-chan *Function { return m.functions }

// Function is a function on its way to the goroutine and back. Its fields belong to the
// caller until it is handed over, and then to the goroutine until done has the error.
type Function struct {
	ctx  context.Context
	f    func() error
	done chan error // capacity 1
}

// Run runs the function, unless its caller's context has ended.
func (f *Function) Run() {
	if err := f.ctx.Err(); err != nil {
		f.done <- err
		return
	}
	f.done <- f.f()
}

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
	p := m.spare.Swap(nil)
	if p == nil {
		p = &Function{done: make(chan error, 1)}
	}
	p.ctx, p.f = ctx, f
	select {
	case m.functions <- p:
	case <-m.closed:
		m.reuse(p)
		return ErrClosed
	case <-ctx.Done():
		m.reuse(p)
		return ctx.Err()
	}
	select {
	case err := <-p.done:
		m.reuse(p)
		return err
	case <-ctx.Done(): // the goroutine still has it
		return ctx.Err()
	}
}

// reuse keeps p for the next caller. No error waits in it, and no goroutine has it.
func (m *Mailbox) reuse(p *Function) {
	p.ctx, p.f = nil, nil
	m.spare.Store(p)
}
