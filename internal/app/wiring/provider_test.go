package wiring

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/obs"
)

// Package config does not know the dialects, and names them.
func TestProvidersSpeakDialectsThatThereAre(t *testing.T) {
	cfg, err := config.Load(config.Flags{}, func(string) string { return "" }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stored := Keys(cfg, cli.System{}, &obs.Redactor{})
	defer stored.Close()
	for model, want := range map[string]string{
		"openai:m": responses.Name, "xai:m": responses.Name, "azure:m": responses.Name, "anthropic:m": anthropic.Name, "gemini:m": gemini.Name,
		"ollama:m": chat.Name, "http://box/v1#m": chat.Name,
	} {
		p, ok := named(cfg, stored)(model)
		if !ok || p.Endpoint.Dialect != want || p.Endpoint.WireModel != "m" || p.Model != model {
			t.Errorf("%s: %+v, want the dialect %s", model, p.Endpoint, want)
		}
	}
	if _, ok := named(cfg, stored)("m"); ok {
		t.Error("a plain name names a provider")
	}
}
