package app

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// offerModels asks all providers, and the servers on this machine, for their models, for /model. tell
// gets what is known of all of them, at first and after each answer; it is never called twice at the
// same time.
func offerModels(ctx context.Context, o *cli.Options, cfg config.Config, tell func([]page.Provider)) error {
	s := newSurvey(o, cfg)
	defer s.stored.Close()
	if _, err := s.facts.Check(); err != nil {
		return err
	}
	var mu sync.Mutex
	var all []page.Provider
	s.told = func(i, of int, f offer, asked bool) {
		mu.Lock()
		defer mu.Unlock()
		all = slices.Grow(all, of)[:of]
		if all[i] = pageOf(f, asked); i < of-1 && !asked {
			return // the last one is told with all
		}
		tell(slices.DeleteFunc(slices.Clone(all), func(p page.Provider) bool { return p.Name == "" || p.Local && (p.Err != "" || !p.Asked) }))
	}
	_, err := s.ask(ctx, wiring.Sources(cfg, s.stored), wiring.LocalSources(cfg, s.stored))
	return err
}

// pageOf is what a provider has, for the list.
func pageOf(f offer, asked bool) page.Provider {
	p := page.Provider{Name: f.name, Address: f.address, Local: f.local, Asked: asked}
	if f.err != nil {
		p.Err = fault.Message(f.err)
	}
	for i := range f.rows {
		p.Models = append(p.Models, f.rows[i].page())
	}
	return p
}

func (r *modelRow) page() page.Model {
	m := page.Model{
		Name: r.Model, Title: r.Name, Context: r.ContextTokens, Output: r.OutputTokens, Images: r.Vision, PDFs: r.PDFs != nil && *r.PDFs,
		Reasoning: r.Reasoning != nil && *r.Reasoning, Efforts: r.ReasoningEfforts, Ends: r.Ends, Note: r.Note, Selected: r.Selected,
	}
	if m.Context == 0 {
		m.Context = r.PromptTokens
	}
	if m.Title == r.ID {
		m.Title = ""
	}
	if r.Price != nil {
		m.In, m.Out = dollars(r.Price.Input), dollars(r.Price.Output)
	}
	return m
}

func dollars(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
