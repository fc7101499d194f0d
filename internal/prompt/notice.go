package prompt

import (
	"fmt"
	"strconv"
	"strings"
)

// The blocks that the runtime adds to a conversation. Recordings match all of them.

// ToolsChanged returns the block that names removed tools. It is sent before the next
// message, in [UserOptions.Before]. New tools are not announced.
func ToolsChanged(gone ...string) string {
	return "<tools_changed_notice>\nTools no longer available: " + strings.Join(gone, ", ") +
		"\n\nImportant: Do not attempt to call tools that are no longer available unless you've been notified that they're available again.\n</tools_changed_notice>"
}

// LimitsStatus returns the block with the rest of a session's AI credits. It is a user
// message of its own, after the user's.
func LimitsStatus(remaining float64) string {
	return fmt.Sprintf("<session_limits_status>\nRemaining session limits: %s AI credits. Later session_limits_status messages supersede earlier ones. "+
		"Be frugal; avoid optional exploration and unnecessary tool calls.\n</session_limits_status>",
		strconv.FormatFloat(max(remaining, 0), 'f', -1, 64))
}
