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

// Prompts lists the slash commands from files of prompts.
func Prompts(ctx context.Context, s *session.Session) (list []Item, err error) {
	all, err := s.Commands().Files(ctx)
	for _, k := range all {
		list = append(list, Item{Name: "/" + k.Name, About: k.Description, Source: "prompt file"})
	}
	return list, err
}
