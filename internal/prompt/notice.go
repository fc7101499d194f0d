package prompt

import (
	"fmt"
	"strconv"
	"strings"
)

// The blocks that the runtime puts into a conversation. All are matched by
// recordings.

// ToolsChanged says which tools have left. It goes before the next message, by way
// of [UserOptions.Before]. Tools that came are not announced.
func ToolsChanged(gone ...string) string {
	return "<tools_changed_notice>\nTools no longer available: " + strings.Join(gone, ", ") +
		"\n\nImportant: Do not attempt to call tools that are no longer available unless you've been notified that they're available again.\n</tools_changed_notice>"
}

// LimitsStatus says what is left of a session's AI credits. It is a user message of
// its own, after the person's.
func LimitsStatus(remaining float64) string {
	return fmt.Sprintf("<session_limits_status>\nRemaining session limits: %s AI credits. Later session_limits_status messages supersede earlier ones. "+
		"Be frugal; avoid optional exploration and unnecessary tool calls.\n</session_limits_status>",
		strconv.FormatFloat(max(remaining, 0), 'f', -1, 64))
}
