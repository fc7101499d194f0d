package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// modes are what a session can be in; the first is where it begins.
var modes = []wire.Mode{"interactive", "plan", "autopilot"}

// Mode returns the mode that the session is in. A message can bring another for
// its own run.
func (s *Session) Mode(ctx context.Context) (mode wire.Mode, err error) {
	err = s.do(ctx, func() error { mode = s.mode(); return nil })
	return mode, err
}

func (h *history) mode() wire.Mode { return cmp.Or(h.setMode, modes[0]) }

// SetMode changes the mode, which is recorded: a session that is resumed is in it.
// Setting the one it is in records nothing. [fault.Invalid] for one that is none.
func (s *Session) SetMode(ctx context.Context, mode wire.Mode) error {
	if !slices.Contains(modes, mode) {
		return fault.New(fault.Invalid, "session.mode.set", s.id, `mode is %q, want "interactive", "plan" or "autopilot"`, mode)
	}
	return s.do(ctx, func() error {
		if mode == s.mode() {
			return nil
		}
		return s.changeMode(mode)
	})
}

// changesMode folds in a change of the mode. One that this version does not know
// is none.
func (h *history) changesMode(data wire.Raw) {
	if mode := wire.Mode(data.Get("newMode").Text()); slices.Contains(modes, mode) {
		h.setMode, h.saidMode = mode, "" // it holds for the run under way, too
	}
}
