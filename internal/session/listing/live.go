package listing

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// Doing is what a session in memory does.
type Doing string

const (
	Idle    Doing = "idle"    // no run is under way
	Working Doing = "working" // a run is under way
	Waiting Doing = "waiting" // a run is under way, and a user has to answer first
)

// Live is what a session in memory does at a moment.
type Live struct {
	ID    string
	Name  string // that the session was given, else its title; may be empty
	Cwd   string
	Model string // of the next turn; "" if the provider chooses
	Doing Doing
	// Since is when Doing began, Changed when something was last recorded. Since is when the session was
	// opened if it has done the same since then.
	Since, Changed time.Time
	// Waiting are the questions that are open, permission requests first, each the oldest first. A session that
	// is idle may have some: an MCP server asks at any time.
	Waiting []state.Question
	Agents  int // sub-agents that work
	Clients int // that are attached
	Queued  int // messages and commands that were accepted and have not begun
	// Tokens is how many tokens the calls of models had since the session was opened, sent and received, and Cost
	// what those with a known price have cost, in US dollars.
	Tokens int64
	Cost   float64
}
