package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// This file has what the model does not read of a conversation, because it does not fit into the model's
// window: messages that the provider has refused, and what a request leaves out. The log keeps all of it.

const (
	// refusedBytes is how much of a message that was too long later requests have.
	refusedBytes = 1 << 10
	// freshResults is how many of the last messages with tool calls keep their results at first.
	freshResults = 4
)

// Results are cut to the first of these numbers of bytes; if the request does not fit, to the next one.
var cutResults = [...]int{16 << 10, 8 << 10, 4 << 10, 2 << 10, 1 << 10, 512}

// refuse marks the last message if the run has failed because the request was too long for the model. What the run
// has left out in vain is read again: otherwise one message that is too long would take all before it away.
func (t *Thread) refuse(data wire.Raw) {
	if data.Get("errorType").Text() != model.CategoryContextLimit {
		return
	}
	t.LeftOut = t.answeredWithout
	last := len(t.Messages) - 1
	if last < 0 || !t.Messages[last].FromUser || t.Messages[last].Earlier != nil {
		return
	}
	t.Messages = slices.Clone(t.Messages) // copies of the thread may be in use
	t.Messages[last].TooLong = true
}

// accept notes that a model has answered what was left of the conversation, and so the last message, after all.
func (t *Thread) accept() {
	t.answeredWithout = t.LeftOut
	if last := len(t.Messages) - 1; last >= 0 && t.Messages[last].TooLong {
		t.Messages = slices.Clone(t.Messages)
		t.Messages[last].TooLong = false
	}
}

// following is the message as a request has it that has these messages after it. A message that was too long
// is not sent in full with the next one of the user, and not at all if that repeats it: otherwise each
// refused message would make the next request longer.
func (m *Message) following(after []Message) *Message {
	next := slices.IndexFunc(after, func(n Message) bool { return n.FromUser && n.Typed != "" })
	if !m.TooLong || next < 0 {
		return m
	}
	short := *m
	short.Parts = nil
	if after[next].Typed == m.Typed {
		short.Cleared = true
		return &short
	}
	short.Text = prompt.Middle(m.Text, refusedBytes)
	short.Typed = within(short.Text, prompt.Middle(m.Typed, refusedBytes))
	if short.Text != m.Text || m.Parts != nil {
		short.Text += "\n<reminder>The provider has refused this message as too long. You read only a part of it.</reminder>"
	}
	return &short
}

// leaveOut applies a session.warning that says what the model no longer reads.
func (t *Thread) leaveOut(_ *State, data wire.Raw) {
	if data.Get("warningType").Text() != wire.WarningLeftOut {
		return
	}
	var l wire.LeftOut
	if json.Unmarshal(data.Get(wire.FieldLeftOut), &l) == nil {
		t.LeftOut = l
	}
}

// Without returns the messages as the model reads them if l is left out, and how many messages and how many
// results of tools are missing. Where messages are missing, the next message of the user says so, or the one before.
func Without(messages []Message, l wire.LeftOut) (out []Message, missing, results int) {
	out = make([]Message, 0, len(messages))
	gap := 0
	for i := range messages {
		if slices.ContainsFunc(l.Spans, func(s [2]int) bool { return s[0] <= i && i < s[1] }) {
			gap++
			missing++
			continue
		}
		m := messages[i]
		if i < l.Noted {
			results += m.shortenCalls(func(c *Call) string { return prompt.Removed(c.ToolCall, c.Result, c.Exit) })
		} else if i < l.Cut {
			results += m.shortenCalls(func(c *Call) string { return prompt.Middle(c.Result, l.Bytes) })
		}
		if gap > 0 {
			reminder := fmt.Sprintf("<reminder>%d earlier messages are left out here, because they do not fit into your context window.</reminder>", gap)
			switch last := len(out) - 1; {
			case m.FromUser:
				m.remind(reminder, true)
			case last >= 0 && out[last].FromUser:
				out[last].remind(reminder, false)
			}
			gap = 0
		}
		out = append(out, m)
	}
	return out, missing, results
}

// remind adds a reminder to a message of the user.
func (m *Message) remind(text string, before bool) {
	at := len(m.Parts)
	if before {
		m.Text, at = text+"\n"+m.Text, 0
	} else {
		m.Text += "\n" + text
	}
	if m.Parts != nil {
		m.Parts = slices.Insert(slices.Clone(m.Parts), at, model.Part{Text: text})
	}
}

// shortenCalls replaces the results of a copy of a message by what short returns, and leaves out pictures
// with them. It returns how many have changed.
func (m *Message) shortenCalls(short func(c *Call) string) (changed int) {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		c := &m.Calls[i]
		if text := short(c); c.Done && (text != c.Result || c.Files != nil) {
			c.Result, c.Files = text, nil
			changed++
		}
	}
	return changed
}

// LeaveOut chooses what a request leaves out until it fits: the results of earlier tool calls, then the
// oldest messages of the user with all that follows them, a summary last, then the oldest calls after the last message
// of the user, and at last the middle of the newest results. The last message of the user stays whole. ok is
// false if even that does not fit. fits is called at most some thirty times for a thousand messages, and two more times
// whenever their number doubles.
func LeaveOut(messages []Message, fits func(wire.LeftOut) bool) (l wire.LeftOut, ok bool) {
	newest := Newest(messages)
	calls := newest // the last message with calls, whose results the model waits for
	for i := len(messages) - 1; i > newest; i-- {
		if len(messages[i].Calls) > 0 {
			calls = i
			break
		}
	}
	for _, noted := range []int{fresh(messages, calls), calls} {
		if l.Noted = noted; fits(l) {
			return l, true
		}
	}
	first := 0
	if newest > 0 && messages[0].Earlier != nil { // the summary
		first = 1
	}
	with := func(spans ...[2]int) wire.LeftOut { n := l; n.Spans = spans; return n }
	if l, ok := shortest(ends(messages, first, newest), func(end int) wire.LeftOut { return with([2]int{first, end}) }, fits); ok {
		return l, true
	}
	if newest > 0 {
		if l = with([2]int{0, newest}); fits(l) {
			return l, true
		}
	}
	var steps []int
	for i := newest + 2; i <= calls; i++ {
		if !messages[i].FromUser {
			steps = append(steps, i)
		}
	}
	before := l.Spans
	within := func(end int) wire.LeftOut {
		return with(append(slices.Clone(before), [2]int{newest + 1, end})...)
	}
	if l, ok := shortest(steps, within, fits); ok {
		return l, true
	}
	if len(steps) > 0 {
		l = within(steps[len(steps)-1])
	}
	for _, l.Bytes = range cutResults {
		if l.Cut = len(messages); fits(l) {
			return l, true
		}
	}
	return l, false
}

// shortest returns the first of what is left out up to one of the ends that fits; ok is false if none does.
func shortest(ends []int, out func(end int) wire.LeftOut, fits func(wire.LeftOut) bool) (l wire.LeftOut, ok bool) {
	i := sort.Search(len(ends), func(i int) bool { return fits(out(ends[i])) })
	if i == len(ends) {
		return l, false
	}
	return out(ends[i]), true
}

// Newest returns the index of the last message that a user wrote, or, if there is none, of the last one that is
// not from the model; 0 if there is none.
func Newest(messages []Message) (at int) {
	for i := len(messages) - 1; i >= 0; i-- {
		switch {
		case messages[i].FromUser && messages[i].Typed != "":
			return i
		case messages[i].FromUser && at == 0:
			at = i
		}
	}
	return at
}

// fresh returns the index of the first of the last freshResults messages with calls, up to and including end; 0 if
// there are not so many.
func fresh(messages []Message, end int) int {
	n := 0
	for i := min(end, len(messages)-1); i >= 0; i-- {
		if len(messages[i].Calls) == 0 {
			continue
		}
		if n++; n == freshResults {
			return i
		}
	}
	return 0
}

// ends are the indexes after first, up to newest, at which messages of users begin.
func ends(messages []Message, first, newest int) (out []int) {
	for i := first + 1; i <= newest; i++ {
		if messages[i].FromUser && (messages[i].Typed != "" || i == newest) {
			out = append(out, i)
		}
	}
	return out
}
