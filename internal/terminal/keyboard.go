package terminal

import (
	"context"
	"io"
)

// keyboard reads a terminal on a goroutine of its own, because a read of a terminal
// cannot be cancelled. A caller of next may give up: the read continues, and the next
// call returns what it brings. One goroutine at a time may call next.
type keyboard struct {
	want    chan struct{} // asks for one read; closed by stop
	got     chan []byte   // what a read brought; closed after a read has failed
	reading bool          // a read was asked for, and next has not returned its keys
	closed  bool          // got was seen closed
}

// newKeyboard starts the goroutine that reads in. The goroutine ends when a read fails,
// and after stop: at once, or when the read under way returns.
func newKeyboard(in io.Reader) *keyboard {
	k := &keyboard{want: make(chan struct{}, 1), got: make(chan []byte, 1)}
	go func() {
		defer close(k.got)
		for range k.want {
			buf := make([]byte, 4096)
			n, err := in.Read(buf)
			if err != nil || n == 0 {
				return
			}
			k.got <- buf[:n]
		}
	}()
	return k
}

// next waits for keys. It returns [io.EOF] after the terminal was closed, and the error
// of ctx when ctx ends first.
func (k *keyboard) next(ctx context.Context) ([]byte, error) {
	if k.closed {
		return nil, io.EOF
	}
	if !k.reading {
		k.want <- struct{}{}
		k.reading = true
	}
	select {
	case keys, ok := <-k.got:
		k.reading, k.closed = false, !ok
		if !ok {
			return nil, io.EOF
		}
		return keys, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *keyboard) stop() { close(k.want) }
