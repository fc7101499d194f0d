package permit

import "encoding/json"

// Kind is the kind of a request, named as in the protocol.
type Kind string

const (
	Shell      Kind = "shell"       // run a command
	Write      Kind = "write"       // create or change a file
	Read       Kind = "read"        // read a file or list a folder
	URL        Kind = "url"         // fetch an address
	CustomTool Kind = "custom-tool" // call a tool that a client defines
	MCP        Kind = "mcp"         // call a tool of an MCP server
)

// Request is what a tool call would do: rules judge it, and it is shown to the user.
// Which fields are set depends on Kind.
type Request struct {
	Kind Kind
	// Tool is the tool's name as the model calls it. All kinds.
	Tool string
	// Intention is the purpose of the call, in one line. All kinds but CustomTool and MCP.
	Intention string

	// Path is the file or folder. Read and Write.
	Path Path
	// Denied are the paths that deny rules for reading cover, in the form of
	// [Rules.DeniedPaths]. A tool that reads the files below Path leaves them out. Read.
	Denied []string
	// Diff is a unified diff of the change; Contents is the whole content of a new
	// file. Write.
	Diff     string
	Contents *string

	// Command is what would be run, and its effects. Shell.
	Command Command

	// Bypass is why a command that has failed in the sandbox asks to run again outside of
	// it: what the sandbox refused. Empty for every other command. Shell.
	Bypass string

	// Again is why a command asks to run a second time, with more rights: what the sandbox for reading
	// has refused when it was tried there ([Placed.Tries]). NoTry means that it is not tried there:
	// a hook has decided about it, or it would go on after its call. Shell.
	Again string
	NoTry bool

	// Address is what would be fetched. RedirectedFrom is the address that redirected
	// to it, if that is on another host. URL.
	Address        string
	RedirectedFrom string

	// Server is the MCP server of a tool, ServerTool the tool's name there, and Title its name
	// for users. ReadOnly means that, by the server's own word, it changes nothing. OwnServer means that this
	// program has added the server, so that an allow rule for its second name covers it, too. MCP.
	Server, ServerTool, Title string
	ReadOnly, OwnServer       bool
	// Definitions are what the server says of its tools now, by their names there; the map is shared, and not
	// changed. An approval that outlasts the call holds for these definitions. MCP.
	Definitions map[string]Definition

	// Description and Args describe a tool and its call; MCP has Args, too. Trusted means that
	// the tool's client has marked it as needing no permission. CustomTool.
	Description string
	Args        json.RawMessage
	Trusted     bool
	// Personal means that a user has to decide each time: no rule, mode or earlier
	// approval allows it. A rule may still deny it. CustomTool.
	Personal bool
}

// Definition is what an MCP server says of one of its tools.
type Definition struct {
	// Digest is the SHA-256 of the description, the schema and the annotations, in hexadecimal.
	Digest string
	// Description and Schema are as the server has sent them; the schema is JSON.
	Description, Schema string
}

// Path is a path in the file system.
type Path struct {
	// Name is absolute and clean, as the tool will use it.
	Name string
	// Real is Name with every symbolic link resolved, so that rules judge the file that
	// is read or written. For a file that does not exist yet, its folder is resolved.
	Real string
}

// Command is a shell command and its effects, as far as they are known without running
// it. Package shell/effects fills it in.
type Command struct {
	// Text is the command as the model wrote it.
	Text string
	// Dir is the directory in which it would start, absolute.
	Dir string
	// Programs lists every program that it would run, in the order of the text, as far
	// as they are known.
	Programs []Program
	// Besides are programs and builtins that allow rules need not cover: wrappers such as
	// timeout, because the program that they run is in Programs, and builtins such as
	// export, which make the command unclear. Only deny rules judge them.
	Besides []Program
	// Paths are the files and folders that it may read or write. URLs are the addresses
	// that it names.
	Paths []Path
	URLs  []string
	// Words are what further words of it would be if they were paths, such as the word key
	// after cd secrets. Only deny rules judge them.
	Words []Path
	// Redirects means that output is redirected to a file.
	Redirects bool
	// Unclear is the reason why the effects of the command are not known: substitution,
	// variables, programs that run others, text that cannot be parsed. Empty if the
	// command is clear. Only [Rules.All] allows an unclear command.
	Unclear string
	// Suspect means that it is unclear for a reason that the user should see before anything runs: the repository
	// has settings by which git runs a program, or the text has characters that nobody sees.
	Suspect bool
	// Hidden means that it may run programs that are not in Programs, so a deny rule may
	// match although no program in Programs does. A command with Hidden is also unclear.
	Hidden bool
	// AltersShell says how the command may change what later commands in the same shell
	// mean, for example by a function or PATH; empty if it does not. A command that does
	// is also unclear.
	AltersShell string
	// Detached means that it is started such that it can outlive the session. Input means
	// that it is no command, but the input of a program that is running.
	Detached, Input bool
	// Stays means that it starts something in the background, which other commands may want to reach.
	Stays bool
}

// Program is one program that a command runs.
type Program struct {
	// Name identifies it for rules and approvals, including its subcommand if it has
	// subcommands: "ls", "git status".
	Name string
	// Words are the program and its arguments, unquoted.
	Words []string
	// ReadOnly means that it changes nothing with these arguments.
	ReadOnly bool
	// Opens says which files it may open that are not among the Paths of the command. Below are
	// folders of which it may open every file, as grep -r does. Only deny rules judge them.
	Opens Reach
	Below []Path
	// Offline means that it connects to nothing but the URLs of the command.
	Offline bool
}

// Reach says which files a program may open that the command does not name.
type Reach uint8

const (
	Anything  Reach = iota // any file, as a build or a script; zero, so a program that is not known counts as one
	NamedOnly              // none: it opens only what the command names
	Nothing                // none at all: it neither reads a file nor lists a folder
)
