package front

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ownAgent is the ID of the entry for the session's own agent.
const ownAgent = "\x00"

// agents lets the user choose the main agent.
func (f *embedded) agents(ctx context.Context, name string) (tui.Effect, error) {
	if name != "" {
		return f.useAgent(ctx, name)
	}
	s := f.Client.Session().Agents()
	all, err := s.List(ctx, true, false)
	if err != nil {
		return tui.Effect{}, err
	}
	now, err := s.Current(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	agents := []page.Agent{{ID: ownAgent, Name: "default", About: "The agent of this program, which calls the others.", Current: now == nil}}
	for _, a := range all {
		agents = append(agents, shownAgent(a, now))
	}
	return f.choice(page.Agents(f.keys, agents), func(ctx context.Context, name string) (tui.Effect, error) {
		if slices.ContainsFunc(agents, func(a page.Agent) bool { return a.ID == name && a.Source == "builtin" }) {
			return tui.Effect{}, errors.New(name + " is a built-in sub-agent and cannot be the main agent; choose one that is defined in a file")
		}
		return f.useAgent(ctx, name)
	}), nil
}

func shownAgent(a wire.AgentInfo, now *wire.AgentInfo) page.Agent {
	p := page.Agent{ID: a.Name, Name: a.Name, About: a.Description, Models: a.Models, Tools: a.Tools, Path: wire.OrZero(a.Path), Current: now != nil && now.Name == a.Name}
	if a.Source != nil {
		p.Source = string(*a.Source)
	}
	if a.Model != nil && !slices.Contains(p.Models, *a.Model) {
		p.Models = append([]string{*a.Model}, p.Models...)
	}
	return p
}

func (f *embedded) useAgent(ctx context.Context, name string) (tui.Effect, error) {
	s := f.Client.Session().Agents()
	if name == ownAgent || name == "default" {
		return tui.Effect{Text: "the default agent is the main agent now"}, s.Deselect(ctx)
	}
	a, err := s.Select(ctx, name)
	if err != nil {
		return tui.Effect{}, err
	}
	return tui.Effect{Text: "the agent " + timeline.OneLine(a.Name, 60) + " is the main agent now; /agents default ends this"}, nil
}
