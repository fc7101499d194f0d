package session_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// inspect checks the events that one client received: the persisted ones are in the log,
// and each run that it saw begin ended in one session.idle.
func (a *automaton) inspect(s *seat) {
	a.t.Helper()
	stored := map[string]bool{}
	for _, e := range a.stored("s1") {
		stored[e.ID] = true
	}
	running, known := false, false
	for _, e := range s.rest() {
		if !e.Ephemeral && !stored[e.ID] {
			a.t.Errorf("a client was told of a %s that is not in the log", e.Type)
		}
		switch e.Type {
		case "user.message":
			if field(e, "delivery") == "idle" {
				if running && !a.hooked {
					a.t.Errorf("a message found the session idle before its idle was told:\n%s", types(s.told))
				}
				running, known = true, true
			}
		case "session.info": // of a message that hooks are to see first
			if field(e, "infoType") == "message_queued" {
				running, known = true, true
			}
		case "assistant.turn_start":
			if field(e, "purpose") == "compaction" {
				continue
			}
			if known && !running {
				a.t.Errorf("a turn began after the idle:\n%s", types(s.told))
			}
			running = true
		case "session.idle":
			if known && !running {
				a.t.Errorf("two idles for one run:\n%s", types(s.told))
			}
			running, known = false, true
		}
	}
}

// whole checks a log in which no run is active any more.
func (a *automaton) whole(log []wire.Event) {
	a.t.Helper()
	checkChain(a.t, log)
	c := logCount{t: a.t, messages: map[string]int{}, calls: map[string]int{}, questions: map[string]int{}}
	for _, e := range log {
		c.message(e, a.accepted)
		c.call(e)
		c.turn(e)
	}
	for id, n := range c.calls {
		if n != 0 {
			a.t.Errorf("call %s has %d completions too few", id, n)
		}
	}
	for id, n := range c.questions {
		if n != 0 {
			a.t.Errorf("question %s has %d answers too few", id, n)
		}
	}
	if c.open != 0 {
		a.t.Errorf("%d turns have no end", c.open)
	}
	for _, id := range a.accepted {
		if n := c.messages[id]; n != 1 {
			a.t.Errorf("message %s was accepted, and %d events account for it", id, n)
		}
	}
}

// logCount counts what must be balanced in a whole log.
type logCount struct {
	t         *testing.T
	messages  map[string]int // how many events account for a message: it was read or dropped
	queued    []string       // the messages that were queued
	calls     map[string]int // starts minus completions of a tool call
	questions map[string]int // requests minus answers
	begun     int            // turns
	open      int            // turns without an end
}

// message counts an event that accounts for an accepted message.
func (c *logCount) message(e wire.Event, accepted []string) {
	switch e.Type {
	case "user.message":
		c.messages[field(e, "messageId")]++
	case "session.info":
		c.queued = append(c.queued, field(e, "queued", "messageId"))
		if field(e, "infoType") != "messages_dropped" {
			return
		}
		for _, id := range accepted {
			if strings.Contains(string(e.Data), id) {
				c.messages[id]++
			}
		}
	case "abort": // drops the queue
		for _, id := range c.queued {
			c.messages[id] = max(c.messages[id], 1)
		}
	}
}

// call counts the begin and the end of a tool call or of a question.
func (c *logCount) call(e wire.Event) {
	c.t.Helper()
	switch e.Type {
	case "tool.execution_start", "tool.user_requested":
		c.calls[field(e, "toolCallId")]++
	case "tool.execution_complete":
		if c.calls[field(e, "toolCallId")]--; c.calls[field(e, "toolCallId")] < 0 {
			c.t.Errorf("a completion without a start: %s", e.Data)
		}
	case "permission.requested":
		c.questions[field(e, "requestId")]++
	case "permission.completed":
		c.questions[field(e, "requestId")]--
	}
}

func (c *logCount) turn(e wire.Event) {
	c.t.Helper()
	switch e.Type {
	case "assistant.turn_start":
		if id := field(e, "turnId"); id != strconv.Itoa(c.begun) {
			c.t.Errorf("turn %d has the id %s", c.begun, id)
		}
		c.begun++
		c.open++
	case "assistant.turn_end":
		c.open--
	}
}
