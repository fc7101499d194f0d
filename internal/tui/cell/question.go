package cell

import (
	"cmp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// question is something that the user is asked, and that is not settled.
type question struct {
	title      string
	call       string // the id of the tool call that it is about, "" for none
	permission bool
}

// maxQuestions bounds the questions that are remembered.
const maxQuestions = 1000

// asks takes a question.
func (c *Conversation) asks(e follow.Event) {
	q := question{title: e.Row.Title, call: e.Row.Call, permission: e.Row.Kind == timeline.Asked}
	id := e.Get("requestId").Text()
	if r, ok := timeline.ReadRequest(e.Event); ok {
		if r.ResolvedBy {
			return // a hook has decided
		}
		q.call = cmp.Or(q.call, r.ToolCallID)
	}
	if id == "" || len(c.asked) >= maxQuestions {
		return
	}
	c.asked[id] = q
	if t := c.calls[q.call]; t != nil && e.AgentID == "" {
		t.waits = true
	}
}

// answered takes the answer to a question.
func (c *Conversation) answered(e follow.Event) {
	id := e.Get("requestId").Text()
	q, known := c.asked[id]
	if !known {
		return
	}
	delete(c.asked, id)
	if !q.permission {
		c.replied(q, e)
		return
	}
	d := decision{denied: e.Row.Failed, text: "allowed" + scope(e.Row.Title)}
	if d.denied {
		d.text = who(e.Row.Title)
		c.run.denied = e.AgentID == "" && d.text != e.Row.Title
	}
	if e.AgentID != "" || q.call == "" {
		mark, style := markDone, row.Dim
		if d.denied {
			mark, style = markFailed, row.Warning
		}
		c.queue.put(&note{mark: mark + " ", text: q.title + " · " + d.text, style: style})
		return
	}
	if t := c.calls[q.call]; t != nil {
		t.decided, t.waits = d, false
	} else if len(c.decided) < maxQuestions {
		d.title = q.title
		c.decided[q.call] = d
	}
}

// replied takes the answer to a question that is no permission request. The result of a call of
// the model says what the user has answered.
func (c *Conversation) replied(q question, e follow.Event) {
	if t := c.calls[q.call]; t != nil && e.AgentID == "" {
		t.waits = false
		return
	}
	c.queue.put(&note{mark: "? ", text: q.title + after(" → ", e.Row.Title), style: row.Plain})
}

// decision is what was decided about a call.
type decision struct {
	denied bool
	text   string // "allowed for this session"
	title  string // what was asked, if the call has not begun
}

func after(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}

// scope is how far an approval goes, from "yes, for this session".
func scope(title string) string {
	_, scope, _ := strings.Cut(title, "yes,")
	return scope
}

// who returns a denial with its author: "no" alone is the user's.
func who(title string) string {
	if title == "no" || strings.HasPrefix(title, "no:") {
		return "you said " + title
	}
	return title
}
