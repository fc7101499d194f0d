package follow

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Display gets the text and the events of the runs that a [Follower] follows.
type Display interface {
	// Text passes on a piece of the answer, never "". begins says that a message
	// begins with it.
	Text(piece string, begins bool) error
	// Event passes on an event, after the text that it holds. It gets every event,
	// those of earlier runs and of sub-agents too. enough ends Follow before the run
	// is idle.
	Event(e Event) (enough bool, err error)
}

// Follower follows the runs of one session, one after the other. The zero value follows
// a run from its message on; call Begin first. It is for one goroutine at a time.
type Follower struct {
	// Earlier passes on the text of earlier runs too: what another client of the
	// session was answered before the message of this run.
	Earlier bool

	// Outcome is what the run that is followed has come to. It can be read between
	// events.
	Outcome

	message string // id of the message that the run answers
	begun   bool   // that message has been seen
	text    text
}

// Begin begins to follow the run that answers a message of the user, by its id. Events
// before that message count as an earlier run's. "" is the run that is under way.
func (f *Follower) Begin(message string) {
	f.Outcome, f.message, f.begun = Outcome{}, message, message == ""
}

// Begun reports whether the message of the run has been seen.
func (f *Follower) Begun() bool { return f.begun }

// Count counts all further events as the run's. It is for a run that is being aborted,
// whose message may never be recorded.
func (f *Follower) Count() { f.begun = true }

// Follow takes events until the run is idle or the display has enough. The error is that of
// the events or of the display.
func (f *Follower) Follow(events iter.Seq2[Event, error], display Display) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if enough, err := f.Take(e, display); enough || err != nil || f.Idle {
			return err
		}
	}
	return nil
}

// Take takes one event: it updates the outcome, and passes text and event on to the display.
func (f *Follower) Take(e Event, display Display) (enough bool, err error) {
	if e.Missed {
		f.text.gap = true
	}
	if e.Type == "user.message" && f.message != "" && e.Get("messageId").Text() == f.message {
		f.begun = true
	}
	if f.begun {
		f.learn(e)
	}
	if e.AgentID == "" && (f.begun || f.Earlier) {
		if err := f.pass(e, display); err != nil {
			return true, err
		}
	}
	return display.Event(e)
}

// pass passes on the text that an event of the main agent adds to the answer.
func (f *Follower) pass(e Event, display Display) error {
	switch e.Type {
	case "assistant.message_start":
		f.text.gap = false
	case wire.MessageDelta:
		return f.text.piece(e.Get("messageId").Text(), e.Get("deltaContent").Text(), display)
	case "assistant.message":
		return f.text.whole(e.Get("messageId").Text(), e.Get("content").Text(), display)
	case "session.task_complete":
		return f.text.whole(e.ID, e.Get("summary").Text(), display) // the last message of the model
	}
	return nil
}
