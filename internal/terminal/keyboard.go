package terminal

import (
	"context"
	"io"
)

// keyboard reads a terminal, which cannot be asked to stop: a read goes on after
// whoever wanted it has given up, and what it brings is there for the next. One
// goroutine uses it.
type keyboard struct {
	want    chan struct{} // a read is to begin; closed by stop
	got     chan []byte   // closed when the terminal is gone
	reading bool          // a read has begun whose keys nobody has taken
	gone    bool
}

// newKeyboard starts the goroutine that reads in. It ends when a read fails, and
// after stop: at once, or when the read that is under way returns.
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

// next waits for keys. [io.EOF] says that there will be no more, ctx.Err() that ctx
// has ended.
func (k *keyboard) next(ctx context.Context) ([]byte, error) {
	if k.gone {
		return nil, io.EOF
	}
	if !k.reading {
		k.want <- struct{}{}
		k.reading = true
	}
	select {
	case keys, ok := <-k.got:
		k.reading, k.gone = false, !ok
		if !ok {
			return nil, io.EOF
		}
		return keys, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *keyboard) stop() { close(k.want) }
