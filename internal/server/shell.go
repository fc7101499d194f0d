package server

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxTimeout bounds the timeout of a program of the user.
const maxTimeout = 24 * time.Hour

func shellExec(ctx context.Context, s *session.Session, p wire.ShellExec) (any, error) {
	dir, timeout := "", time.Duration(0)
	if p.Cwd != nil {
		dir = *p.Cwd
	}
	if p.Timeout != nil {
		if *p.Timeout < 0 || *p.Timeout > maxTimeout.Milliseconds() {
			return nil, unfit("timeout is %d, want 0 to %d", *p.Timeout, maxTimeout.Milliseconds())
		}
		timeout = time.Duration(*p.Timeout) * time.Millisecond
	}
	id, err := s.Shell().Exec(ctx, p.Command, dir, timeout)
	return wire.ShellStarted{ProcessID: id}, err
}

// signals are those that clients can send.
var signals = lazy.Value[map[string]shell.Signal]{Make: func() map[string]shell.Signal {
	return map[string]shell.Signal{"SIGTERM": shell.Terminate, "SIGINT": shell.Interrupt, "SIGKILL": shell.Kill}
}}

func shellKill(ctx context.Context, s *session.Session, p wire.ShellKill) (any, error) {
	sig := shell.Terminate
	if p.Signal != nil {
		known := false
		if sig, known = signals.Get()[string(*p.Signal)]; !known {
			return nil, unfit(`signal is %q, want "SIGTERM", "SIGINT" or "SIGKILL"`, *p.Signal)
		}
	}
	sent, err := s.Shell().Signal(ctx, p.ProcessID, sig)
	return wire.ShellKilled{Killed: sent}, err
}

func executeUserRequested(ctx context.Context, s *session.Session, p wire.UserCommand) (any, error) {
	if p.RequestID == "" {
		return nil, missing("requestId")
	}
	return s.Shell().Execute(ctx, p.RequestID, p.Command)
}

func cancelUserRequested(ctx context.Context, s *session.Session, p wire.UserCommandCancel) (any, error) {
	canceled, err := s.Shell().Cancel(ctx, p.RequestID)
	return wire.UserCommandCancelled{Cancelled: canceled}, err
}
