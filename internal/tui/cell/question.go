package cell

import (
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// question is something that the user is asked, and that is not settled.
type question struct {
	title      string
	call       string // the id of the tool call that it is about, "" for none
	agent      string
	permission bool
	hook       bool // a hook has decided it
}

// maxQuestions bounds the questions that are remembered.
const maxQuestions = 1000

// asks takes a question.
func (c *Conversation) asks(e follow.Event) {
	id := e.Get("requestId").Text()
	if id == "" || len(c.asked) >= maxQuestions {
		return
	}
	c.asked[id] = question{
		title: e.Row.Title, call: e.Row.Call, agent: e.AgentID, permission: e.Row.Kind == timeline.Asked, hook: e.Get("resolvedByHook").True(),
	}
	if t := c.calls[e.Row.Call]; t != nil && e.AgentID == "" {
		t.waits = true
	}
}

// answered takes the answer to a question.
func (c *Conversation) answered(e follow.Event) {
	id := e.Get("requestId").Text()
	q, known := c.asked[id]
	delete(c.asked, id)
	t := c.calls[q.call]
	if t != nil && e.AgentID == "" {
		t.waits = false
	}
	switch {
	case !known:
		return
	case !q.permission && t != nil:
		return // the row of the call has the answer
	case !q.permission:
		c.queue.put(&note{mark: "? ", text: q.title + " → " + e.Row.Title, style: row.Plain})
	case e.Row.Failed:
		c.run.denied = true
		if len(c.decided) < maxQuestions && t == nil {
			c.decided[q.call] = "denied"
		}
		c.queue.put(&note{mark: markFailed + " ", text: q.title + " · " + who(e.Row.Title), style: row.Warning})
	case e.AgentID != "":
		c.queue.put(&note{mark: markDone + " ", text: q.title + " · allowed" + scope(e.Row.Title), style: row.Dim})
	case t != nil:
		t.allowed = "allowed" + scope(e.Row.Title)
	case len(c.decided) < maxQuestions:
		c.decided[q.call] = "allowed" + scope(e.Row.Title)
	}
}

// scope is how far an approval goes, from "yes, for this session".
func scope(title string) string {
	if len(title) > 3 && title[:3] == "yes" {
		return title[3:]
	}
	return ""
}

// who is the decision of a denial: "no" is the user's.
func who(title string) string {
	if title == "no" || len(title) > 3 && title[:3] == "no:" {
		return "you said " + title
	}
	return title
}
