package state

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Damage returns the warnings about what is wrong with the log of a session and has not been reported before; none
// if all is well. notice is what opening the log has to report, "" for nothing.
func (s *State) Damage(notice string) (warnings []wire.Data) {
	if notice != "" {
		warnings = append(warnings, &wire.SessionWarning{WarningType: WarningLogRepaired, Message: notice})
	}
	if s.Unreadable > s.UnreadableReported {
		warnings = append(warnings, unreadable(s.Unreadable))
	}
	if len(s.Incomplete) > 0 {
		warnings = append(warnings, incomplete(s.Incomplete))
	}
	return warnings
}

// unreadable is the warning that some lines of a log are no events: another program wrote
// them, or a disk changed them. They stay in the log, and the session ignores them.
func unreadable(lines int) *wire.SessionWarning {
	message := "1 line of the session's log is not an event and is ignored."
	if lines > 1 {
		message = fmt.Sprintf("%d lines of the session's log are not events and are ignored.", lines)
	}
	return &wire.SessionWarning{WarningType: WarningLogUnreadable, Message: message}
}

// The most events that one warning names to the user, and the most that it covers. The next
// resume reports the others.
const (
	maxNamed   = 10
	maxCovered = 1000
)

// incomplete is the warning that the content of events is missing: it was too long for the
// log, and the file that it was stored in is no longer there, or is damaged.
func incomplete(lost []Incomplete) wire.Data {
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
	return wire.WithJSON(&wire.SessionWarning{WarningType: WarningContentMissing, Message: message}, wire.FieldPayloads, payloads)
}
