package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// survey asks providers for their models.
type survey struct {
	o      *cli.Options
	cfg    config.Config
	facts  *known.Catalogue
	kept   *known.Windows
	stored *keys.Store // the caller closes it
	words  []string    // in the names of all models that count
	// told, if it is not nil, learns of the sources, with of their number, and of each again when it
	// has answered. Several goroutines call it.
	told func(i, of int, f offer, asked bool)
}

func newSurvey(o *cli.Options, cfg config.Config) *survey {
	return &survey{o: o, cfg: cfg, facts: known.New(o.Sys.FS, known.Path(cli.Absolute(cfg.Home.Value))), kept: known.OpenWindows(o.Sys.FS, cli.Absolute(cfg.Home.Value), nil), stored: wiring.Keys(cfg, o.Sys, &o.Secrets)}
}

// offer is what one provider has.
type offer struct {
	name, address string
	local         bool // it was found on this machine, and is not configured
	rows          []modelRow
	listed        int // the models of its list, also those that do not have the words
	took          time.Duration
	err           error
}

// modelRow is a model as `models --json` prints it. Zero values are not known, except that of
// Vision. A provider that fails has a row with its error.
type modelRow struct {
	Model            string   `json:"model,omitempty"` // as -m takes it
	Provider         string   `json:"provider"`
	Selected         bool     `json:"selected,omitempty"`
	ID               string   `json:"id,omitempty"`
	Name             string   `json:"name,omitempty"`
	Vendor           string   `json:"vendor,omitempty"`
	ContextTokens    int64    `json:"contextTokens,omitempty"`
	PromptTokens     int64    `json:"promptTokens,omitempty"`
	ContextSource    string   `json:"contextSource,omitempty"` // of the two, in words
	OutputTokens     int64    `json:"outputTokens,omitempty"`
	Vision           bool     `json:"vision"`
	PDFs             *bool    `json:"pdfs,omitempty"`
	Tools            *bool    `json:"tools,omitempty"`
	Reasoning        *bool    `json:"reasoning,omitempty"`
	ReasoningEfforts []string `json:"reasoningEfforts,omitempty"`
	// Request is what the user's file sets for the calls of the model, also by an entry for every model.
	Request *known.Request `json:"request,omitempty"`
	Price   *known.Price   `json:"price,omitempty"`
	Ends    string         `json:"ends,omitempty"`
	Note    string         `json:"note,omitempty"`
	Source  string         `json:"source,omitempty"`
	Date    string         `json:"date,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// localWait bounds the search for a server on this machine, which answers at once or not at all.
const localWait = time.Second

// client makes the calls of the survey; the caller closes it. The error is about certificates.
func (s *survey) client() (*model.Client, error) {
	certificates, _, err := wiring.Certificates(s.cfg)
	if err != nil {
		return nil, err
	}
	return wiring.Models(model.Options{TLS: certificates, Logger: slog.New(slog.DiscardHandler), Secrets: &s.o.Secrets}, nil), nil
}

// ask asks all sources at the same time. A local source that does not answer is left out; one that loads its model
// has answered.
func (s *survey) ask(ctx context.Context, sources, locals []wiring.Source) ([]offer, error) {
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	locals = slices.DeleteFunc(locals, func(l wiring.Source) bool {
		return slices.ContainsFunc(sources, func(c wiring.Source) bool {
			return config.SameServer(c.Provider.Endpoint.BaseURL, l.Provider.Endpoint.BaseURL)
		})
	})
	offers := make([]offer, len(sources)+len(locals))
	var all sync.WaitGroup
	for i, source := range slices.Concat(sources, locals) {
		offers[i] = offer{name: source.Name, address: model.PublicAddress(source.Provider.Endpoint.BaseURL), local: i >= len(sources)}
		s.tell(i, len(offers), offers[i], false)
		all.Go(func() {
			s.askOne(ctx, client, source, &offers[i])
			s.tell(i, len(offers), offers[i], true)
		})
	}
	all.Wait()
	return slices.DeleteFunc(offers, func(f offer) bool { return f.local && f.err != nil && !model.Loads(f.err) }), nil
}

func (s *survey) tell(i, of int, f offer, asked bool) {
	if s.told != nil {
		s.told(i, of, f, asked)
	}
}

func (s *survey) askOne(ctx context.Context, client *model.Client, source wiring.Source, to *offer) {
	wait := checkWait
	if to.local {
		wait = localWait
	}
	p := source.Provider
	to.name, to.address, to.err = source.Name, model.PublicAddress(p.Endpoint.BaseURL), p.Missing
	if to.err == nil && p.Endpoint.Keys != nil { // now, because it may wait for the user
		p.Endpoint.APIKey, to.err = p.Endpoint.Keys(ctx, "")
	}
	if to.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	begin := time.Now()
	p = p.Located(ctx)
	infos, err := client.Models(ctx, p.Endpoint)
	to.took, to.listed = time.Since(begin), len(infos)
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		to.err = &fault.Error{
			Op: "models", On: to.address, Kind: fault.Unavailable, Hint: "is it running, and is this its address?",
			Err: errors.New("no answer in " + wait.String()),
		}
	case err != nil:
		to.err = err
	default:
		to.rows = s.matching(s.rows(source, infos))
		source.Provider = p
		s.windows(ctx, client, source, to.rows)
	}
}

// rows describes the models of a list.
func (s *survey) rows(source wiring.Source, infos []model.Info) []modelRow {
	rows := make([]modelRow, len(infos))
	inUse := s.cfg.Provider()
	chosen := cmp.Or(inUse.WireModel, inUse.Model)
	if chosen == "" && len(infos) > 0 {
		chosen = infos[0].ID
	}
	for i := range infos {
		rows[i] = s.row(source, &infos[i])
		rows[i].Selected = infos[i].ID == chosen && inUse.BaseURL == source.Provider.Endpoint.BaseURL
	}
	return rows
}

func (s *survey) row(source wiring.Source, info *model.Info) modelRow {
	found, _ := s.facts.Find(known.ProviderOf(source.Vendor, source.Provider.Endpoint.BaseURL), info.ID) // was checked
	m, mine := found.Model(), found.User
	r := modelRow{
		Model: source.Prefix + info.ID, Provider: source.Name, ID: info.ID, Name: info.Name, Vendor: info.Vendor,
		ContextTokens: mine.ContextTokens, PromptTokens: mine.PromptTokens,
		OutputTokens: cmp.Or(mine.OutputTokens, int64(info.MaxOutput), m.OutputTokens),
		Vision:       info.Vision, PDFs: m.PDFs, Tools: m.Tools, Reasoning: m.Reasoning, ReasoningEfforts: mine.ReasoningEfforts, Request: mine.Request,
		Price: info.Price, Ends: m.Ends, Note: m.Note, Source: m.Source, Date: m.Date,
	}
	if mine.Prompt() == 0 {
		r.ContextTokens, r.PromptTokens = int64(info.MaxContext), int64(info.MaxPrompt)
		if r.ContextTokens+r.PromptTokens == 0 {
			r.ContextTokens, r.PromptTokens = m.ContextTokens, m.PromptTokens
		}
	}
	r.contextOf(source, &mine, info)
	if m.Images != nil && (mine.Images != nil || !info.Vision) {
		r.Vision = *m.Images
	}
	if r.ReasoningEfforts == nil {
		r.ReasoningEfforts = info.ReasoningEfforts
	}
	if r.ReasoningEfforts == nil {
		r.ReasoningEfforts = m.ReasoningEfforts
	}
	if p := m.PriceAt(time.Now()); p != nil && (mine.Prices != nil || r.Price == nil) {
		r.Price = p
	}
	return r
}

// matching returns the rows whose names have all the words.
func (s *survey) matching(rows []modelRow) []modelRow {
	return slices.DeleteFunc(rows, func(r modelRow) bool {
		text := strings.ToLower(r.Provider + " " + r.Model + " " + r.Name)
		return slices.ContainsFunc(s.words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
	})
}

// rowsOf are the rows of all providers, those of failures among them.
func rowsOf(offers []offer) (all []modelRow) {
	for _, f := range offers {
		all = append(all, f.rows...)
		if f.err != nil {
			all = append(all, modelRow{Provider: f.name, Error: fault.Message(f.err)})
		}
	}
	return all
}
