package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// List returns the custom agents of the session, after the built-in ones if builtins is set;
// never nil. prompts adds their instructions. It searches files first if that has not happened.
func (a *Agents) List(ctx context.Context, builtins, prompts bool) ([]wire.AgentInfo, error) {
	if err := a.files.Search(ctx); err != nil {
		return nil, err
	}
	return mailbox.Ask(ctx, a.session.Do, func() ([]wire.AgentInfo, error) { return a.list(builtins, prompts), nil })
}

func (a *Agents) list(builtins, prompts bool) []wire.AgentInfo {
	files := a.files.Agents()
	var all []agent.Definition
	if builtins {
		all = a.roster.Builtins(files)
	}
	list := []wire.AgentInfo{}
	for _, d := range slices.Concat(all, a.roster.Custom(files)) {
		list = append(list, Info(d, prompts))
	}
	return list
}

// Info returns an agent as clients get it, with its instructions if prompt is set.
func Info(d agent.Definition, prompt bool) wire.AgentInfo {
	source := map[agent.Source]wire.AgentInfoSource{agent.Builtin: "builtin", agent.User: "user", agent.Project: "project", agent.Plugin: "plugin"}[d.Source]
	info := wire.AgentInfo{
		ID: d.Name, Name: d.Name, DisplayName: cmp.Or(d.DisplayName, d.Name), Description: d.Description, Model: wire.Optional(d.Model),
		Path: wire.Optional(d.Path), Skills: d.Skills, Tools: d.Tools, Source: wire.Optional(source),
	}
	if !d.Infer {
		info.DisableModelInvocation = new(true)
	}
	if d.Hidden {
		info.UserInvocable = new(false)
	}
	if prompt {
		info.Prompt = &d.Prompt
	}
	for name, server := range d.MCPServers {
		if info.MCPServers == nil {
			info.MCPServers = map[string]any{}
		}
		info.MCPServers[name] = server
	}
	return info
}

// Current returns the agent that was selected, nil for the default agent.
func (a *Agents) Current(ctx context.Context) (*wire.AgentInfo, error) {
	return mailbox.Ask(ctx, a.session.Do, func() (*wire.AgentInfo, error) {
		main := a.roster.Main
		if main.Name == "" {
			return nil, nil
		}
		info := Info(main, false)
		return &info, nil
	})
}

// Select makes a custom agent the main agent, from the next call of the model on.
// [fault.NotFound] if there is none of that name.
func (a *Agents) Select(ctx context.Context, name string) (wire.AgentInfo, error) {
	if err := a.files.Search(ctx); err != nil {
		return wire.AgentInfo{}, err
	}
	if err := a.named.lookUp(ctx, a, name, ""); err != nil {
		return wire.AgentInfo{}, err
	}
	return mailbox.Ask(ctx, a.session.Change, func() (wire.AgentInfo, error) {
		next := a.roster
		if !next.Select(name, a.files.Agents()) {
			return wire.AgentInfo{}, fault.New(fault.NotFound, "session.agent.select", a.id, "there is no custom agent %q", name)
		}
		if err := a.session.Record("", Selected(next.Main)); err != nil {
			return wire.AgentInfo{}, err
		}
		next.Main.Model = a.named.called(a, name, next.Main.Model)
		a.roster = next
		a.session.Follow(a.roster.Main)
		return Info(next.Main, false), nil
	})
}

// PrepareMain finds out which model the main agent names, if that is not known. It may wait for the provider.
func (a *Agents) PrepareMain(ctx context.Context) error {
	name, err := mailbox.Ask(ctx, a.session.Post, func() (string, error) { return a.roster.Main.Name, nil })
	if err != nil || name == "" {
		return err
	}
	if err := a.named.lookUp(ctx, a, "", ""); err != nil {
		return err
	}
	return a.session.Post(ctx, func() error {
		a.roster.Main.Model = a.named.called(a, a.roster.Main.Name, a.roster.Main.Model)
		return nil
	})
}

// Selected is the event that an agent became the main agent.
func Selected(d agent.Definition) wire.Data {
	e := wire.SubagentSelected{AgentName: d.Name, AgentDisplayName: cmp.Or(d.DisplayName, d.Name), Tools: d.Tools}
	return withNulls(&e, e)
}

// withNulls is an event with the lists of data as they are: null, and not an empty list, means
// all tools.
func withNulls(event wire.Data, data any) wire.Data {
	body, err := json.Marshal(data)
	if err != nil {
		return event // not for the types of this file
	}
	return &wire.RawData{EventType: event.Type(), Raw: body}
}

// Deselect makes the default agent the main agent.
func (a *Agents) Deselect(ctx context.Context) error {
	return a.session.Change(ctx, func() error {
		if a.roster.Main.Name == "" {
			return nil
		}
		if err := a.session.Record("", &wire.SubagentDeselected{}); err != nil {
			return err
		}
		a.roster.Deselect()
		a.session.Follow(a.roster.Main)
		return nil
	})
}

// Reload searches the files of agents again, sends the agents to the clients, and returns the
// custom ones; never nil.
func (a *Agents) Reload(ctx context.Context) ([]wire.AgentInfo, error) {
	if err := a.files.SearchAgain(ctx); err != nil {
		return nil, err
	}
	return mailbox.Ask(ctx, a.session.Do, func() ([]wire.AgentInfo, error) {
		a.Announce()
		return a.list(false, false), nil
	})
}

// Announce sends the custom agents to the clients.
func (a *Agents) Announce() {
	warnings, errors := a.files.AgentProblems()
	e := wire.CustomAgentsUpdated{Agents: []wire.CustomAgentUpdated{}, Warnings: append([]string{}, warnings...), Errors: append([]string{}, errors...)}
	for _, d := range a.Custom() {
		info := Info(d, false)
		source := "user" // the protocol has no word for agents of clients
		if d.Source == agent.Project {
			source = "project"
		}
		e.Agents = append(e.Agents, wire.CustomAgentUpdated{
			ID: info.ID, Name: info.Name, DisplayName: info.DisplayName, Description: info.Description, Model: info.Model, Tools: info.Tools,
			Source: source, UserInvocable: !d.Hidden, DisableModelInvocation: info.DisableModelInvocation,
		})
	}
	a.session.Emit("", withNulls(&e, e))
}

// SetPrompt replaces the instructions of an agent, for as long as the session is in memory.
// [fault.NotFound] if there is no such agent.
func (a *Agents) SetPrompt(ctx context.Context, name, prompt string) error {
	if err := a.files.Search(ctx); err != nil {
		return err
	}
	return a.session.Do(ctx, func() error {
		if _, ok := a.roster.Find(name, a.files.Agents()); !ok {
			return fault.New(fault.NotFound, "session.agent.setPrompt", a.id, "there is no agent %q", name)
		}
		a.roster.SetPrompt(name, prompt)
		return nil
	})
}

// Override replaces the settings of a client for sub-agents; the zero value undoes that.
// Sub-agents that work are not changed.
func (a *Agents) Override(ctx context.Context, o agent.Overrides) error {
	if len(o.Ignored) == 0 {
		return a.session.Do(ctx, func() error { a.overrides = o; return nil })
	}
	return a.session.Change(ctx, func() error {
		a.overrides = o
		text := "These settings of sub-agents have no effect in this version: " + strings.Join(o.Ignored, ", ") + "."
		return a.session.Record("", &wire.SessionWarning{WarningType: "unsupported_setting", Message: text})
	})
}
