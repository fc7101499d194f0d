package approval

import (
	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// Session is the interface of permissions and questions to their session.
type Session interface {
	state.Recorder
	// Cwd returns the working directory. Any goroutine may call it.
	Cwd() string
	// CanDecide reports whether an attached client decides permission requests, or the session
	// was configured to wait for one. It is called on the session's goroutine.
	CanDecide() bool
	// ModeOf returns what the permissions of an agent are at most; agentID is "" for the main agent. It is called on
	// the session's goroutine.
	ModeOf(agentID string) agent.Mode
}
