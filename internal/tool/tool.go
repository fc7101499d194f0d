// Package tool is the contract between the loop and what a model may call, and the
// built-in tools.
//
// A [Tool] describes itself with a [Definition] and runs one [Call] to a
// [Result]. The loop in package turn does the rest, the same way for each tool:
// it checks the arguments against the schema ([Schema]), asks for permission,
// records the call before it acts and its result after, and gives the result's
// text to the model. A tool never fails the run: every failure is a
// Result that the model can read.
//
// Package session makes a tool of each definition that a client sends. The built-in
// tools are here; docs/tools.md says what they promise.
//
// A built-in tool has a .go file with its name, a .md file with its description for the model,
// and a .json file with the schema of its arguments (sql, skill and task have theirs in the .go
// file, and web_fetch.md belongs to webfetch.go). To add one, add these files and a row in package
// fact, from which every list of tools in the program is made: it says what the tool does, whether a
// replay runs it, when it is offered, which rule covers it and how people see it. Then put the tool
// into one of the functions that return a group, which app/wiring/tools.go calls: [Files],
// [Search], [Shell], [WebFetch], [SQL], [AskUser], [ExitPlanMode], [TaskComplete], [ToolSearch],
// [NewSkill], [Task], [AgentTools].
//
// Tools that do not come with the program are a [Source], as clients and MCP servers (package
// mcp) are.
package tool

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
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
	// Origin is where the tool comes from, for filters such as "custom:*".
	Origin Origin
	// Server and ServerTool are the MCP server of the tool, and the tool's name there. Title is
	// its name for users. Origin MCP only.
	Server, ServerTool, Title string
	// ServerTitle is the name of the server for users, "" if none is configured. Origin MCP only.
	ServerTitle string
	// ReadOnly tools change nothing, by the word of this program or of the MCP server.
	ReadOnly bool
	// Trusted tools run without asking for permission.
	Trusted bool
	// Terminal ends the run when the tool succeeds.
	Terminal bool
	// Preloaded tools are never deferred: each request offers them.
	Preloaded bool
	// Repeatable calls only ask or read. A call that was cut off by a restart is made
	// again when the session continues.
	Repeatable bool
}

// Origin is where a tool comes from.
type Origin string

const (
	// Custom tools are defined by a client.
	Custom Origin = "custom"
	// Builtin tools come with this program.
	Builtin Origin = "builtin"
	// MCP tools are those of MCP servers.
	MCP Origin = "mcp"
)

// Call is one request of the model to run a tool.
type Call struct {
	// ID is the provider's id of the call, unique within one message only.
	ID   string
	Name string
	// AgentID is the sub-agent that makes the call; "" is the main agent.
	AgentID string
	// Arguments is one JSON object, already checked against the schema.
	Arguments json.RawMessage
	// Permitted is the request that was allowed, for a tool that is an [Asker]; nil for
	// other tools. The tool does that and nothing else: a path that now leads elsewhere
	// is an error.
	Permitted *permit.Request
	// Sandbox is the policy of the sandbox in which a command runs that was allowed; nil:
	// outside of any.
	Sandbox *sandbox.Policy
	// Tries means that a command runs without a question, in the sandbox for reading, because nobody
	// knows what it does; see [permit.Placed].
	Tries bool
	// Hook is what a hook decided about permission: "allow", "ask", or "".
	Hook string
	// Replayed is the decision of a recording, which answers a permission request where a client
	// would be asked; nil without one.
	Replayed *permit.Answer
}

// Permission is the answer to the request of a call, and where an approved command runs.
type Permission struct {
	permit.Answer
	// Sandbox is the policy of the sandbox in which a command runs; nil: outside of any.
	Sandbox *sandbox.Policy
	// MustStayInside means that a call is denied only because commands have to stay in the sandbox.
	MustStayInside bool
	// Tries is that of [permit.Placed].
	Tries bool
}

// Outcome is how a call ended, in the words of the protocol.
type Outcome string

const (
	Success  Outcome = "success"
	Failure  Outcome = "failure"  // the model reads the reason and continues
	Denied   Outcome = "denied"   // not allowed; the model reads the reason and continues
	Timeout  Outcome = "timeout"  // the tool gave up waiting; the model reads so and continues
	Rejected Outcome = "rejected" // the user said no: the run ends
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

// Result is the outcome of a call and what the model and the user see of it.
type Result struct {
	// Outcome decides what the loop does next; the zero value is an error.
	Outcome Outcome
	// Text is what the model reads.
	Text string
	// Error is the reason for the log; empty on success. It may hold what the model
	// must not see, such as the text of an exception.
	Error string
	// Detail is the result for display, when it differs from Text.
	Detail string
	// Telemetry is kept with the event, unread. A JSON object or nil.
	Telemetry map[string]any
	// Exit is how a command has ended; nil for other tools, and while the command runs. A
	// command that fails is a success of the tool that ran it.
	Exit *Exit
	// Saved is the path of the file with the whole text, if Text is only a part of it.
	Saved string
	// Sandboxed means that a command ran in a sandbox. StoppedBy is what the sandbox seems to
	// have refused if the command failed, in words for the user; the user is then asked
	// whether it may run again, outside.
	Sandboxed bool
	StoppedBy string
	// Remedy is what the user can do about an error, if that is known.
	Remedy wire.Remediation
	// Files are shown to the model with the result, if it can see them: pictures, and documents
	// that models read as a whole ([TypePDF]).
	Files []File
	// Contents are the blocks of the result of an MCP server as the server sent them, without
	// pictures; nil if it is only Text. Structured is its structured content, JSON or nil.
	Contents   []wire.ToolContent
	Structured json.RawMessage
	// Edits are the files that a built-in tool has changed.
	Edits []wire.FileEdit
	// Found are deferred tools that the call has found. They are offered from the next request on; the zero value has none.
	Found Found
	// After are persisted events that follow from the call, recorded right after its
	// completion.
	After []wire.Data
}

// Found names tools that are deferred, and says in a word how they were found.
type Found struct {
	By    string
	Names []string
}

// File is a picture or a document that a tool found.
type File struct {
	Path      string // absolute; of one that is not on a disk, a name
	MediaType string // "image/png"
	Data      []byte
}

// TypePDF is the media type of documents that models read.
const TypePDF = "application/pdf"

// Tool is something that a model can call. Run blocks until the call has ended
// or ctx has; after ctx ends it returns promptly with an [Interrupted] result.
type Tool interface {
	Definition() Definition
	Run(ctx context.Context, c Call) Result
}

// Asker is a tool whose calls need permission for their effects, such as writing a
// certain file, and not just permission to call the tool.
type Asker interface {
	Tool
	// Request says what a call would do, without doing it: it may read files, and
	// changes nothing. nil needs no permission. A result instead of a request
	// answers the call at once; it must not contain anything that needs permission.
	Request(ctx context.Context, c Call) (*permit.Request, *Result)
}

// Obedient is a tool that may be waited for without a bound once its context has ended: Run returns
// then without waiting for anything outside of this program.
type Obedient interface {
	Tool
	// Obeys reports whether that is so.
	Obeys() bool
}

// Refused lets a tool choose its result when a call is denied, where the loop's own
// words would be wrong.
type Refused interface {
	Tool
	Refused(a permit.Answer) Result
}

// The texts that a model reads instead of a result. They are facts of the
// protocol: recordings of real conversations match them to the letter.
// Source: docs/protocol.md, "Tool results and what the model gets".
const (
	TextInterrupted  = "The execution of this tool, or a previous tool was interrupted."
	TextNoPermission = "Permission denied and could not request permission from user"
)
