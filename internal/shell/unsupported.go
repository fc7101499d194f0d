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

func (s *Shells) attend(*shell) {}

func (s *Shells) start(sh *shell) error {
	return fault.New(fault.Unavailable, "shell.Run", sh.id, "shells are not supported on this system yet: %w", errors.ErrUnsupported)
}

// Running is a program that runs; there are none on this system.
type Running struct{}

// Start fails on this system.
func Start(string, Script, func(string)) (*Running, error) {
	return nil, fault.New(fault.Unavailable, "shell.Start", "", "shells are not supported on this system yet: %w", errors.ErrUnsupported)
}

// Signal does nothing on this system.
func (*Running) Signal(Signal) bool { return false }

// Wait returns at once on this system.
func (*Running) Wait() int { return 0 }

func (Script) run(context.Context) (Outcome, error) {
	return Outcome{}, fault.New(fault.Unavailable, "shell.RunScript", "", "shells are not supported on this system yet: %w", errors.ErrUnsupported)
}
