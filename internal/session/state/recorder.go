package state

import (
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Recorder is what every part of a session needs of it: the goroutine, the state, and the log
// with the clients that follow it. agentID names the thread of an event: that of a sub-agent,
// "" for the main agent and for events of the session as a whole.
//
// State, Record and RecordOrEmit are called on the session's goroutine, or while the session
// is opened. Any goroutine may call Emit and Notify.
type Recorder interface {
	mailbox.Goroutine
	// State returns the state of the session, always the same pointer. Only Record changes
	// the state.
	State() *State
	// Record appends events of a thread to the log, applies them to the state, and sends
	// them to all clients. After an error nothing has changed.
	Record(agentID string, events ...wire.Data) error
	// RecordOrEmit is Record for an event that clients get even if the log cannot be written
	// any more, because they wait for it.
	RecordOrEmit(agentID string, event wire.Data)
	// Emit sends an ephemeral event of a thread to all clients, also to those far behind.
	Emit(agentID string, event wire.Data)
	// Notify is Emit for an event that a client far behind may miss.
	Notify(agentID string, event wire.Data)
}
