package cell

import (
	"cmp"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// growing is what the main agent writes now.
type growing struct {
	answer  answering
	thought reasoning
	thinks  string // id of the last reasoning that was shown
}

// take takes an event, after the text that it holds.
func (c *Conversation) take(e follow.Event) {
	c.usage.learn(e)
	if e.AgentID != "" {
		c.ofAgent(e)
		return
	}
	c.run.waits(e, c.now)
	c.run.learn(c, e)
	switch e.Type {
	case wire.ReasoningDelta:
		c.think(e.Get("reasoningId").Text(), e.Get("deltaContent").Text())
	case "session.error":
		c.failure(cmp.Or(e.Explained, e.Get("message").Text()))
	case "session.idle":
		c.idle(e.Row.Failed)
	case "session.info":
		switch e.Get("infoType").Text() {
		case wire.InfoCommandEnded:
			c.jobEnds(e)
		case wire.InfoHistoryTruncated:
			c.rewound(e.Get(wire.FieldTruncated).Get("eventId").Text())
		}
		c.row(e)
	case "assistant.turn_retry":
		c.finish() // what follows is another answer
		c.row(e)
	case "user.message":
		c.earlier[e.ID] = c.count
		c.row(e)
	default:
		c.row(e)
	}
}

// rewound numbers the next call as one that follows the event of a message that was removed from the
// history with everything after it, because the calls of the session are counted without those.
func (c *Conversation) rewound(to string) {
	if n, ok := c.earlier[to]; ok {
		c.count = n
	}
}

// row takes the row of an event.
func (c *Conversation) row(e follow.Event) {
	r := e.Row
	switch r.Kind {
	case timeline.User:
		c.finish()
		c.queue.put(&prompt{text: r.Body, from: r.From, attached: r.Attached, whole: c.whole, all: c.options.showsAll()})
	case timeline.Thinking:
		c.thinking(e.Get("reasoningId").Text(), r.Body)
	case timeline.Model:
		c.endThought()
		if c.growing.answer == nil && len(r.Sources) > 0 {
			c.text("", true)
		}
		c.endAnswer(r.Sources)
	case timeline.Done:
		c.finish()
	case timeline.Tool:
		c.starts(e)
	case timeline.Output:
		if t := c.calls[r.Call]; t != nil {
			t.output.add(unbarred(timeline.Harmless(r.Body)))
		}
	case timeline.Result:
		c.completes(e)
	case timeline.Asked, timeline.Question:
		c.asks(e)
	case timeline.Answered, timeline.Reply:
		c.answered(e)
	case timeline.Agent:
		c.agentRow(e)
	case timeline.Compaction, timeline.Warning, timeline.Info, timeline.State:
		c.notice(e)
	}
}

// text adds a piece of an answer.
func (c *Conversation) text(piece string, begins bool) {
	c.endThought()
	if begins || c.growing.answer == nil {
		c.endAnswer(nil)
		c.growing.answer = &answer{}
		if c.whole {
			c.growing.answer = &written{}
		}
		c.queue.put(c.growing.answer)
	}
	c.growing.answer.write(piece)
}

// endAnswer ends the answer that streams.
func (c *Conversation) endAnswer(sources []timeline.Source) {
	if a := c.growing.answer; a != nil {
		a.end(sources)
		c.growing.answer = nil
	}
}

// finish ends everything that the model was writing.
func (c *Conversation) finish() {
	c.endThought()
	c.endAnswer(nil)
}

// reasoning is a [thought] or an [openThought].
type reasoning interface {
	cell
	add(piece string)
	at(now time.Time)
	end()
}

// reasons begins the reasoning of an id.
func (c *Conversation) reasons(id string) {
	c.finish()
	c.growing.thought, c.growing.thinks = &thought{began: c.now, whole: c.whole}, id
	switch {
	case c.whole:
	case c.options.Reasoning == "hidden":
		return
	case c.options.Reasoning == "full":
		c.growing.thought = &openThought{}
	}
	c.queue.put(c.growing.thought)
}

// think adds a piece of the reasoning.
func (c *Conversation) think(id, piece string) {
	if c.growing.thought == nil || c.growing.thinks != id {
		if piece = strings.TrimLeft(piece, " \n"); piece == "" {
			return
		}
		c.reasons(id)
	}
	c.growing.thought.add(piece)
	c.growing.thought.at(c.now)
}

func (c *Conversation) endThought() {
	if t := c.growing.thought; t != nil {
		t.end()
		c.growing.thought = nil
	}
}

// thinking takes complete reasoning, which has streamed or not.
func (c *Conversation) thinking(id, text string) {
	c.endThought()
	if text = strings.TrimSpace(text); text == "" || id != "" && id == c.growing.thinks {
		return
	}
	c.reasons(id)
	c.growing.thought.add(text)
	c.endThought()
}

// ShowReasoning says how reasoning from now on is shown, as in [Options].
func (c *Conversation) ShowReasoning(how string) { c.options.Reasoning = how }

// at is the time of an event.
func (c *Conversation) at(e follow.Event) time.Time {
	if e.Time.IsZero() {
		return c.now
	}
	return e.Time
}

// hidden are the tools whose calls are shown in another way.
func hidden(tool string) bool {
	does := fact.Of(tool).Does
	return does == fact.Intent || does == fact.Done
}

// starts takes the beginning of a tool call.
func (c *Conversation) starts(e follow.Event) {
	c.finish()
	if c.calls[e.Row.Call] != nil {
		return
	}
	t := &call{
		tool: e.Row.Tool, title: cmp.Or(e.Row.Title, "a tool"), command: e.Row.Body, began: c.at(e), whole: c.whole, all: c.options.showsAll(),
		decided: c.decided[e.Row.Call], typed: e.Type == "tool.user_requested",
	}
	delete(c.decided, e.Row.Call)
	c.calls[e.Row.Call] = t
	if hidden(t.tool) {
		return
	}
	c.count++
	if !t.typed {
		c.run.calls++
	}
	t.number = c.count
	c.queue.add(t)
}

// completes takes the result of a tool call.
func (c *Conversation) completes(e follow.Event) {
	r := e.Row
	t := c.calls[r.Call]
	if t == nil { // it was denied, or its start is not in the log
		if d := c.decided[r.Call]; d.denied {
			c.queue.put(&note{mark: markFailed + " ", text: d.title + " · " + d.text, style: row.Warning})
		} else if r.Failed {
			c.queue.put(&note{mark: markFailed + " ", text: cmp.Or(r.Title, "a tool call failed"), style: row.Failure})
		}
		delete(c.decided, r.Call)
		return
	}
	delete(c.calls, r.Call)
	t.result, t.ended, t.output = &r, c.at(e), output{}
	if t.agent != nil {
		t.spent, t.apart = t.agent.spent(), !t.agent.ended
		if t.apart {
			t.agent = nil // it has a row of its own from now on
		}
	}
	c.job(t)
	if t.typed {
		c.run.owes = false
	}
	if t.number == 0 && r.Failed {
		c.queue.put(&note{mark: markFailed + " ", text: t.title + " · " + r.Title, style: row.Failure})
	}
	c.queue.ended()
}

// live is the rows of everything that grows.
func (c *Conversation) live(s scene) []row.Row {
	rows := c.queue.live(s)
	below := append(c.background(s), c.jobRows(s)...)
	if len(rows) > 0 && len(below) > 0 {
		rows = append(rows, nil)
	}
	return append(rows, below...)
}
