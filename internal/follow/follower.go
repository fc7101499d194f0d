package follow

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Display gets the text and the events of the runs that a [Follower] follows.
type Display interface {
	// Text passes on a piece of the answer, never "". begins reports whether this is the
	// first piece of a message.
	Text(piece string, begins bool) error
	// Event passes on an event, after the text that it contains. It gets every event, also
	// those of earlier runs and of sub-agents. If enough is true, Follow returns before the
	// run is idle.
	Event(e Event) (enough bool, err error)
}

// Follower follows the runs of one session, one after the other. Call Begin first; the zero
// value has no run to follow. Only one goroutine may use it at a time.
type Follower struct {
	// Earlier also passes on the text of earlier runs: answers to messages that other
	// clients sent before.
	Earlier bool

	// Outcome is the result of the current run so far. It can be read between events.
	Outcome

	message string // id of the message that the run answers
	begun   bool   // that message has been seen
	text    text
	// calling holds the agents, "" for the main one, whose model call has begun and has not reported yet what it
	// used. A call that is aborted in the middle of its answer, or fails, reports nothing: its price is not known.
	calling map[string]bool
}

// Begin starts to follow the run that answers the user message with the given id. Events
// before that message belong to earlier runs. "" means the run in progress.
func (f *Follower) Begin(message string) {
	f.Outcome, f.message, f.begun, f.calling = Outcome{}, message, message == "", map[string]bool{}
}

// Begun reports whether the message of the run has been seen.
func (f *Follower) Begun() bool { return f.begun }

// Count makes all further events count as the run's. Use it for a run that is being aborted,
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
	if f.drops(e) {
		f.begun, f.Dropped = true, true
		f.Failure = &Failure{Type: wire.InfoMessagesDropped, Message: e.Get("message").Text()}
	}
	if f.begun {
		f.learn(e)
		f.price(e)
	}
	if e.AgentID == "" && (f.begun || f.Earlier) {
		if err := f.pass(e, display); err != nil {
			return true, err
		}
	}
	return display.Event(e)
}

// drops reports whether an event says that the message of the run was dropped. It is not recorded then, and the run ends
// without it.
func (f *Follower) drops(e Event) bool {
	if f.begun || f.message == "" || e.Type != "session.info" || e.Get("infoType").Text() != wire.InfoMessagesDropped {
		return false
	}
	for id := range e.Get(wire.FieldDropped).Get("messageIds").Elements() {
		if id.Text() == f.message {
			return true
		}
	}
	return false
}

// price counts the calls whose price is not known because they have not reported what they used.
func (f *Follower) price(e Event) {
	switch e.Type {
	case "assistant.turn_start":
		if f.calling[e.AgentID] {
			f.Unpriced++
		}
		if f.calling == nil {
			f.calling = map[string]bool{}
		}
		f.calling[e.AgentID] = true
	case "assistant.usage":
		delete(f.calling, e.AgentID)
	case "session.idle":
		f.Unpriced += len(f.calling)
		clear(f.calling)
	}
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
	case "abort":
		cut := e.Get(wire.FieldCutOff)
		return f.text.whole(cut.Get("messageId").Text(), cut.Get("content").Text(), display)
	case "session.task_complete":
		return f.text.whole(e.ID, e.Get("summary").Text(), display) // the model's last message
	}
	return nil
}
