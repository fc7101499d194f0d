package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// mostWindows bounds the models of a list that the server is asked about.
const mostWindows = 32

// windows puts the windows that are in force into the rows of a server that is not a known vendor's, as a run does.
// The user's file and settings come first. A window that no server can be asked for stays as the list or the catalogue gives it.
func (s *survey) windows(ctx context.Context, client *model.Client, source wiring.Source, rows []modelRow) {
	p := source.Provider
	var names []string
	var asked []*modelRow
	for i := range rows {
		if r := &rows[i]; (r.ContextSource != provider.WindowOfUser) && len(names) < mostWindows {
			names, asked = append(names, r.ID), append(asked, r)
		}
	}
	if len(names) == 0 || !asksForWindows(&p.Endpoint) || p.ContextTokens > 0 && p.ContextFrom != provider.WindowRequested {
		return
	}
	found, err := client.Windows(ctx, p.Endpoint, names...)
	for i, r := range asked {
		if err == nil && found[i].Tokens > 0 && (p.ContextTokens == 0 || found[i].Tokens < p.ContextTokens) {
			r.ContextTokens, r.PromptTokens, r.ContextSource = found[i].Tokens, 0, found[i].Source
		}
	}
}

// asksForWindows reports whether a run asks the server of an endpoint for windows.
func asksForWindows(e *model.Endpoint) bool {
	switch e.Dialect {
	case "", chat.Name, responses.Name, anthropic.Name:
		return known.ProviderAt(e.BaseURL) == "" && !e.Copilot && !e.Azure.Resource
	case ollama.Name:
		return true
	}
	return false
}

// contextOf says where the sizes of a row come from, and puts the window that requests ask for in the place of a larger one.
func (r *modelRow) contextOf(source wiring.Source, mine *known.Model, info *model.Info) {
	switch asked := source.Provider.ContextTokens; {
	case asked > 0 && (r.ContextTokens == 0 || asked < r.ContextTokens):
		r.ContextTokens, r.PromptTokens, r.ContextSource = asked, 0, source.Provider.ContextFrom
	case mine.Prompt() > 0:
		r.ContextSource = provider.WindowOfUser
	case info.MaxContext+info.MaxPrompt > 0:
		r.ContextSource = model.WindowOfList
	case r.ContextTokens+r.PromptTokens > 0:
		r.ContextSource = provider.WindowOfCatalogue
	}
}

// checkWindow says which window a run with the model has, and where that is known from. A server with one model
// serves it under any name.
func (s *survey) checkWindow(name, address string, rows []modelRow) cli.Check {
	f := cli.Check{About: "window", Grade: cli.Good}
	var row modelRow
	for i := range rows {
		if rows[i].ID == name || name == "" && i == 0 || len(rows) == 1 {
			row = rows[i]
			break
		}
	}
	tokens, from := cmp.Or(row.ContextTokens, row.PromptTokens), row.ContextSource
	if kept := s.kept.Of(address, cmp.Or(name, row.ID)); row.ContextSource != provider.WindowOfUser {
		if tokens == 0 && kept.Said > 0 {
			tokens, from = kept.Said, kept.Source+" on "+kept.SaidOn.Format("2006-01-02")
		}
		if kept.Named > 0 && (tokens == 0 || kept.Named < tokens) {
			tokens, from = kept.Named, provider.WindowOfError+" on "+kept.NamedOn.Format("2006-01-02")
		}
	}
	if tokens == 0 {
		f.Grade, f.Is = cli.Fair, "the server does not say it; 128,000 tokens are assumed until an error names another number"
		f.Next = "if it is smaller, write it into models.json in the home folder: docs/models.md says how"
		return f
	}
	f.Is = fmt.Sprintf("%s tokens (%s)", timeline.Count(tokens), timeline.OneLine(from, 100))
	return f
}
