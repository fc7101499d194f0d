// Package command lists the slash commands of a session and carries them out: those of its clients, of
// this program, of skills, and of files with a prompt. If several have one name, the first of these is
// used; of several clients, the one that attached last.
//
// Begin with [New]. Clients call [Commands.List], [Commands.Invoke], which returns a result, and
// [Commands.Execute], which shows it to all; [Commands.Enqueue] puts a command into the queue, and its run
// calls [Commands.Perform]. The session reports with [Commands.Pass] and [Commands.Left] which clients go,
// and has [Commands.Announce] tell the others of their commands. The commands of this program as data are
// in package slash.
//
// # What always holds
//
//   - Only the client that owns a command is asked to carry it out, and every command.execute and
//     command.queued event is followed by command.completed, also when the caller leaves.
//   - A client that leaves while it carries a command out ends that command.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of [Commands] to their session. Send and the methods of the Desk are not called
// on the session's goroutine; the others beside those of the Recorder are.
type Session interface {
	state.Recorder
	Desk
	Queue
	// Clients returns the attached clients, in the order in which they came.
	Clients() []Client
	// Interested reports whether an attached client is interested in a type of events.
	Interested(event wire.EventType) bool
	// Send sends a message and returns its id.
	Send(ctx context.Context, m wire.Send) (id string, err error)
}

// Queue is the messages and commands of a session that wait for the run to end.
type Queue interface {
	// Enqueue puts a command into the queue. In an idle session it runs at once.
	Enqueue(q state.Queued) error
	// Begin removes a command that now begins from the queue; false if it is not there any more.
	Begin(id string) (there bool, err error)
	// Next puts a message before all others of the queue.
	Next(q state.Queued) error
	// Stop keeps the queue waiting until the next message or command comes.
	Stop()
}

// Client is a client that is attached to a session. Two values of the same client are equal.
type Client interface {
	// Commands are the slash commands that it brings, as [Named] returns them.
	Commands() []wire.Command
	// Send sends an ephemeral event of a thread to the client alone.
	Send(agentID string, event wire.Data)
}

// Commands has the slash commands of a session. The methods that take a context are safe for concurrent use
// and are not called on the session's goroutine; they return as [mailbox.Goroutine] describes. The others
// are called on that goroutine, or while the session is opened.
type Commands struct {
	session   Session
	id        string // of the session
	discovery *discovery.Discovery

	// The rest belongs to the session's goroutine.
	running map[string]*clientCommand // commands that clients carry out now, by request id
	asked   map[string]*queuedCommand // commands that wait for an answer to command.queued, by request id
}

// New returns the commands of the session with an id. d finds its skills and its files with prompts.
func New(session Session, id string, d *discovery.Discovery) *Commands {
	return &Commands{session: session, id: id, discovery: d}
}

// maxCommands bounds the slash commands of one client.
const maxCommands = 1000

// Check returns why the slash commands of a client cannot be used; nil if they can.
func Check(commands []wire.Command) error {
	if len(commands) > maxCommands {
		return fmt.Errorf("there are %d slash commands, want %d at most", len(commands), maxCommands)
	}
	seen := map[string]bool{}
	for _, c := range commands {
		name := nameOf(c.Name)
		switch {
		case name == "":
			return fmt.Errorf("a slash command has no name")
		case strings.ContainsAny(name, "/ \t\r\n"):
			return fmt.Errorf("a slash command is called %q; a name has no space and no slash", c.Name)
		case seen[strings.ToLower(name)]:
			return fmt.Errorf("two slash commands are called %q", c.Name)
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}

// Named are the slash commands of a client that [Check] allows, by the names without slashes.
func Named(commands []wire.Command) (named []wire.Command) {
	for _, c := range commands {
		named = append(named, wire.Command{Name: nameOf(c.Name), Description: c.Description})
	}
	return named
}

// nameOf is the name of a command without the slashes that a caller may write before it.
func nameOf(name string) string { return strings.TrimLeft(strings.TrimSpace(name), "/") }

// registered are the slash commands of all clients, those of the client that attached last
// first; each name once.
func (c *Commands) registered() []wire.Command {
	all := []wire.Command{}
	for _, client := range slices.Backward(c.session.Clients()) {
		for _, command := range client.Commands() {
			same := func(known wire.Command) bool { return strings.EqualFold(known.Name, command.Name) }
			if !slices.ContainsFunc(all, same) {
				all = append(all, command)
			}
		}
	}
	return all
}

// owner returns the client that carries a command out, and the command's name as the client
// writes it; nil if there is none.
func (c *Commands) owner(name string) (Client, string) {
	for _, client := range slices.Backward(c.session.Clients()) {
		for _, command := range client.Commands() {
			if strings.EqualFold(command.Name, name) {
				return client, command.Name
			}
		}
	}
	return nil, ""
}

// Announce sends the present list of commands to all clients except one: the client that has
// just changed it, or nil.
func (c *Commands) Announce(except Client) {
	changed := &wire.CommandsChanged{}
	for _, command := range c.registered() {
		changed.Commands = append(changed.Commands, wire.CommandRegistered{Name: command.Name, Description: wire.Optional(command.Description)})
	}
	for _, client := range c.session.Clients() {
		if client != except {
			client.Send("", changed)
		}
	}
}

// List returns the slash commands of the session: those of clients, then those of this program
// that a client can run, then those of skills and of files. If a field of the filter is absent,
// the commands of that kind are included.
func (c *Commands) List(ctx context.Context, filter wire.CommandFilter) (list []wire.CommandInfo, err error) {
	wants := func(v *bool) bool { return v == nil || *v }
	clients, err := mailbox.Ask(ctx, c.session.Do, func() ([]wire.Command, error) { return c.registered(), nil })
	if err != nil {
		return nil, err
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(clients, func(k wire.Command) bool { return strings.EqualFold(k.Name, name) })
	}
	if wants(filter.IncludeClientCommands) {
		for _, k := range clients {
			list = append(list, wire.CommandInfo{Name: k.Name, Description: k.Description, Kind: "client", AllowDuringAgentExecution: true})
		}
	}
	prompts, err := c.Prompts(ctx)
	if err != nil {
		return nil, err
	}
	if wants(filter.IncludeBuiltins) {
		for _, k := range Builtins(false) {
			same := func(p wire.CommandInfo) bool { return strings.EqualFold(p.Name, k.Name) }
			if !taken(k.Name) && !slices.ContainsFunc(prompts, same) {
				list = append(list, k)
			}
		}
	}
	if !wants(filter.IncludeSkills) {
		return list, nil
	}
	for _, k := range prompts {
		if !taken(k.Name) {
			list = append(list, k)
		}
	}
	return list, nil
}

// Builtins are the slash commands of this program that clients can run. first leaves
// out those that make no sense before the first message.
func Builtins(first bool) (list []wire.CommandInfo) {
	for i := range slash.Builtins {
		b := &slash.Builtins[i]
		if b.Terminal || first && !b.First {
			continue
		}
		k := wire.CommandInfo{
			Name: b.Name(), Aliases: b.Names[1:], Description: b.Help, Kind: "builtin", AllowDuringAgentExecution: b.Busy,
		}
		if b.Args != "" {
			k.Input = &wire.CommandInput{Hint: b.Args}
			for _, choice := range b.Listed() {
				k.Input.Choices = append(k.Input.Choices, wire.CommandChoice{Name: choice.Name, Description: choice.Help})
			}
		}
		list = append(list, k)
	}
	return list
}
