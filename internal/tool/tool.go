// Package tool is the contract between the loop and what a model may call.
//
// A [Tool] describes itself with a [Definition] and runs one [Call] to a
// [Result]. The loop in package turn does the rest, the same way for each tool:
// it checks the arguments against the schema ([Schema]), asks for permission,
// records the call before it acts and its result after, and gives the result's
// text to the model. A tool never fails the run: whatever goes wrong is a
// Result that the model can read.
//
// Tools come from clients, of which package session makes one for each definition
// that a client sends, and from here: [Files], [Search] and [WebFetch]. What
// those promise is in docs/tools.md. [Spill] keeps a large output out of the
// model's sight, but not out of its reach.
package tool

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Definition is a tool as the model and the filters see it.
type Definition struct {
	// Name is what the model calls, unique in a session.
	Name string
	// Description tells the model what the tool does and when to use it.
	Description string
	// Parameters is the JSON Schema of the arguments, an object schema. Empty
	// means that the tool takes none.
	Parameters json.RawMessage
	// Source is where the tool comes from, for filters such as "custom:*".
	Source Source
	// Trusted tools run without asking for permission.
	Trusted bool
	// Terminal ends the run when the tool succeeds.
	Terminal bool
	// Repeatable calls only ask or read. One that was cut off by a restart is made
	// again when the session goes on.
	Repeatable bool
}

// Source is where a tool comes from.
type Source string

const (
	// Custom tools are defined by a client.
	Custom Source = "custom"
	// Builtin tools come with this program.
	Builtin Source = "builtin"
)

// Call is one request of the model to run a tool.
type Call struct {
	// ID is the provider's id of the call, unique within one message only.
	ID   string
	Name string
	// Arguments is one JSON object, already checked against the schema.
	Arguments json.RawMessage
	// Permitted is what was allowed, of a tool that is an [Asker]; nil otherwise. The
	// tool does that and nothing else: a path that now leads elsewhere is an error.
	Permitted *permit.Request
	// Hook is what a hook decided about permission: "allow", "ask", or nothing.
	Hook string
}

// Outcome is how a call ended, in the words of the protocol.
type Outcome string

const (
	Success  Outcome = "success"
	Failure  Outcome = "failure"  // the model reads why and goes on
	Denied   Outcome = "denied"   // not allowed; the model reads why and goes on
	Timeout  Outcome = "timeout"  // the tool gave up waiting; the model reads so and goes on
	Rejected Outcome = "rejected" // a person said no: the run ends
	// Interrupted calls were cut off by an abort, a crash or a lost client;
	// whether they had an effect is not known.
	Interrupted Outcome = "interrupted"
)

// ParseOutcome returns the outcome that a client or a hook reported, otherwise if the
// protocol does not let them report that one.
func ParseOutcome(reported string, otherwise Outcome) Outcome {
	switch o := Outcome(reported); o {
	case Success, Failure, Denied, Rejected, Timeout:
		return o
	}
	return otherwise
}

// Result is what a call came to.
type Result struct {
	// Outcome decides what the loop does next; the zero value is an error.
	Outcome Outcome
	// Text is what the model reads.
	Text string
	// Error is why, for people; empty on success. It may hold what the model
	// must not see, such as the text of an exception.
	Error string
	// Detail is the result for display, when it differs from Text.
	Detail string
	// Telemetry is kept with the event, unread. A JSON object or nil.
	Telemetry map[string]any
	// Images are shown to the model after the result, if it can see.
	Images []Image
	// After are persisted events that follow from the call, recorded right after its
	// completion.
	After []wire.Data
}

// Image is a picture that a tool found.
type Image struct {
	Path      string // absolute
	MediaType string // "image/png"
	Data      []byte
}

// Tool is something that a model can call. Run blocks until the call has ended
// or ctx has; after ctx ends it returns promptly with an [Interrupted] result.
type Tool interface {
	Definition() Definition
	Run(ctx context.Context, c Call) Result
}

// Asker is a tool whose calls need permission for what they would do, not just for
// being made.
type Asker interface {
	Tool
	// Request says what a call would do, without doing it: it may read files, and
	// changes nothing. nil needs no permission. A result in place of a request
	// answers the call at once; it must not tell anything that permission is needed
	// for.
	Request(ctx context.Context, c Call) (*permit.Request, *Result)
}

// Refused is a tool that says itself what it comes to that a call was not allowed,
// where the loop's own words would be wrong.
type Refused interface {
	Tool
	Refused(a permit.Answer) Result
}

// The texts that a model reads in place of a result. They are facts of the
// protocol: recordings of real conversations match them to the letter.
// Source: docs/protocol.md, "What the model reads".
const (
	TextInterrupted  = "The execution of this tool, or a previous tool was interrupted."
	TextNoPermission = "Permission denied and could not request permission from user"
)
