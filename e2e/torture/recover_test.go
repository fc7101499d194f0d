//go:build unix

package torture_test

import (
	"fmt"
	"strings"
)

// goOn opens the session in a new process and brings it to its end: what was left
// open is answered, and one more message is sent. continued says whether the
// clients want to continue the work in progress.
func (t *talk) goOn(continued bool) error {
	t.again.Store(true)
	clear(t.approved) // a power cut may have taken an approval back
	if err := t.reenter(continued); err != nil {
		return err
	}
	events, err := t.history()
	if err != nil {
		return err
	}
	left := openOf(events)
	if continued && len(left.calls) > 0 {
		if err := t.finish(left); err != nil {
			return err
		}
	}
	return t.last()
}

// reenter resumes the session. One that nobody was told of may not be there.
func (t *talk) reenter(continued bool) error {
	more := map[string]any{"requestPermission": true, "continuePendingWork": continued}
	err := t.enter("session.resume", more)
	if refused(err) && strings.Contains(err.Error(), "not found") && !t.known() {
		return t.enter("session.create", more)
	}
	return err
}

// known says whether anybody was promised that the session exists.
func (t *talk) known() bool {
	for _, e := range t.ears {
		for _, event := range e.all() {
			if !event.Ephemeral && !t.lost[event.ID] {
				return true
			}
		}
	}
	return t.created && !t.vanished
}

// finish answers what is open, under its old ids, and waits until the run that it
// belongs to has ended.
func (t *talk) finish(left open) error {
	for request, call := range left.tools {
		wanted, err := t.answer(request, call)
		if err != nil && !refused(err) {
			return err
		}
		if !wanted && t.flippedData.RequestID == "" && !t.lenient {
			t.fault(unanswerable, "the result of call %s was not taken under its old id: %v", call, err)
		}
	}
	err := t.attend(idle, nil)
	if isGone(err) {
		return err
	}
	for request, call := range left.askings {
		if !t.approved[request] && t.flippedData.RequestID == "" && !t.lenient { // else it may ask another question
			t.fault(unanswerable, "the question about call %s could not be answered under its old id", call)
		}
	}
	if err != nil {
		return fmt.Errorf("the run that was under way: %w", err)
	}
	return nil
}

// last sends a message and waits for the end of its run.
func (t *talk) last() error {
	id, err := t.send(t.a, "last", "")
	if err != nil {
		return fmt.Errorf("a message after it was opened: %w", err)
	}
	if err := t.untilIdle(id); err != nil {
		return fmt.Errorf("the run of a message after it was opened: %w", err)
	}
	t.readBack, err = t.history() // a second idle would have come before the answer
	t.ended = err == nil
	return err
}

// untilIdle waits until the run of a message has ended.
func (t *talk) untilIdle(id string) error {
	said := false
	return t.attend(func(e told) bool {
		said = said || e.Type == "user.message" && read(e).MessageID == id
		return said && idle(e)
	}, nil)
}

// heardLast is the types of the last events that A heard.
func (t *talk) heardLast(n int) string {
	if len(t.ofA) == 0 {
		return "\tnothing"
	}
	var b strings.Builder
	events := t.ofA[len(t.ofA)-1].all()
	for _, event := range events[max(0, len(events)-n):] {
		d := read(event)
		fmt.Fprintf(&b, "\t%s %s%s\n", event.Type, d.ToolCallID, d.Delivery)
	}
	return b.String()
}

// tries is how often clients come back to a session that cannot be had, before
// they give up.
const tries = 30

// comeBack leaves the session, which has failed, and enters it again.
func (t *talk) comeBack() error {
	return t.insist(func() error {
		for _, s := range []*seat{t.a, t.b} {
			if err := t.call(s, "session.detach", map[string]any{}, nil); err != nil && !refused(err) {
				return err
			}
		}
		return t.enter("session.resume", map[string]any{"requestPermission": true})
	})
}

// begin creates the session, and tries again where that may fail. A refused attempt must
// not prevent the next one.
func (t *talk) begin() error {
	err := t.insist(func() error {
		if t.created {
			return nil
		}
		return t.enter("session.create", nil)
	})
	if refused(err) && t.lenient && t.created {
		return t.comeBack()
	}
	return err
}

// insist tries until it works; once where nothing may be refused.
func (t *talk) insist(f func() error) error {
	err := f()
	for i := 1; i < tries && t.lenient && refused(err); i++ {
		err = f()
	}
	return err
}
