package show

import "github.com/sidestick-dev/sidestick/internal/follow"

// Reply is the answer of a run, put together from its text and events: the messages of the model that call no tools, a
// blank line between them. The zero value is the answer of a run that has not begun.
type Reply struct {
	whole   string // the messages that are complete
	last    string // the last of them
	message string // the present one so far
}

// Text takes a piece of a message; begins says that the message begins with it.
func (r *Reply) Text(piece string, begins bool) {
	if begins {
		r.message = ""
	}
	r.message += piece
}

// Event takes an event, after the text that it contains.
func (r *Reply) Event(e follow.Event) {
	if e.AgentID != "" {
		return
	}
	switch e.Type {
	case "assistant.message", "session.task_complete":
		if !CallsTools(e) {
			r.message = withoutCopies(e, r.message)
			r.settle()
		}
	case "assistant.turn_retry":
		r.message = "" // the text was dropped
	}
}

// String is the answer so far, with what was received of a message that broke off.
func (r *Reply) String() string {
	r.settle()
	return r.whole
}

// Last is the last of these messages.
func (r *Reply) Last() string {
	r.settle()
	return r.last
}

// settle takes over a message that is complete.
func (r *Reply) settle() {
	if r.whole != "" && r.message != "" {
		r.whole += "\n\n"
	}
	if r.whole += r.message; r.message != "" {
		r.last = r.message
	}
	r.message = ""
}
