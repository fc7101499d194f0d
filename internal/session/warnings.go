package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// warn records what is wrong with the log and has not been reported before. notice is what
// opening the log has to report, if anything.
func (e attachment) warn(notice string) error {
	var warnings []wire.Data
	if notice != "" {
		warnings = append(warnings, &wire.SessionWarning{WarningType: state.WarningLogRepaired, Message: notice})
	}
	if st := e.s.state; st.Unreadable > st.UnreadableReported {
		warnings = append(warnings, unreadable(st.Unreadable))
	}
	if lost := e.s.state.Incomplete; len(lost) > 0 {
		warnings = append(warnings, incomplete(lost))
	}
	if len(warnings) == 0 {
		return nil
	}
	return e.s.log.Record("", warnings...)
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
	if message == "" || slices.Contains(e.s.state.SettingsIgnored, message) {
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
	return t.s.change(ctx, func() error {
		if events := attaching(t.s).ignoring(u); len(events) > 0 {
			return t.s.log.Record("", events...)
		}
		return nil
	})
}

// unreadable is the warning that some lines of a log are no events: another program wrote
// them, or a disk changed them. They stay in the log, and the session ignores them.
func unreadable(lines int) *wire.SessionWarning {
	message := "1 line of the session's log is not an event and is ignored."
	if lines > 1 {
		message = fmt.Sprintf("%d lines of the session's log are not events and are ignored.", lines)
	}
	return &wire.SessionWarning{WarningType: state.WarningLogUnreadable, Message: message}
}

// The most events that one warning names to the user, and the most that it covers. The next
// resume reports the others.
const (
	maxNamed   = 10
	maxCovered = 1000
)

// incomplete is the warning that the content of events is missing: it was too long for the
// log, and the file that it was stored in is no longer there, or is damaged.
func incomplete(lost []state.Incomplete) wire.Data {
	lost = lost[:min(len(lost), maxCovered)]
	var named, payloads []string
	for _, l := range lost {
		payloads = append(payloads, l.Payload)
		if len(named) < maxNamed {
			named = append(named, fmt.Sprintf("%s of %s (file events.payloads/%s)", l.Type, wire.FormatTime(l.Time), l.Payload))
		}
	}
	if more := len(lost) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	message := fmt.Sprintf("The content of these events is missing or damaged, and the model does not read it: %s. "+
		"To have it back, put the files back into the session's folder and resume the session.", strings.Join(named, ", "))
	return wire.WithJSON(&wire.SessionWarning{WarningType: state.WarningContentMissing, Message: message}, wire.FieldPayloads, payloads)
}
