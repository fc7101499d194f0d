// Package slash has the slash commands of this program as data: their names, arguments and help,
// and where each works. A [Table] carries them out: package app/chat has that of the line mode, app/front those
// of the terminal interface, for sessions of this process and of a server, and session/command that for clients.
//
// Commands that only the terminal interface has are not here: package app/front has those that it
// carries out, and the table of keys (tui/keymap) those of keys, which package tui carries out
// itself.
//
// docs/terminal.md lists the commands (`go test ./internal/app/front -update`), and the picture of the help
// page changes (`go test ./e2e/pictures -update`).
package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Command is a command of this program.
type Command struct {
	Names []string // the first is the one that help shows, the others are its aliases
	Args  string   // its arguments, as help shows them; "" if it takes none
	Help  string
	// Terminal marks a command that works only at a terminal. The others are carried out by the session, so that
	// programs can use them; a terminal may have its own way.
	Terminal bool
	// Prompt marks a command that sends a prompt. A skill and a file with a prompt that have its name are used in its place.
	Prompt bool
	// Busy marks a command that clients may run while the agent works.
	Busy bool
	// First marks a command that is useful before the first message of a session.
	First bool
	// Opens marks a command that opens another session in place of the present one, and OpensGiven one
	// that does so with an argument only.
	Opens, OpensGiven bool
	// Path marks a command whose argument is a path: a terminal puts the user's home folder in place of a ~ at its begin.
	Path bool
	// Choices returns the arguments that the command takes, if there are only few; nil otherwise.
	Choices func() []Choice
}

// Choice is one argument that a command takes.
type Choice struct{ Name, Help string }

// Name is the name that help shows.
func (c *Command) Name() string { return c.Names[0] }

// Builtins are the commands of this program, in the order in which help shows them.
var Builtins = []Command{
	{Names: []string{"help", "?"}, Help: "list the commands", Busy: true, First: true},
	{Names: []string{"model"}, Args: "[NAME]", Help: "show the model, or switch to another", Busy: true, First: true},
	{Names: []string{"effort"}, Args: "[LEVEL]", Help: "choose how much the model reasons", Busy: true, Choices: efforts},
	{Names: []string{"mode"}, Args: "[MODE]", Help: "set the mode: interactive, plan or autopilot", Busy: true, First: true, Choices: modes},
	{Names: []string{"plan"}, Help: "short for /mode plan: make a plan first, and ask", Busy: true, First: true},
	{Names: []string{"autopilot"}, Help: "continue until it is done; once more ends this mode", Busy: true, First: true},
	{Names: []string{"retry"}, Help: "continue a run that has failed or was interrupted"},
	{Names: []string{"new", "clear"}, Help: "start a new session", Terminal: true, Opens: true},
	{Names: []string{"resume"}, Args: "[ID]", Help: "continue another session; its first characters are enough", Terminal: true, OpensGiven: true},
	{Names: []string{"sessions"}, Help: "the sessions of this folder, the last changed first", Terminal: true},
	{Names: []string{"rename"}, Args: "TITLE", Help: "give the session another title", Busy: true},
	{Names: []string{"fork"}, Args: "[TITLE]", Help: "continue in a copy of this session; this one stays as it is", Terminal: true, Opens: true},
	{Names: []string{"rewind"}, Args: "[NUMBER]", Help: "go back to before a message, with files; asks first", Terminal: true},
	{Names: []string{"undo"}, Help: "go back to before the last message; short for /rewind", Terminal: true},
	{Names: []string{"diff"}, Args: "[MODE]", Help: "changes of files: session, unstaged or branch", Terminal: true},
	{Names: []string{"context"}, Help: "show what fills the window of the model", Busy: true},
	{Names: []string{"status", "session"}, Help: "the model, its window, the folder, the sandbox, the servers", Busy: true},
	{Names: []string{"share"}, Args: "[FORMAT]", Help: "show the session as a text: markdown, json or html", Busy: true},
	{Names: []string{"export"}, Args: "[FILE]", Help: "write the session to a file: .md, .html or .json", Terminal: true},
	{Names: []string{"copy"}, Args: "[NUMBER]", Help: "copy the last answer, or an earlier one", Terminal: true},
	{Names: []string{"env"}, Help: "what was found: instructions, servers, skills, agents", Busy: true},
	{Names: []string{"cwd", "cd"}, Args: "[FOLDER]", Help: "show the folder that the session works in, or change it", Busy: true, Path: true},
	{Names: []string{"add-dir"}, Args: "FOLDER", Help: "let tools use one more folder", Busy: true, Path: true},
	{Names: []string{"list-dirs"}, Help: "list the folders that tools may use", Busy: true},
	{Names: []string{"mcp"}, Help: "list the MCP servers of the session, with their states", Busy: true},
	{Names: []string{"agents", "agent"}, Help: "list the agents", Busy: true},
	{Names: []string{"skills"}, Help: "list the skills and the prompts in files", Busy: true},
	{Names: []string{"memory"}, Help: "the files with instructions, and when the model reads each", Busy: true},
	{Names: []string{"plugins", "plugin"}, Help: "list the plugins that the session uses", Busy: true},
	{Names: []string{"init"}, Args: "[FOCUS]", Help: "have the agent write AGENTS.md for this repository", Prompt: true},
	{Names: []string{"review"}, Args: "[WHAT]", Help: "have the agent review the changes", Prompt: true},
	{Names: []string{"security-review"}, Args: "[WHAT]", Help: "have the agent look for security faults in the changes", Prompt: true},
	{Names: []string{"research"}, Args: "TOPIC", Help: "have the agent find something out, with its sources", Prompt: true},
	{Names: []string{"fleet"}, Args: "[PROMPT]", Help: "have sub-agents work at the to-dos"},
	{Names: []string{"every"}, Args: "[5m TEXT]", Help: "send a text at intervals, or list such texts", Busy: true},
	{Names: []string{"after"}, Args: "[1h TEXT]", Help: "send a text once, after a time, or list such texts", Busy: true},
	{Names: []string{"tasks"}, Help: "to-dos, agents and background jobs", Busy: true},
	{Names: []string{"background"}, Help: "let what a call waits for continue in the background", Busy: true},
	{Names: []string{"compact"}, Args: "[FOCUS]", Help: "summarize the conversation; FOCUS is what matters most"},
	{Names: []string{"rules", "permissions"}, Args: "[forget]", Help: "show the rules and where they come from; forget approvals", Busy: true},
	{Names: []string{"reset-allowed-tools"}, Help: "short for /rules forget", Busy: true},
	{Names: []string{"allow"}, Args: "[on|off]", Help: "allow everything without asking, or ask again", Busy: true},
	{Names: []string{"allow-all"}, Args: "[on|off|show]", Help: "short for /allow on", Busy: true},
	{Names: []string{"sandbox"}, Args: "[COMMAND]", Help: "status, policy [COMMAND], enable, disable, auto on|off", Busy: true},
	{Names: []string{"quarantine"}, Args: "[allow]", Help: "what was moved aside; allow PATH takes it back", Terminal: true},
	{Names: []string{"usage", "cost"}, Help: "money and tokens so far, for each model", Busy: true},
	{Names: []string{"config", "settings"}, Args: "[KEY [VALUE]]", Help: "the settings, and where each comes from; change one", Terminal: true},
	{Names: []string{"quit", "exit", "q"}, Help: "leave; sidestick chat --continue resumes the session", Terminal: true},
}

// Listed returns the choices of a command; none if it takes others.
func (c *Command) Listed() []Choice {
	if c.Choices == nil {
		return nil
	}
	return c.Choices()
}

func modes() []Choice {
	return []Choice{
		{"interactive", "the agent works and asks for permission"},
		{"plan", "the agent makes a plan first, and asks"},
		{"autopilot", "the agent continues until the task is done"},
	}
}

// efforts are the levels of reasoning.
func efforts() (all []Choice) {
	for _, e := range config.Efforts() {
		all = append(all, Choice{Name: e})
	}
	return all
}

// Find returns the command with a name or alias, of some that come first, or of this program. Upper and lower
// case are the same.
func Find(name string, first ...Command) (c Command, ok bool) {
	for _, c := range slices.Concat(first, Builtins) {
		if slices.ContainsFunc(c.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return c, true
		}
	}
	return c, false
}

// Table carries out slash commands at one place: at a terminal, or in a session for its clients. R is what a command
// has that place do.
type Table[R any] struct {
	// Own are the commands that only this place has, beside [Builtins].
	Own []Command
	// Do are what commands do, by name. arg is "" without an argument.
	Do map[string]func(ctx context.Context, arg string) (R, error)
	// Rest carries out a command that Do does not have. It is not needed if Do has all.
	Rest func(ctx context.Context, c Command, arg string) (R, error)
	// Other carries out a command that sends a prompt, and what no command is called: a skill, a prompt in a file, or
	// nothing.
	Other func(ctx context.Context, name, arg string) (R, error)
}

// Run carries out the command with a name or alias. The error is a [RefusedError] if it is in Do, takes no argument
// and was given one.
func (t Table[R]) Run(ctx context.Context, name, arg string) (none R, err error) {
	c, known := Find(name, t.Own...)
	if !known || c.Prompt {
		return t.Other(ctx, name, arg)
	}
	do := t.Do[c.Name()]
	switch {
	case do == nil:
		return t.Rest(ctx, c, arg)
	case c.Args == "" && arg != "":
		return none, RefusedError{c.Name(), arg}
	}
	return do(ctx, arg)
}

// RefusedError says that a command takes no argument, so that it was not carried out. Its text is for a terminal.
type RefusedError struct{ Name, Arg string }

func (e RefusedError) Error() string {
	return fmt.Sprintf("/%s takes no argument; %q was not used, and nothing was done", e.Name, timeline.OneLine(e.Arg, 40))
}

// Replaces reports whether a command opens another session in place of the present one, so that what the
// user sends after it is meant for that one.
func Replaces(name, arg string) bool {
	c, _ := Find(name)
	return c.Opens || c.OpensGiven && arg != ""
}

// Split splits a command line such as "/model gpt-5" into its name, without the slash, and
// the rest. ok is false for other text, such as a path.
func Split(text string) (name, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	name, rest, _ = strings.Cut(text, " ")
	return name, strings.TrimSpace(rest), ok && name != "" && !strings.ContainsAny(name, "/\n*")
}
