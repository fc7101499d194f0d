package session

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// warn records what is wrong with the log and has not been reported before. notice is what
// opening the log has to report, if anything.
func (e attachment) warn(notice string) error {
	if warnings := e.s.log.State().Damage(notice); len(warnings) > 0 {
		return e.s.log.Record("", warnings...)
	}
	return nil
}

// unread adds to the events of a create or resume the warning that names the settings that have no
// effect, unless the log has the same warning already.
func (e attachment) unread(cfg wire.Config, events []wire.Data) []wire.Data {
	return append(events, e.ignoring(cfg.Unread)...)
}

// ignoring returns the warning that names settings without an effect; nothing if there are none, or if
// the log has the same warning already.
func (e attachment) ignoring(u wire.Unread) []wire.Data {
	message := u.Named()
	if message == "" || slices.Contains(e.s.log.State().SettingsIgnored, message) {
		return nil
	}
	return []wire.Data{&wire.SessionWarning{WarningType: state.WarningSettingsIgnored, Message: message}}
}

// Ignored records that settings of a client have no effect, in methods beside those that configure the
// session.
func (t Settings) Ignored(ctx context.Context, u wire.Unread) error {
	if u.Named() == "" {
		return nil
	}
	return t.s.log.Change(ctx, func() error {
		if events := attaching(t.s).ignoring(u); len(events) > 0 {
			return t.s.log.Record("", events...)
		}
		return nil
	})
}
