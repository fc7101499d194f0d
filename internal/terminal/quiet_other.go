//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package terminal

import (
	"errors"
	"os"
)

// muffle is not written for this system, so typed keys are shown where the cursor is.
func muffle(*os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }
