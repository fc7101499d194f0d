//go:build !unix

package shell

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Supported says whether this system has shells.
const Supported = false

// process stands for what this system does not have yet.
type process struct{}

func (*process) kill()               {}
func (*process) follow(*job)         {}
func (*process) feed(string, string) {}
func (*process) write(string) error  { return errors.ErrUnsupported }

func (s *Shells) begin(sh *shell) error {
	return fault.New(fault.Unavailable, "shell.Run", sh.id, "there are no shells on this system yet: %w", errors.ErrUnsupported)
}

func (Script) run(context.Context) (Outcome, error) {
	return Outcome{}, fault.New(fault.Unavailable, "shell.RunScript", "", "there are no shells on this system yet: %w", errors.ErrUnsupported)
}
