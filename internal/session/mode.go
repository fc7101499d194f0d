package session

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Mode returns the mode that the session is in. A message can bring another for
// its own run.
func (s *Session) Mode(ctx context.Context) (mode wire.Mode, err error) {
	err = s.do(ctx, func() error { mode = s.state.SessionMode(); return nil })
	return mode, err
}

// SetMode changes the mode, which is recorded: a session that is resumed is in it.
// Setting the one it is in records nothing. [fault.Invalid] for one that is none.
func (s *Session) SetMode(ctx context.Context, mode wire.Mode) error {
	if !slices.Contains(state.Modes, mode) {
		return fault.New(fault.Invalid, "session.mode.set", s.id, `mode is %q, want "interactive", "plan" or "autopilot"`, mode)
	}
	return s.do(ctx, func() error {
		if mode == s.state.SessionMode() {
			return nil
		}
		return s.changeMode(mode)
	})
}
