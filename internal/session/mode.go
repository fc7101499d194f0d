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
func (t Settings) Mode(ctx context.Context) (mode wire.Mode, err error) {
	err = t.s.do(ctx, func() error { mode = t.s.state.SessionMode(); return nil })
	return mode, err
}

// SetMode changes the mode, which is recorded: a session that is resumed is in it.
// Setting the one it is in records nothing. [fault.Invalid] for one that is none.
func (t Settings) SetMode(ctx context.Context, mode wire.Mode) error {
	if !slices.Contains(state.Modes, mode) {
		return fault.New(fault.Invalid, "session.mode.set", t.s.id, `mode is %q, want "interactive", "plan" or "autopilot"`, mode)
	}
	return t.s.do(ctx, func() error {
		if mode == t.s.state.SessionMode() {
			return nil
		}
		return t.changeMode(mode)
	})
}

// leavePlanMode changes the mode after a plan was approved.
func (t Settings) leavePlanMode(ctx context.Context, action string) error {
	mode := modeInteractive
	if action == modeAutopilot {
		mode = modeAutopilot
	}
	return t.s.post(ctx, func() error { return t.changeMode(wire.Mode(mode)) })
}

// changeMode records another mode, if it is another than that in force, or than that
// of the session.
func (t Settings) changeMode(mode wire.Mode) error {
	before := wire.Mode(t.s.state.ModeNow())
	if before == mode && t.s.state.SessionMode() == mode {
		return nil
	}
	return t.s.log.record(&wire.SessionModeChanged{PreviousMode: before, NewMode: mode})
}
