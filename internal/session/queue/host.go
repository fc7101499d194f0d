package queue

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of a [Queue] to its session. CheckFormat, ReadHooks and Unsend are not
// called on the session's goroutine; unless a method says otherwise, the others beside those of the
// Recorder are, or while the session is opened.
type Session interface {
	state.Recorder

	// Run returns the run that is under way; nil when the session is idle.
	Run() Run
	// Launch starts a run, for a message of the queue or, if that has no id, for what is recorded
	// already. delivery is what the message's event says of how it was delivered.
	Launch(m Message, delivery string)
	// Begin is Change for a command that may start a run. It returns as soon as f has, because the
	// model may already be answering then.
	Begin(ctx context.Context, f func() error) error
	// Wake has a run that waits for sub-agents look whether it has something else to do.
	Wake()
	// Closing reports whether the session closes, so that no run begins any more.
	Closing() bool
	// Attended reports whether a client is attached, and the session does not close.
	Attended() bool

	// Prepare sets what the form of a message depends on, as for runs that begin now.
	Prepare(m *Message)
	// Attach is a message with what is attached to it; text is what the model reads of the user's own
	// words. Any goroutine may call it, but for a message with attachments not that of the session,
	// because they may be files, which it reads.
	Attach(text string, m Message) prompt.UserMessage
	// CheckFormat returns what is wrong with the form in which a message wants its answer.
	CheckFormat(form json.RawMessage) error
	// HasFormats reports whether an answer can have a form: agents of other systems know none.
	HasFormats() bool
	// AnsweredByAgent reports whether a run that begins now calls a Copilot Extensions agent.
	AnsweredByAgent() bool
	// Traceparent is the trace of messages that bring none; "" for none.
	Traceparent() string
	// LimitsStatus is the text for the model about the rest of the session's limits; "" if there
	// are none.
	LimitsStatus() string
	// Asked is called when a message has been recorded as part of the conversation. titled says that
	// the session has its title since.
	Asked(titled bool)
	// Changed has the lists of sessions learn that the session works.
	Changed()

	// ReadHooks reads the hook files before the first message, which their hooks are to see.
	ReadHooks(ctx context.Context) error
	// HasHooks reports whether hooks are to see a message before it is recorded.
	HasHooks() bool
	// Listened is called when the user has sent a message.
	Listened()
	// HasPersonal reports whether the run waits for a yes or a no that only the user can give.
	HasPersonal() bool
	// WithdrawPersonal ends that wait, because the user has sent a message instead.
	WithdrawPersonal() error
	// CloseOrphans completes in the log what a process that died has left open.
	CloseOrphans() error
	// Unsend removes a message from the history, with what follows it. It reports false if there is
	// none of that id, or the model has answered it.
	Unsend(ctx context.Context, messageID string) (removed bool, err error)
}

// Run is a run under way. Its methods are called on the session's goroutine.
type Run interface {
	// First is the id in the queue of what the run begins with, "" if that is recorded.
	First() string
	// Begins is the id of the message that the run begins with; "" for none, and for a command.
	Begins() string
	// Prompt is the text of that message, as it was sent.
	Prompt() string
	// Steerable reports whether messages reach the run: a command runs without a model, and an aborted
	// run calls none any more.
	Steerable() bool
	// Stop aborts the run. It reports whether this call was the first.
	Stop() (first bool)
	// Abort is the event that ends the run, after Stop.
	Abort(reason wire.AbortReason) wire.Data
	// Ended is closed when the run is over and its idle was sent.
	Ended() <-chan struct{}
}
