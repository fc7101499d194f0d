package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// source is a provider at an address.
func source(name, address string) wiring.Source {
	return wiring.Source{Name: name, Prefix: name + ":", Vendor: name, Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: address}}}
}

// A provider that stalls delays no other one beyond its bound, and the error of each is in its row.
// A server on this machine that does not answer has none.
func TestProvidersAreAskedAtTheSameTime(t *testing.T) {
	end := make(chan struct{})
	stalls := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer stalls.Close()
	defer close(end)
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"claude-haiku-4-5-20251001"},{"id":"own","context_length":9000,"pricing":{"prompt":"0.000001","completion":"0.000002"}}]}`))
	}))
	defer answers.Close()
	s := &survey{o: &cli.Options{}, facts: known.New(vfs.OS{}, "")}
	var sources []wiring.Source
	for range 8 {
		sources = append(sources, source("slow", stalls.URL+"/v1"))
	}
	begin := time.Now()
	offers, err := s.ask(t.Context(), append(sources, source("anthropic", answers.URL)), []wiring.Source{source("gone", "http://127.0.0.1:1"), source("here", answers.URL+"/local/v1")})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 3*checkWait {
		t.Errorf("all together took %v, want the time of one", took)
	}
	rows := rowsOf(offers)
	if len(offers) != 10 || len(rows) != 12 {
		t.Fatalf("there are %d offers with %d rows: %+v", len(offers), len(rows), rows)
	}
	for _, r := range rows[:8] {
		if r.Provider != "slow" || !strings.Contains(r.Error, "no answer in 5s") {
			t.Errorf("the row of a provider that stalls is %+v", r)
		}
	}
	r := rows[8]
	if r.Model != "anthropic:claude-haiku-4-5-20251001" || r.ContextTokens != 200_000 || r.OutputTokens != 64_000 || !r.Vision || r.Price == nil || r.Price.Input != 1 {
		t.Errorf("a model of the catalogue is %+v", r)
	}
	if r := rows[9]; r.Model != "anthropic:own" || r.ContextTokens != 9000 || r.Price == nil || r.Price.Input != 1 || r.Price.Output != 2 {
		t.Errorf("a model of the provider's list is %+v", r)
	}
	if !offers[9].local || rows[10].Provider != "here" || rows[10].Price != nil {
		t.Errorf("the server on this machine is %+v", offers[9])
	}
}

func TestTheTableFits80Columns(t *testing.T) {
	yes := true
	long := "openrouter:nvidia/llama-3.3-nemotron-super-49b-v1.5-with-a-long-name:free"
	offers := []offer{
		{name: "openrouter", address: "https://openrouter.ai/api/v1", listed: 2, rows: []modelRow{
			{Model: long, ContextTokens: 1_048_576, OutputTokens: 131_072, Vision: true, PDFs: &yes, Reasoning: &yes, Price: &known.Price{Rates: known.Rates{Input: 0.00875, Output: 12.75}}},
			{Model: "openrouter:a/b", Selected: true},
		}},
		{name: "xai", address: "https://api.x.ai/v1", err: &model.Error{Message: strings.Repeat("a long reason ", 40)}},
		{name: "empty", address: "http://127.0.0.1:8000/v1", local: true},
	}
	s := &survey{o: &cli.Options{Sys: cli.System{Getenv: func(string) string { return "" }}}, cfg: config.Config{}}
	text := s.table(offers)
	for line := range strings.Lines(text) {
		if w := timeline.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	for _, want := range []string{"   " + long + "\n", "*  openrouter:a/b\n", "0.00875   12.75  ipr\n", "a long reason", "it lists no models"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not have %q:\n%s", want, text)
		}
	}
}
