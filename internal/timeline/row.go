package timeline

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Row is what a person reads of one event.
type Row struct {
	Kind Kind
	// Title is one line of any length: the action, or its author. Faces cut it to
	// their width. It is empty where Body holds everything.
	Title string
	// Body is text of any length: an answer, the output of a tool, a diff.
	Body string
	// Failed marks a failure: a tool that failed, a command whose exit code is not 0, a
	// permission that was denied.
	Failed bool
	// Of is the title of the call that a [Result] belongs to; empty if that never began. For an
	// [Agent] row it is the name of the sub-agent.
	Of string
	// Tool is the name of the tool, for [Tool] and [Result] rows; empty if it is not known.
	Tool string
	// Exit is the exit code of a command that has ended with the [Result]; nil for other rows.
	Exit *int
	// Diff means that the Body of a [Result] is a unified diff.
	Diff bool
	// Shell is the id of the shell whose command goes on after the [Result] (Running), or has
	// ended with it; empty for other results.
	Shell   string
	Running bool
	// From is who wrote the message of a [User] row, such as "schedule"; empty for the user.
	// Attached are the names of what is attached to it.
	From     string
	Attached []string
	// Sandboxed marks the result of a command that ran in a sandbox. Stopped means that the
	// sandbox seems to be the reason of its failure, which Title says.
	Sandboxed, Stopped bool
	// Sources are the references of an answer, for a [Model] row.
	Sources []Source
	// Call is the id of the tool call that the row is about, and Agent the id of the
	// sub-agent that caused it; empty if there is none.
	Call, Agent string
	Time        time.Time // zero if the log does not say
	Ephemeral   bool      // sent, but not stored in the log
}

// Source is a reference of an answer.
type Source struct {
	Name string // one harmless line
	Host string // of its address, so that the user sees where a link leads; "" if it has none
}

// String is the source in one line: its name and the host of its address.
func (s Source) String() string {
	if s.Host == "" {
		return s.Name
	}
	return s.Name + "  (" + s.Host + ")"
}

// Kind is the meaning of a row.
type Kind string

// The kinds, and what their Title and Body hold.
const (
	User       Kind = "user"       // Body: the message of the user
	Model      Kind = "model"      // Title: the model's name; Body: what it answered, perhaps nothing
	Thinking   Kind = "thinking"   // Body: what the model thought
	Piece      Kind = "piece"      // Body: more of what is streaming now, without its line ends changed
	Tool       Kind = "tool"       // Title: what the call does, see [Title]; Body: the whole command, if Title shows less
	Output     Kind = "output"     // Body: what a tool has printed so far
	Result     Kind = "result"     // Title: the result in short; Body: all of it, or the diff
	Asked      Kind = "asked"      // Title: the request, see [Request]
	Answered   Kind = "answered"   // Title: the decision
	Question   Kind = "question"   // Title: what the model asks; Body: the choices or the plan
	Reply      Kind = "reply"      // Title: the answer of the user
	Agent      Kind = "agent"      // Title: a sub-agent begins, ends or fails
	Error      Kind = "error"      // Title: the message in one line; Body: all of it
	Warning    Kind = "warning"    // Title: the message in one line; Body: all of it
	Info       Kind = "info"       // Title: the message; also what the runtime tells the model
	Intent     Kind = "intent"     // Title: what the model is doing, for a status line
	Usage      Kind = "usage"      // Title: the tokens of one model call
	Compaction Kind = "compaction" // Title: how much of the conversation was summarized
	State      Kind = "state"      // Title: the session began, changed, resumed, ended
	Done       Kind = "done"       // Title: the summary of a task that is complete
	Idle       Kind = "idle"       // Title: "aborted" or nothing; the run has ended
	Other      Kind = "other"      // Title: the type of an event that has no other row
)

// Reader makes rows of the events of one session, in the order of its log. The zero
// value is ready. It is not safe for concurrent use.
type Reader struct {
	cwd   string
	calls map[string]call   // those that have begun and not ended, by agent and id
	names map[string]string // of sub-agents, by their id
}

// call is what the completion of a call does not repeat.
type call struct {
	tool  string
	title string
	shell string // the id of a shell in the arguments
}

// maxCalls bounds the open calls that are remembered, so that a log whose calls never end
// is read in bounded memory. The results of further calls lack their tool.
const maxCalls = 1000

// Cwd is the working directory of the session, "" if no event has named it.
func (r *Reader) Cwd() string { return r.cwd }

// Add returns the row of the next event.
func (r *Reader) Add(e wire.Event) Row {
	d := read(e)
	d.agent = e.AgentID
	row := Row{Kind: Other, Title: string(e.Type)}
	if f := readers.Get()[e.Type]; f != nil && wire.KindOf(e.Type, wire.Raw(e.Data)).Shown() {
		row = f(r, &d)
	}
	if row.Kind != Piece {
		row.Body = Harmless(row.Body)
	}
	row.Title = line(row.Title)
	row.Call, row.Agent, row.Time, row.Ephemeral = d.ToolCallID, e.AgentID, e.Time, e.Ephemeral
	return row
}

// line is a title as one harmless line.
func line(s string) string { return OneLine(s, maxTitle) }

// exposedLine is [line] for text as in [Exposed].
func exposedLine(s string) string { return ExposedLine(s, maxTitle) }

// maxTitle bounds a title, in columns: more than any screen shows.
const maxTitle = 2000

// name remembers the name of a sub-agent, in the same bounds as calls.
func (r *Reader) name(d *details) {
	if r.names == nil {
		r.names = map[string]string{}
	}
	if len(r.names) < maxCalls && d.Task.Name != "" {
		r.names[d.agent] = d.Task.Name
	}
}

// call is the key of a call: agents number theirs anew.
func (d *details) call() string { return d.agent + "\x00" + d.ToolCallID }

// begin remembers a call.
func (r *Reader) begin(id string, c call) {
	if r.calls == nil {
		r.calls = map[string]call{}
	}
	if len(r.calls) < maxCalls {
		r.calls[id] = c
	}
}

// end forgets a call and returns what it was.
func (r *Reader) end(id string) call {
	c := r.calls[id]
	delete(r.calls, id)
	return c
}

// moved sets the working directory.
func (r *Reader) moved(cwd string) {
	if cwd != "" {
		r.cwd = cwd
	}
}
