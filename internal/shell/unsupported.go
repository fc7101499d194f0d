//go:build !unix

package shell

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Supported reports whether this system has shells.
const Supported = false

// process does nothing on this system.
type process struct{}

func (*process) Kill()               {}
func (*process) follow(*job)         {}
func (*process) send(string, string) {}
func (*process) write(string) error  { return errors.ErrUnsupported }

func (s *Shells) start(sh *shell) error {
	return fault.New(fault.Unavailable, "shell.Run", sh.id, "shells are not supported on this system yet: %w", errors.ErrUnsupported)
}

func (Script) run(context.Context) (Outcome, error) {
	return Outcome{}, fault.New(fault.Unavailable, "shell.RunScript", "", "shells are not supported on this system yet: %w", errors.ErrUnsupported)
}
