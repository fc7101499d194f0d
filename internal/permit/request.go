package permit

import "encoding/json"

// Kind is the protocol's name for the sort of a request.
type Kind string

const (
	Shell      Kind = "shell"       // run a command
	Write      Kind = "write"       // create or change a file
	Read       Kind = "read"        // read a file or list a folder
	URL        Kind = "url"         // fetch an address
	CustomTool Kind = "custom-tool" // call a tool that a client defines
)

// Request is what a tool call would do: what rules judge and a person is shown.
// Which fields are set depends on Kind.
type Request struct {
	Kind Kind
	// Tool is the tool's name as the model calls it. All kinds.
	Tool string
	// Intention says what for, in one line. All kinds but CustomTool.
	Intention string

	// Path is the file or folder. Read and Write.
	Path Path
	// Diff is a unified diff of the change; Contents all of a file that is new.
	// Write.
	Diff     string
	Contents *string

	// Command is what would be run, and what reading it came to. Shell.
	Command Command

	// Address is fetched; RedirectedFrom is where it was found, if that was another
	// host. URL.
	Address        string
	RedirectedFrom string

	// Description and Args describe a tool and its call, and Trusted one whose client
	// said that it needs no permission. CustomTool.
	Description string
	Args        json.RawMessage
	Trusted     bool
	// Personal says that a person has to decide, each time: no rule allows it, nor a
	// mode, nor an earlier approval. A rule may still deny it. CustomTool.
	Personal bool
}

// Path is a place in the file system.
type Path struct {
	// Name is absolute and clean, as the tool will use it.
	Name string
	// Real is Name with every symbolic link on the way resolved, so that rules judge
	// what is really touched. Of a file that does not exist yet, the folder is
	// resolved.
	Real string
}

// Command is a shell command as far as it can be understood without running it.
type Command struct {
	// Text is the command as the model wrote it.
	Text string
	// Dir is the directory that it would start in, absolute.
	Dir string
	// Programs is every program that it would run, in the order of the text, as far
	// as that can be known.
	Programs []Program
	// Paths are the files and folders that it may read or write; URLs the addresses
	// that it names.
	Paths []Path
	URLs  []string
	// Redirects says that output goes to a file.
	Redirects bool
	// Unclear says why it cannot be said what the command does: substitution,
	// variables, programs that run others, text that cannot be parsed. Empty if it
	// is clear. No rule but All allows a command that is not.
	Unclear string
	// Hidden says that it may run programs beyond those in Programs, so that a deny
	// rule cannot be ruled out. A command that hides some is unclear, too.
	Hidden bool
	// AltersShell says how the command may change what later commands in the same shell
	// mean, for example by a function or PATH; empty if it does not. A command that does
	// is also unclear.
	AltersShell string
}

// Program is one program that a command runs.
type Program struct {
	// Name identifies it for rules and approvals, with its subcommand where it has
	// some: "ls", "git status".
	Name string
	// Words are the program and its arguments, unquoted.
	Words []string
	// ReadOnly programs change nothing, whatever their arguments are here.
	ReadOnly bool
}
