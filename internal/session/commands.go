package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Commands has the slash commands of a session. If several commands have one name, the first of
// these is used: that of a client (of several clients, the one that attached last), of this
// program, of a skill, of a file with a prompt.
type Commands struct {
	s       *Session
	running map[string]*clientCommand // commands that clients carry out now, by request id
	asked   map[string]*queuedCommand // commands that wait for an answer to command.queued, by request id
}

// Commands returns the session's slash commands.
func (s *Session) Commands() *Commands { return &s.command }

// maxCommands bounds the slash commands of one client.
const maxCommands = 1000

// checkCommands returns why the slash commands of a client cannot be used; nil if they can.
func checkCommands(commands []wire.Command) error {
	if len(commands) > maxCommands {
		return fmt.Errorf("there are %d slash commands, want %d at most", len(commands), maxCommands)
	}
	seen := map[string]bool{}
	for _, c := range commands {
		name := commandName(c.Name)
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

// commandName is the name of a command without the slashes that a caller may write before it.
func commandName(name string) string { return strings.TrimLeft(strings.TrimSpace(name), "/") }

// registered are the slash commands of all clients, those of the client that attached last
// first; each name once.
func (c *Commands) registered() []wire.Command {
	all := []wire.Command{}
	for _, client := range slices.Backward(c.s.clients) {
		for _, command := range client.commands {
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
func (c *Commands) owner(name string) (*Client, string) {
	for _, client := range slices.Backward(c.s.clients) {
		for _, command := range client.commands {
			if strings.EqualFold(command.Name, name) {
				return client, command.Name
			}
		}
	}
	return nil, ""
}

// announce sends the present list of commands to all clients except one: the client that has
// just changed it, or nil.
func (c *Commands) announce(except *Client) {
	changed := &wire.CommandsChanged{}
	for _, command := range c.registered() {
		changed.Commands = append(changed.Commands, wire.CommandRegistered{Name: command.Name, Description: wire.Optional(command.Description)})
	}
	for _, client := range c.s.clients {
		if client != except {
			c.s.log.emitTo(client, "", changed)
		}
	}
}

// List returns the slash commands of the session: those of clients, then those of this program
// that a client can run, then those of skills and of files. If a field of the filter is absent,
// the commands of that kind are included.
func (c *Commands) List(ctx context.Context, filter wire.CommandFilter) (list []wire.CommandInfo, err error) {
	wants := func(v *bool) bool { return v == nil || *v }
	clients, err := mailbox.Ask(ctx, c.s.do, func() ([]wire.Command, error) { return c.registered(), nil })
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
	if wants(filter.IncludeBuiltins) {
		for _, k := range BuiltinCommands(false) {
			if !taken(k.Name) {
				list = append(list, k)
			}
		}
	}
	if !wants(filter.IncludeSkills) {
		return list, nil
	}
	prompts, err := c.Prompts(ctx)
	for _, k := range prompts {
		if !taken(k.Name) {
			list = append(list, k)
		}
	}
	return list, err
}

// BuiltinCommands are the slash commands of this program that clients can run. first leaves
// out those that make no sense before the first message.
func BuiltinCommands(first bool) (list []wire.CommandInfo) {
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
			for _, choice := range b.Choices {
				k.Input.Choices = append(k.Input.Choices, wire.CommandChoice{Name: choice.Name, Description: choice.Help})
			}
		}
		list = append(list, k)
	}
	return list
}

// Skills are the slash commands of skills: those that are on and that users may invoke, and
// whose name is not that of a command of this program.
func (c *Commands) Skills(ctx context.Context) (list []wire.CommandInfo, err error) {
	skills, err := c.s.Discovery().Skills(ctx)
	for _, k := range skills {
		if _, builtin := slash.Find(k.Name); builtin || !k.Enabled || !k.UserInvocable {
			continue
		}
		info := wire.CommandInfo{Name: k.Name, Description: k.Description, Kind: "skill"}
		if k.ArgumentHint != nil {
			info.Input = &wire.CommandInput{Hint: *k.ArgumentHint}
		}
		list = append(list, info)
	}
	return list, err
}

// skillPrompt returns the message that asks the agent to follow a skill. ok is false if there
// is no such skill that users may invoke. The message contains the text of the skill, so it
// also works for a skill that the model may not load. It does not allow the tools that loading
// the skill would allow.
func (c *Commands) skillPrompt(ctx context.Context, name, input string) (p wire.CommandPrompt, ok bool, err error) {
	skills, err := c.Skills(ctx)
	if err != nil {
		return p, false, err
	}
	i := slices.IndexFunc(skills, func(k wire.CommandInfo) bool { return strings.EqualFold(k.Name, name) })
	if i < 0 {
		return p, false, nil
	}
	text, err := c.s.discovery.ReadSkill(skills[i].Name)
	if err != nil {
		return p, true, err
	}
	p.DisplayPrompt = strings.TrimSpace("/" + skills[i].Name + " " + input)
	p.Prompt = fmt.Sprintf("Follow the skill %q, which is in %s:\n\n%s", text.Name, text.Path, text.Content)
	if input != "" {
		p.Prompt += "\n\nThe user's request: " + input
	}
	return p, true, nil
}

// unknownCommand is the error for a command that does not exist.
func (c *Commands) unknownCommand(name string) error {
	return fault.New(fault.NotFound, "session.commands", c.s.id, "there is no slash command /%s; session.commands.list lists them", fault.Bounded(name))
}
