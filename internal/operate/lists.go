package operate

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// Item is something that the agent can use, for a list. Its texts are raw: pass them through
// [timeline.Harmless] before printing.
type Item struct {
	Name   string
	State  string // such as connected, failed, off; "" for none
	About  string // a description, or why it failed
	Source string // where it comes from: user, project, a plugin; "" if not known
}

// Servers lists the MCP servers of a session with their states.
func Servers(ctx context.Context, s *session.Session) (list []Item, err error) {
	got, err := session.MCP(s).List(ctx)
	for _, m := range got.Servers {
		i := Item{Name: m.Name, State: string(m.Status)}
		if m.Error != nil {
			i.About = *m.Error
		}
		if m.Source != nil {
			i.Source = string(*m.Source)
		}
		list = append(list, i)
	}
	return list, err
}

// Agents lists the agents that the session can call or be led by, the built-in ones first.
func Agents(ctx context.Context, s *session.Session) (list []Item, err error) {
	got, err := s.Agents().List(ctx, true, false)
	for _, a := range got {
		i := Item{Name: a.Name, About: a.Description}
		if a.Source != nil {
			i.Source = string(*a.Source)
		}
		list = append(list, i)
	}
	return list, err
}

// Skills lists the skills that were found for the session, also those that are off.
func Skills(ctx context.Context, s *session.Session) (list []Item, err error) {
	got, err := s.Discovery().Skills(ctx)
	for _, k := range got {
		i := Item{Name: k.Name, About: k.Description, Source: string(k.Source)}
		if !k.Enabled {
			i.State = "off"
		}
		list = append(list, i)
	}
	return list, err
}

// Prompts lists the slash commands from files of prompts.
func Prompts(ctx context.Context, s *session.Session) (list []Item, err error) {
	skills, err := s.Commands().Skills(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Commands().Prompts(ctx)
	for _, k := range all[min(len(skills), len(all)):] { // those of skills come first
		list = append(list, Item{Name: "/" + k.Name, About: k.Description, Source: "prompt file"})
	}
	return list, err
}
