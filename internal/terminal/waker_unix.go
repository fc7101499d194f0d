//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// waker waits for a terminal until another goroutine ends the wait.
type waker struct {
	in          int // the terminal
	read, write *os.File
	pipe        int // read, as a descriptor
}

func newWaker(in *os.File) (*waker, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &waker{in: int(in.Fd()), read: r, write: w, pipe: int(r.Fd())}, nil
}

// wait reports whether the terminal has keys, or has ended. It reports false after wake.
func (w *waker) wait() bool {
	for {
		ready, woken, err := await(w.in, w.pipe)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && ready && !woken
	}
}

// wake ends wait, now and later.
func (w *waker) wake() { _, _ = w.write.Write([]byte{0}) }

func (w *waker) close() { _ = errors.Join(w.read.Close(), w.write.Close()) }
