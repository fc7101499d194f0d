package wiring

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
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
		"ollama:m": ollama.Name, "bedrock:m": bedrock.Name, "http://box/v1#m": chat.Name,
	} {
		p, ok := named(cfg, stored, nil)(model)
		if !ok || p.Endpoint.Dialect != want || p.Endpoint.WireModel != "m" || p.Model != model {
			t.Errorf("%s: %+v, want the dialect %s", model, p.Endpoint, want)
		}
	}
	if _, ok := named(cfg, stored, nil)("m"); ok {
		t.Error("a plain name names a provider")
	}
}

// The credentials of clouds reach the endpoint, and the size of Ollama's window the session, too.
func TestClouds(t *testing.T) {
	env := map[string]string{
		"AZURE_OPENAI_ENDPOINT": "http://azure", "AZURE_OPENAI_AD_TOKEN": "entra", "AZURE_OPENAI_API_VERSION": "2024-10-21",
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session", "OLLAMA_CONTEXT_LENGTH": "9000",
	}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	of := named(cfg, Keys(cfg, cli.System{}, &obs.Redactor{}), nil)
	if p, _ := of("azure:m"); p.Endpoint.BearerToken != "entra" || p.Endpoint.APIKey != "" || p.Endpoint.Azure != (model.Azure{Resource: true, APIVersion: "2024-10-21"}) {
		t.Errorf("azure: %+v", p.Endpoint)
	}
	if p, _ := of("bedrock:m"); p.Endpoint.AWS != (model.AWS{Region: "us-east-1", KeyID: "AK", Secret: "secret", SessionToken: "session"}) || p.Missing != nil {
		t.Errorf("bedrock: %+v, %v", p.Endpoint, p.Missing)
	}
	if p, _ := of("ollama:m"); p.Endpoint.MaxPromptTokens != 9000 || p.ContextTokens != 9000 {
		t.Errorf("ollama: %+v", p)
	}
}
