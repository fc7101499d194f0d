//go:build !unix

package terminal

import (
	"errors"
	"os"
)

// Stop does nothing: this system has no jobs.
func Stop() error { return errors.ErrUnsupported }

// Resizes sends nothing on this system: ask for the size before it is needed.
func Resizes() (changed <-chan os.Signal, stop func()) { return nil, func() {} }
