// Package fact says once what the program knows of each tool by its name: what it does, whether a recording answers
// it, when it is offered, which rule allows it, and how people see its calls.
//
// Packages of every layer need one of these facts, and most of them may not import package tool. They ask [Of] for the
// row of a name, or make their list from [All]. A built-in tool without a row cannot be defined, and tests fail for a
// row in which [Tool.Does] or [Tool.Taping] is not said.
//
// A client may bring a tool with the name of a built-in one. Whether that makes a difference is decided by the
// packages that ask, because they know where the tool comes from.
package fact

// Tool is what the program knows of a tool. The caller does not modify its slices.
type Tool struct {
	// Name is what the model calls.
	Name string
	// Windows is the name of the same tool in sessions of the Copilot CLI on Windows; "" if it is the same, or
	// there is none.
	Windows string
	// Foreign tools are not built in: they are in sessions of other programs, or agents call them.
	Foreign bool

	Does   Does
	Taping Taping
	// Offered is when the model is offered the tool.
	Offered When
	// Small tools are in the small set, for models with a small window.
	Small bool
	// Trusted tools run without asking for permission.
	Trusted bool
	// Repeatable tools only ask or read: a call that a restart cut off is made again.
	Repeatable bool

	// Rule is the kind of the permission rules that cover the tool, as in package permit; "" is none.
	Rule string
	// Skills are the names under which the allowed tools of a skill mean that kind of rules; none if skills
	// cannot name the tool. Source: https://code.claude.com/docs/en/tools-reference
	Skills []string
	// Groups are the names of groups of tools, in files of agents, that have the tool, in lower case. Source:
	// GitHub's documentation of custom agents.
	Groups []string

	// State says whether a result may be a state that a later call reads again.
	State  State
	Title  Title
	Result Result
}

// Does is what a tool does, as far as the program treats tools differently for it.
type Does uint8

// What tools do. Unknown is the zero value, and that of tools without a row.
const (
	Unknown  Does = iota
	Shell         // runs a command
	Console       // reaches a command that runs
	Read          // reads one file or folder
	Search        // searches files
	Write         // changes files
	Fetch         // reads a page of the web
	Resource      // reads what an MCP server has
	Ask           // asks the user
	Confirm       // an agent asks the user for a confirmation
	Plan          // shows the user a plan
	Agent         // starts, reads or tells a sub-agent
	Store         // uses the database of the session
	Load          // loads a skill
	Intent        // says what the model is about to do
	Done          // ends the run
	Find          // finds tools that are deferred
)

// Taping says what becomes of the calls of a tool in a recording, and in its replay.
type Taping uint8

const (
	// Unsaid is the zero value, that of tools without a row. A built-in one is treated as Recorded, because it
	// might act for real in a replay; a test fails.
	Unsaid Taping = iota
	// Recorded tools act on files, programs or the network: their results are recorded, and a replay does not run
	// them.
	Recorded
	// Live tools act on the session or ask a client, and are called in a replay, too.
	Live
)

// When is when a tool is offered.
type When uint8

// The conditions.
const (
	Always        When = iota
	MainOnly           // to the main agent
	AsksUser           // to the main agent, if a client answers questions
	InPlanMode         // to the main agent in plan mode, if a client decides on plans
	HasSkills          // if the session has skills
	HasResources       // if an MCP server of the session, or of its main agent, has resources
	StartsAgent        // if the agent may start a sub-agent
	HasAgents          // if the agent may start one, or the session has had one
	ToolsDeferred      // if tools are deferred
)

// State says whether the result of a tool may be a state of something that goes on.
type State uint8

// Whether results are states. Of tools with NoState that are not built in, nothing is known.
const (
	NoState     State = iota
	Contents          // never, also if a client brings the tool: results are contents
	WhileItRuns       // until the command has ended
	AlwaysState
)

// Title is how a call is named in one line: the verb, its subject, and what the tail and the label say of it. The
// title of a call without a subject is its name with the raw arguments. The zero value has neither.
type Title struct {
	Verb string
	// Subject are arguments, of which the first that is set is shown; none: the verb is all of the title. One that
	// is named path is a path.
	Subject []string
	Tail    Tail
	// Label stands before the arguments About that are set.
	Label string
	About []string
}

// Tail is what follows the subject in a title.
type Tail uint8

// The tails. They read the arguments of the built-in tools.
const (
	NoTail    Tail = iota
	FirstLine      // the subject is its first line, followed by the number of further lines
	Range          // the lines that are read
	Lines          // the number of lines that are written
	Changes        // the numbers of lines that are added and removed
)

// Result is how the result of a call is shown.
type Result uint8

// The results.
const (
	FirstOf      Result = iota // its first line, and the number of further ones
	OfCommand                  // the exit code, or the shell in which the command goes on
	NumberedRows               // the number of its lines, each of which begins with its number
	CountedLines               // the number of its lines
	CountedFiles               // the same, of files
	Diff                       // nothing, as the title of the call says it; the details are a diff
	Nothing                    // nothing, as the title of the call says it
)

// Of returns what is known of a tool by its name, here or on Windows. The zero value, without a name, is that of a tool
// of which nothing is known.
func Of(name string) Tool {
	if name == "" {
		return Tool{}
	}
	for i := range tools {
		if t := &tools[i]; t.Name == name || t.Windows == name {
			return *t
		}
	}
	return Tool{}
}

// All returns a row for each tool, in an order that groups of tools in agents' files keep. The caller does not modify
// it.
func All() []Tool { return tools[:] }

// Names returns the names of the built-in tools that do one of these, in the order of [All].
func Names(does ...Does) (names []string) {
	for i := range tools {
		for _, d := range does {
			if tools[i].Does == d && !tools[i].Foreign {
				names = append(names, tools[i].Name)
			}
		}
	}
	return names
}
