package timeline

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Row is what a person reads of one event.
type Row struct {
	Kind Kind
	// Title is one line, of any length: what was done, or who. Faces cut it to the
	// width they have. Empty where Body says all.
	Title string
	// Body is text of any length, as it was said: an answer, a tool's output, a diff.
	Body string
	// Failed marks what went wrong: a tool that failed, a command whose exit code is
	// not 0, a permission that was refused.
	Failed bool
	// Of is, of a [Result], the title of its call; empty if it never began.
	Of string
	// Sources are what an answer refers to, of a [Model].
	Sources []Source
	// Call is the id of the tool call that the row is about, and Agent that of the
	// sub-agent whose doing it is; empty if there is none.
	Call, Agent string
	Time        time.Time // zero if the log does not say
	Ephemeral   bool      // told, and not in the log
}

// Source is something that an answer refers to.
type Source struct {
	Name string // one harmless line
	Host string // of its address, "" if it has none; people are shown where a link leads
}

// String is the source in one line: its name and the host of its address.
func (s Source) String() string {
	if s.Host == "" {
		return s.Name
	}
	return s.Name + "  (" + s.Host + ")"
}

// Kind is what a row means.
type Kind string

// The kinds, and what their Title and Body hold.
const (
	User       Kind = "user"       // Body: what a person wrote
	Model      Kind = "model"      // Title: the model's name; Body: what it answered, perhaps nothing
	Thinking   Kind = "thinking"   // Body: what the model thought
	Piece      Kind = "piece"      // Body: more of what is streaming now, without its line ends changed
	Tool       Kind = "tool"       // Title: what the call does, see [Title]
	Output     Kind = "output"     // Body: what a tool has printed so far
	Result     Kind = "result"     // Title: the result in short; Body: all of it, or the diff
	Asked      Kind = "asked"      // Title: what is to be permitted, see [Request]
	Answered   Kind = "answered"   // Title: how that was decided
	Question   Kind = "question"   // Title: what the model asks; Body: the choices or the plan
	Reply      Kind = "reply"      // Title: what the person answered
	Agent      Kind = "agent"      // Title: a sub-agent begins, ends or fails
	Error      Kind = "error"      // Title: the message in one line; Body: all of it
	Warning    Kind = "warning"    // Title: the message in one line; Body: all of it
	Info       Kind = "info"       // Title: the message; also what the runtime tells the model
	Intent     Kind = "intent"     // Title: what the model is at, for a status line
	Usage      Kind = "usage"      // Title: the tokens of one model call
	Compaction Kind = "compaction" // Title: how much of the conversation was summed up
	State      Kind = "state"      // Title: the session began, changed, resumed, ended
	Done       Kind = "done"       // Title: the summary of a task that is complete
	Idle       Kind = "idle"       // Title: "aborted" or nothing; the run has ended
	Other      Kind = "other"      // Title: the type of an event that has no other row
)

// Reader makes rows of the events of one session, in the order of its log. The zero
// value is ready. It is not safe for concurrent use.
type Reader struct {
	cwd   string
	calls map[string]call // by id: those that have begun and not ended
}

// call is what a completion does not say again.
type call struct {
	tool  string
	title string
}

// maxCalls bounds the calls that are remembered: logs of any length in which calls
// never end are read in bounded memory. Of more, the results lack their tool.
const maxCalls = 1000

// Cwd is the folder that the session works in, as far as the events say.
func (r *Reader) Cwd() string { return r.cwd }

// Add returns the row of the next event.
func (r *Reader) Add(e wire.Event) Row {
	d := read(e)
	row := Row{Kind: Other, Title: string(e.Type)}
	if f := readers[e.Type]; f != nil && wire.KindOf(e.Type, wire.Raw(e.Data)).Shown() {
		row = f(r, &d)
	}
	if row.Kind != Piece {
		row.Body = Harmless(row.Body)
	}
	row.Title = line(row.Title)
	row.Call, row.Agent, row.Time, row.Ephemeral = d.ToolCallID, e.AgentID, e.Time, e.Ephemeral
	return row
}

// line makes a title one harmless line.
func line(s string) string { return OneLine(s, maxTitle) }

// maxTitle bounds a title, in columns: more than any screen shows.
const maxTitle = 2000

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

// moved takes over where the session works.
func (r *Reader) moved(cwd string) {
	if cwd != "" {
		r.cwd = cwd
	}
}
