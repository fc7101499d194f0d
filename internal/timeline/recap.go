package timeline

import (
	"iter"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Recap is where a conversation stands: its last exchange, and what was interrupted. A user
// interface shows it when a session is resumed. It is fed the events of the log in their order;
// the zero value is ready. It keeps one exchange and no more.
type Recap struct {
	// Earlier counts the messages of the user before the last one.
	Earlier int
	// Asked is the last message of the user. Its Kind is "" if there is none.
	Asked Row
	// Answer is the last text of the model since. Its Kind is "" if there is none.
	Answer Row
	// Calls counts the tool calls of the main agent since.
	Calls int

	reader Reader
	open   map[string]string // calls and questions that have no end, by id, with their titles
	order  []string          // their ids, the oldest first
	turn   bool              // the model is answering
	silent bool              // the turn has brought neither text nor a call
	cut    string            // what was cut off, see Interrupted
}

// ReadRecap reads the events of a log. Lines that are no events are left out.
func ReadRecap[T ~[]byte](log iter.Seq2[T, error]) (*Recap, error) {
	r := &Recap{}
	for line, err := range log {
		if err != nil {
			return nil, err
		}
		if e, err := wire.ParseEvent([]byte(line)); err == nil {
			r.Add(e)
		}
	}
	return r, nil
}

// maxOpen bounds the calls and questions of one exchange that are remembered.
const maxOpen = 100

// Add takes the next event.
func (r *Recap) Add(e wire.Event) {
	row := r.reader.Add(e)
	if e.AgentID != "" {
		return
	}
	data := wire.Raw(e.Data)
	switch e.Type {
	case "user.message":
		if data.Get("source").Text() == "" && !data.Get("isAutopilotContinuation").True() {
			r.ask(row)
		}
	case "assistant.turn_start":
		r.turn, r.silent, r.cut = true, true, ""
	case "assistant.turn_end":
		if r.turn && r.silent {
			r.cut = answering
		}
		r.turn = false
	case "assistant.message", "session.task_complete":
		r.silent = false
		if row.Body != "" {
			r.Answer, r.cut = row, ""
		}
	case "tool.execution_start":
		r.Calls, r.silent = r.Calls+1, false
		r.opens(row.Call, row.Title)
	case "tool.execution_complete":
		r.completes(row, data)
	case "permission.requested", "user_input.requested", "elicitation.requested", "exit_plan_mode.requested":
		r.opens("?"+data.Get("requestId").Text(), "a question, which is asked again"+after(": ", row.Title))
	case "permission.completed", "user_input.completed", "elicitation.completed", "exit_plan_mode.completed":
		r.closes("?" + data.Get("requestId").Text())
	case "abort":
		r.cut, r.silent = "you stopped it", false
		if row.Body != "" {
			r.Answer = row
		}
	case "session.error":
		r.cut, r.silent = "it failed: "+row.Title, false
	}
}

const answering = "the model was answering"

// ask begins an exchange.
func (r *Recap) ask(row Row) {
	if r.Asked.Kind != "" {
		r.Earlier++
	}
	r.Asked, r.Answer, r.Calls, r.cut = row, Row{}, 0, ""
	r.open, r.order, r.turn = nil, nil, false
}

func (r *Recap) opens(id, title string) {
	if r.open == nil {
		r.open = map[string]string{}
	}
	if len(r.open) < maxOpen && id != "" {
		r.open[id] = title
		r.order = append(r.order, id)
	}
}

func (r *Recap) closes(id string) { delete(r.open, id) }

// completes takes the end of a tool call. The session that resumes ends the calls that a process
// left open; these were cut off.
func (r *Recap) completes(row Row, data wire.Raw) {
	if title, ok := r.open[row.Call]; ok && data.Get("error").Get("code").Text() == codeInterrupted && r.cut == "" {
		r.cut = title
	}
	r.closes(row.Call)
}

// codeInterrupted is the error code of a call that was cut off; tool.Interrupted.
const codeInterrupted = "interrupted"

// Interrupted says in one line what was interrupted: the title of a tool call or a question, that
// the model was answering, that the user stopped it, or why it failed. It is "" if the last message
// was answered. After Recap has got the events of a session that is open, the run may be under way
// in this process; then nothing was interrupted, and the caller knows it.
func (r *Recap) Interrupted() string {
	switch {
	case r.Asked.Kind == "":
		return ""
	case r.cut != "":
		return r.cut
	}
	for _, id := range r.order {
		if title, ok := r.open[id]; ok {
			return title
		}
	}
	if r.turn || r.Answer.Kind == "" && r.Calls == 0 {
		return answering
	}
	return ""
}
