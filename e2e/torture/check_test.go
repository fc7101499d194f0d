//go:build unix

package torture_test

import (
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// class is what kind of promise was broken.
type class int

const (
	lost         class = iota // an event that a client received is missing from the log or differs
	order                     // the log, or the events of a client, are out of order, or have a gap or a repeat
	twice                     // a tool call was handed out more than once
	unpaired                  // a call has not exactly one start and one end
	unanswerable              // an open request cannot be decided under its old id
	unkept                    // a message or result that was accepted is not in the log
	idles                     // a run has not exactly one idle
	unopened                  // the session cannot be opened, or takes no message
	unreported                // damage was not reported
	agents                    // a sub-agent has not exactly one end, or its starter did not get it
	died                      // the process died by itself
	classes                   // how many there are
)

var className = [classes]string{
	"lost", "order", "run twice", "unpaired calls", "unanswerable", "accepted, not kept", "idles wrong", "not opened", "unreported", "agents' ends wrong", "died",
}

// problem is one broken promise.
type problem struct {
	class class
	text  string
}

func (t *talk) fault(c class, format string, args ...any) {
	t.problems = append(t.problems, problem{c, t.id + ": " + fmt.Sprintf(format, args...)})
}

// check compares the log at the end with everything that was promised.
func (t *talk) check(log []told) {
	t.checkChain(log)
	for _, e := range t.ears {
		t.checkHeard(e.all(), log)
		t.checkIdles(e.all())
	}
	t.checkHanded()
	t.checkCalls(log)
	t.checkAgents(log)
	t.checkAccepted(log)
	t.checkReadBack(log)
	if t.broken && !slices.ContainsFunc(log, warns) {
		t.fault(unreported, "the log was damaged when it was opened, and no session.warning says so")
	}
}

// checkReadBack checks that the program reads its log as it is. How lines are read
// that we have damaged is its own affair.
func (t *talk) checkReadBack(log []told) {
	if t.broken || t.flipped != "" {
		return
	}
	for i, e := range t.readBack {
		if i >= len(log) || log[i].raw != e.raw {
			t.fault(lost, "the program read event %d of its log as %.200s", i+1, e.raw)
			return
		}
	}
}

func warns(e told) bool { return e.Type == "session.warning" }

// checkChain checks that each event names the one before it as its parent.
func (t *talk) checkChain(log []told) {
	seen := map[string]bool{}
	for i, e := range log {
		if seen[e.ID] {
			t.fault(order, "line %d of the log repeats the event %s", i+1, e.ID)
		}
		seen[e.ID] = true
		parent := ""
		if i > 0 {
			parent = log[i-1].ID
		}
		if e.ParentID != parent && !t.nearDamage(log, i) {
			t.fault(order, "line %d of the log, a %s, names %q as its parent, and stands behind %q", i+1, e.Type, e.ParentID, parent)
		}
	}
}

// nearDamage says whether a line, or the one before it, was changed by us.
func (t *talk) nearDamage(log []told, i int) bool {
	return t.flipped != "" && (i == t.flippedAt || i == t.flippedAt+1 || log[i].raw == t.flipped || i > 0 && log[i-1].raw == t.flipped)
}

// checkHeard checks that what a client was told while it was attached stands in
// the log to the letter, in one piece.
func (t *talk) checkHeard(events, log []told) {
	at := make(map[string]int, len(log))
	for i, e := range log {
		at[e.ID] = i
	}
	last := -1
	for _, e := range events {
		i, there := at[e.ID]
		switch {
		case e.Ephemeral:
			continue
		case t.lost[e.ID]:
			last = -1
			continue
		case !there:
			t.fault(lost, "a %s that was told is not in the log: %.200s", e.Type, e.raw)
			continue
		case log[i].raw != e.raw:
			t.fault(lost, "a %s was told as %.200s, and is in the log as %.200s", e.Type, e.raw, log[i].raw)
		case last >= 0 && i != last+1:
			t.fault(order, "after line %d of the log line %d was told, a %s", last+1, i+1, e.Type)
		}
		last = i
	}
}

// restful are the events that belong to no run.
var restful = map[wire.EventType]bool{
	"session.start": true, "session.resume": true, "session.shutdown": true, "session.warning": true, "session.info": true,
	"session.title_changed": true, "session.tools_updated": true, "session.context_changed": true, "session.model_change": true, "pending_messages.modified": true,
	"elicitation.requested": true, "elicitation.completed": true,
}

// checkIdles checks that each run that a client heard ended in one idle, and that
// nothing of it came after.
func (t *talk) checkIdles(events []told) {
	const (
		unknown = iota // the client came into it
		busy
		resting
	)
	state := unknown
	for _, e := range events {
		starts := e.Type == "user.message" && read(e).Delivery == "idle"
		switch {
		case idle(e) && state == resting:
			t.fault(idles, "a run has two idles")
		case idle(e):
			state = resting
		case starts && state == busy:
			t.fault(idles, "a run began before the one before it was idle")
		case starts:
			state = busy
		case state == resting && !restful[e.Type]:
			t.fault(idles, "a %s came after the idle", e.Type)
		}
	}
}
