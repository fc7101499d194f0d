package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Bounds of the wait for the prompts of servers.
const (
	promptsTime  = 3 * time.Second  // a list of commands is waited for by a user who types
	promptsPause = 30 * time.Second // before a server that did not answer is asked again
)

// prompts are the prompts of the session's servers as they were listed last. It is safe for concurrent use.
type prompts struct {
	mu    sync.Mutex // guards the rest
	known map[string]knownPrompts
	at    map[string]int // changes when what is known of a server is out of date
}

type knownPrompts struct {
	list []mcp.Prompt
	err  error     // nil: they were listed
	at   time.Time // of the error
}

// forget notes that the prompts of a server may have changed.
func (p *prompts) forget(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, server)
	if p.at == nil {
		p.at = map[string]int{}
	}
	p.at[server]++
}

// of returns the prompts of a server, which it asks if they are not known. What hinders that is an answer for promptsPause, unless the
// caller did not wait.
func (p *prompts) of(ctx context.Context, set *mcp.Set, server string) ([]mcp.Prompt, error) {
	p.mu.Lock()
	known, there := p.known[server]
	at := p.at[server]
	p.mu.Unlock()
	if there && (known.err == nil || time.Since(known.at) < promptsPause) {
		return known.list, known.err
	}
	list, err := set.PromptsOf(ctx, server) // which warns the session
	if errors.Is(ctx.Err(), context.Canceled) {
		return list, err
	}
	known = knownPrompts{list, err, time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[server] == at {
		if p.known == nil {
			p.known = map[string]knownPrompts{}
		}
		p.known[server] = known
	}
	return list, err
}

// promptCommand is a prompt with the name of its slash command.
type promptCommand struct {
	mcp.Prompt
	name string
}

// promptCommands returns the prompts of the servers that are connected, in the order of their servers. Two that would have one name get
// a number. It waits for servers at most promptsTime; silent says of each server that has not listed its prompts why.
func (m *Servers) promptCommands(ctx context.Context) (all []promptCommand, silent map[string]error) {
	set := m.set.Load()
	if set == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, promptsTime)
	defer cancel()
	names := set.PromptServers()
	lists, failures := make([][]mcp.Prompt, len(names)), make([]error, len(names))
	var waiting sync.WaitGroup
	for i, server := range names {
		waiting.Go(func() { lists[i], failures[i] = m.prompts.of(ctx, set, server) })
	}
	waiting.Wait()
	silent = map[string]error{}
	for i, err := range failures {
		if err != nil {
			silent[names[i]] = err
		}
	}
	used := map[string]int{}
	for _, p := range slices.Concat(lists...) {
		name := p.CommandName()
		if used[strings.ToLower(name)]++; used[strings.ToLower(name)] > 1 {
			name = fmt.Sprintf("%s_%d", name, used[strings.ToLower(name)])
		}
		all = append(all, promptCommand{p, name})
	}
	return all, silent
}

// ServerPrompts are the slash commands of the prompts of the session's servers.
func (m *Servers) ServerPrompts(ctx context.Context) (list []wire.CommandInfo) {
	all, _ := m.promptCommands(ctx)
	for _, p := range all {
		about := cmp.Or(p.Description, p.Title, "a prompt of the MCP server "+p.Server)
		info := wire.CommandInfo{Name: p.name, Description: about, Kind: "skill"} // the protocol has no other kind for prompts
		if hint := p.Hint(); hint != "" {
			info.Input = &wire.CommandInput{Hint: hint}
		}
		list = append(list, info)
	}
	return list
}

// promptPrefix begins the names of the slash commands of prompts.
const promptPrefix = "mcp__"

// ServerPrompt returns the message of the slash command of a prompt; ok is false if there is none with that name. It waits for servers
// that are starting, as a run does. [fault.Invalid] if the arguments are not those of the prompt. [fault.Unavailable] if the name is
// that of a prompt of a server that is not connected, or has not listed its prompts.
func (m *Servers) ServerPrompt(ctx context.Context, name, input string) (p wire.CommandPrompt, ok bool, err error) {
	set := m.set.Load()
	if set == nil || len(name) < len(promptPrefix) || !strings.EqualFold(name[:len(promptPrefix)], promptPrefix) {
		return p, false, nil
	}
	same := func(one promptCommand) bool { return strings.EqualFold(one.name, name) }
	all, silent := m.promptCommands(ctx)
	i := slices.IndexFunc(all, same)
	if i < 0 {
		set.Await(ctx)
		all, silent = m.promptCommands(ctx)
		i = slices.IndexFunc(all, same)
	}
	if i < 0 {
		err := m.unanswered(ctx, set, name, silent)
		return p, err != nil, err
	}
	one := all[i]
	invalid := func(err error) error {
		return fault.New(fault.Invalid, "session.commands", m.id, "/%s: %w", one.name, err)
	}
	words, err := shellword.Words(input)
	if err != nil {
		return p, true, invalid(err)
	}
	arguments, err := one.Bind(words)
	if err != nil {
		return p, true, invalid(err)
	}
	text, omitted, err := set.PromptText(ctx, one.Server, one.Name, arguments)
	if err != nil {
		return p, true, err
	}
	p.Prompt, p.DisplayPrompt = text, strings.TrimSpace("/"+one.name+" "+input)
	if len(omitted) > 0 {
		notice := "These parts of /" + one.name + " are left out: " + strings.Join(omitted, ", ") + "."
		p.Notice = &notice
	}
	return p, true, nil
}

// unanswered returns why the servers cannot say whether a slash command of theirs has the name; nil if they have said that none has it.
func (m *Servers) unanswered(ctx context.Context, set *mcp.Set, name string, silent map[string]error) error {
	const op = "session.commands"
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, op, m.id, "/%s: the servers were not waited for: %w", name, context.Cause(ctx))
	}
	for _, v := range set.List().Servers {
		prefix := mcp.Prompt{Server: v.Name}.CommandName()
		if len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
			continue
		}
		why, state := "", string(v.Status)
		if err := silent[v.Name]; err != nil {
			why = fault.Message(err)
		} else if v.Status == wire.MCPConnected {
			continue
		} else if v.Error != nil {
			state += ": " + *v.Error
		}
		if why == "" {
			why = "it is not connected (" + state + ")"
		}
		return &fault.Error{
			Op: op, On: m.id, Kind: fault.Unavailable,
			Err:  fmt.Errorf("/%s is not known, because of the MCP server %s: %s", fault.Bounded(invisible.Show(name)), invisible.Show(v.Name), why),
			Hint: "try again when the server answers",
		}
	}
	return nil
}
