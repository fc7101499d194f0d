package cell

import (
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Resume takes the events of the log of a session that is opened again, without those that were
// removed from the history. The last exchange becomes final: how many messages and calls
// came before it, the last message of the user, and what followed, of a very long exchange only the
// end. If the session does not work, it ends with what was interrupted. Events that follow go to
// [Conversation.Event].
func (c *Conversation) Resume(events iter.Seq2[wire.Event, error], working bool) error {
	var reader timeline.Reader
	var last []wire.Event // the exchange
	earlier, open := 0, map[string]bool{}
	for e, err := range events {
		if err != nil {
			return err
		}
		if prompts(e) {
			earlier += c.skip(&reader, last, open)
			clear(last)
			last = last[:0]
		}
		last = append(last, e)
	}
	between := 0
	for _, e := range last {
		c.Event(read(&reader, e), e.Time)
		if len(c.queue.cells) > 2*maxResumed {
			between += c.queue.forget()
		}
	}
	if between += c.queue.forget(); between > 0 {
		c.queue.cells = slices.Insert(c.queue.cells, min(1, len(c.queue.cells)), cell(c.before(between)))
	}
	c.resumed(earlier, working)
	return nil
}

// maxResumed is how many cells of an exchange are shown when a session is opened: more than a user
// reads in the scrollback, and few enough to be laid out at once.
const maxResumed = 200

// forget removes the oldest finished cells between the first one and the last maxResumed ones, and
// returns how many messages and calls those were.
func (q *queue) forget() (n int) {
	excess := len(q.cells) - 1 - maxResumed
	if excess <= 0 {
		return 0
	}
	kept := q.cells[:1]
	for i, c := range q.cells[1:] {
		if i >= excess || !c.done() {
			kept = append(kept, c)
			continue
		}
		switch c.(type) {
		case *prompt, *answer, *call:
			n++
		}
	}
	clear(q.cells[len(kept):])
	q.cells = kept
	return n
}

// before says how many messages and calls are not shown.
func (c *Conversation) before(n int) *note {
	text := timeline.Count(int64(n)) + " earlier messages and calls" + c.options.hint(" (%s shows them)", keymap.Output)
	if n == 1 {
		text = "1 earlier message or call" + c.options.hint(" (%s shows it)", keymap.Output)
	}
	return &note{text: text, style: row.Dim, loose: true}
}

// prompts reports whether an event is a message that the user has written.
func prompts(e wire.Event) bool {
	if e.Type != "user.message" || e.AgentID != "" {
		return false
	}
	d := wire.Raw(e.Data)
	source := d.Get("source").Text()
	return (source == "" || source == "user") && !d.Get("isAutopilotContinuation").True()
}

// skip takes over from earlier events what later ones depend on, and returns how many messages and
// calls those are. It decodes few of them, so that a long session opens quickly. open is the ids of
// the calls that have begun.
func (c *Conversation) skip(r *timeline.Reader, list []wire.Event, open map[string]bool) (n int) {
	for _, e := range list {
		if e.AgentID != "" {
			continue
		}
		d := wire.Raw(e.Data)
		switch e.Type {
		case "user.message":
			n++
			c.earlier[e.ID] = c.count
		case "assistant.message":
			if d.Get("content").Text() != "" {
				n++
			}
		case "tool.execution_start", "tool.user_requested":
			if id := d.Get("toolCallId").Text(); !open[id] && !hidden(d.Get("toolName").Text()) {
				open[id] = true
				c.count++
				n++
			}
		case "tool.execution_complete":
			delete(open, d.Get("toolCallId").Text())
		case "session.start", "session.resume", "session.context_changed", "session.model_change", "session.mode_changed":
			c.Event(read(r, e), e.Time)
			c.queue = queue{}
		}
	}
	return n
}

// resumed adds how much came before, and ends what an earlier process has left open.
func (c *Conversation) resumed(earlier int, working bool) {
	if earlier > 0 {
		c.queue.cells = slices.Insert(c.queue.cells, 0, cell(c.before(earlier)))
	}
	if working {
		return
	}
	open := c.run.turning || c.run.owes && !c.run.denied || len(c.calls)+len(c.agents)+len(c.asked) > 0
	c.finish()
	for id, t := range c.calls {
		t.result, t.ended = &timeline.Row{Kind: timeline.Result, Failed: true, Title: timeline.Interrupted}, t.began
		delete(c.calls, id)
	}
	clear(c.agents)
	clear(c.asked)
	clear(c.decided)
	if n := len(c.jobs); n > 0 {
		c.Note(plural(n, "command") + " ran in the background; /tasks shows what still runs")
	}
	c.jobs = nil
	c.run = run{model: c.run.model, mode: c.run.mode, folder: c.run.folder}
	if open {
		c.queue.put(warning("This run was interrupted."))
	}
}
