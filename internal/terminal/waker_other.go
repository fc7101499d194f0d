//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package terminal

import (
	"errors"
	"os"
)

// waker is not written for this system.
type waker struct{}

func newWaker(*os.File) (*waker, error) { return nil, errors.ErrUnsupported }
func (*waker) wait() bool               { return false }
func (*waker) wake()                    {}
func (*waker) close()                   {}
