package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func listAgents(ctx context.Context, c *conn, a *attachment, p wire.AgentListParams) (any, error) {
	agents, err := a.client.Session().Agents().List(ctx, is(p.IncludeBuiltInAgents), is(p.IncludePrompt))
	if err != nil {
		return nil, err
	}
	c.shownList(agents)
	return encode(wire.AgentList{Agents: agents})
}

func currentAgent(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	current, err := a.client.Session().Agents().Current(ctx)
	if err != nil {
		return nil, err
	}
	c.shownAgents(current)
	return encode(wire.AgentCurrent{Agent: current})
}

func selectAgent(ctx context.Context, c *conn, a *attachment, p wire.AgentSelect) (any, error) {
	if p.Name == "" {
		return nil, missing("name")
	}
	selected, err := a.client.Session().Agents().Select(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	c.shownAgents(&selected)
	return encode(wire.AgentSelected{Agent: selected})
}

func deselectAgent(ctx context.Context, s *session.Session, _ named) (any, error) {
	return none{}, s.Agents().Deselect(ctx)
}

func reloadAgents(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	agents, err := a.client.Session().Agents().Reload(ctx)
	if err != nil {
		return nil, err
	}
	c.shownList(agents)
	return encode(wire.AgentsReloaded{Agents: agents})
}

func setAgentPrompt(ctx context.Context, s *session.Session, p wire.AgentSetPrompt) (any, error) {
	if p.ID == "" {
		return nil, missing("id")
	}
	return none{}, s.Agents().SetPrompt(ctx, p.ID, p.Prompt)
}

func discoverAgents(ctx context.Context, c *conn, p wire.AgentsDiscover) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		found, err := c.home().Sessions.Finder().AgentFiles(p.ProjectPaths, !is(p.ExcludeHostAgents))
		if err != nil {
			return nil, err
		}
		list := wire.ServerAgents{Agents: []wire.AgentInfo{}}
		for _, d := range found {
			list.Agents = append(list.Agents, agents.Info(d, false))
		}
		c.shownList(list.Agents)
		return encode(list)
	})
}

func agentPaths(_ context.Context, c *conn, p wire.AgentPathsParams) (any, error) {
	paths, err := c.home().Sessions.Finder().AgentPaths(p.ProjectPaths, !is(p.ExcludeHostAgents))
	return wire.AgentPaths{Paths: paths}, err
}

func updateSubagents(ctx context.Context, s *session.Session, p wire.SubagentsUpdate) (any, error) {
	return empty{}, s.Agents().Override(ctx, agent.OverridesOf(p.Subagents))
}

func startFleet(ctx context.Context, s *session.Session, p struct {
	Prompt      string          `json:"prompt"`
	Attachments json.RawMessage `json:"attachments"`
	Wait        bool            `json:"wait"`
},
) (any, error) {
	if err := s.Agents().StartFleet(ctx, p.Prompt, p.Attachments, p.Wait); err != nil {
		return nil, err
	}
	return wire.FleetStarted{Started: true}, nil
}
