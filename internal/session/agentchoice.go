package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// selection is the event that a configuration has selected an agent; none if it has not.
func selection(cfg wire.Config, roster agent.Roster) []wire.Data {
	if cfg.Agent == "" {
		return nil
	}
	return []wire.Data{agents.Selected(roster.Main)}
}

// restore is [attachment.check] for a session that is read from its log: the agent that was
// selected there is selected again, unless the configuration names one. own is whether the log is
// of this machine: another log selects nothing. events are what is to be recorded about the
// choice. It reads files.
func (e attachment) restore(cfg wire.Config, own bool) (roster agent.Roster, events []wire.Data, err error) {
	name := e.s.log.State().Agent
	if cfg.Agent != "" {
		name = cfg.Agent
	}
	files := e.agentFiles(cfg, name, e.s.permissions.Folder(), e.s.config.search)
	roster, err = e.check(cfg, files)
	switch {
	case err != nil || name == "":
		return roster, nil, err
	case cfg.Agent != "":
		return roster, selection(cfg, roster), nil
	case own && roster.Select(name, files):
		return roster, nil, nil
	}
	why := "is defined neither in customAgents nor in a file now"
	if !own {
		why = "was not selected on this machine"
	}
	text := fmt.Sprintf("The agent %q, which the log names, %s. The session continues with the default agent; select another one if you like.", name, why)
	return roster, []wire.Data{&wire.SubagentDeselected{}, &wire.SessionWarning{WarningType: "agent_not_restored", Message: text}}, nil
}

// agentFilesOf is agentFiles for a session in memory, whose settings its goroutine has.
func (e attachment) agentFilesOf(ctx context.Context, cfg wire.Config) ([]agent.Definition, error) {
	if cfg.Agent == "" {
		return nil, nil
	}
	search, err := mailbox.Ask(ctx, e.s.log.Do, func() (discovery.Settings, error) { return e.s.config.search, nil })
	if err != nil {
		return nil, err
	}
	return e.agentFiles(cfg, cfg.Agent, e.s.log.Cwd(), search), nil
}

// agentFiles returns the agents of files for a session in the folder cwd, with the settings of
// search and of cfg; none if no file can define the agent of that name, because a client does, or
// because there is no name.
func (e attachment) agentFiles(cfg wire.Config, name, cwd string, search discovery.Settings) []agent.Definition {
	if name == "" || slices.ContainsFunc(cfg.CustomAgents, func(a wire.CustomAgent) bool { return a.Name == name }) {
		return nil
	}
	search.Configure(cfg)
	where := e.s.home.Finder.Locate(cfg, cwd)
	return e.s.home.Finder.Agents(discovery.Scope{Settings: search, Cwd: where.Cwd, Root: where.GitRoot})
}
