package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestTheNameOfAModelMayNameItsProvider(t *testing.T) {
	for _, tc := range []struct {
		model string
		env   env
		want  Provider // zero: the name has no provider
	}{
		{"anthropic:claude-opus-5-5", env{"ANTHROPIC_API_KEY": "k"}, Provider{
			Kind: Vendor, Vendor: "anthropic", Dialect: anthropic, BaseURL: "https://api.anthropic.com", Key: "k", WireModel: "claude-opus-5-5", From: Default,
		}},
		{"anthropic:m", env{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://proxy"}, Provider{
			Kind: Vendor, Vendor: "anthropic", Dialect: anthropic, BaseURL: "http://proxy", Key: "k", WireModel: "m", From: "env ANTHROPIC_BASE_URL",
		}},
		{"gemini:m", env{"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://proxy/"}, Provider{
			Kind: Vendor, Vendor: "gemini", Dialect: gemini, BaseURL: "http://proxy/v1beta", Key: "k", WireModel: "m", From: "env GOOGLE_GEMINI_BASE_URL",
		}},
		{"gemini:m", env{"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://proxy/v1"}, Provider{
			Kind: Vendor, Vendor: "gemini", Dialect: gemini, BaseURL: "http://proxy/v1", Key: "k", WireModel: "m", From: "env GOOGLE_GEMINI_BASE_URL",
		}},
		{"ollama:qwen3:8b", env{}, Provider{
			Kind: Vendor, Vendor: "ollama", Dialect: chatCompletions, BaseURL: "http://127.0.0.1:11434/v1", WireModel: "qwen3:8b", From: Default,
		}},
		{"ollama:qwen3", env{"OLLAMA_HOST": "box"}, Provider{
			Kind: Vendor, Vendor: "ollama", Dialect: chatCompletions, BaseURL: "http://box:11434/v1", WireModel: "qwen3", From: "env OLLAMA_HOST",
		}},
		{"azure:prod", env{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"}, Provider{
			Kind: Vendor, Vendor: "azure", Dialect: responses, BaseURL: "https://r.openai.azure.com/openai/v1", Key: "k", WireModel: "prod", From: "env AZURE_OPENAI_ENDPOINT",
		}},
		{"http://box:8000/v1#qwen/qwen3", env{"OPENAI_BASE_URL": "http://other/v1", "OPENAI_API_KEY": "k"}, Provider{
			Kind: Vendor, Dialect: chatCompletions, BaseURL: "http://box:8000/v1", WireModel: "qwen/qwen3", From: "the name of the model",
		}},
		{"http://box/v1#m", env{"OPENAI_BASE_URL": "http://box/v1/", "OPENAI_API_KEY": "k"}, Provider{
			Kind: Vendor, Dialect: chatCompletions, BaseURL: "http://box/v1", Key: "k", WireModel: "m", From: "the name of the model",
		}},
		{"qwen3:8b", env{}, Provider{}},
		{"gpt-6", env{}, Provider{}},
		{"anthropic:", env{}, Provider{}},
		{"extension:https://agent.example", env{}, Provider{}},
		{"a#b", env{}, Provider{}},
	} {
		t.Run(tc.model, func(t *testing.T) {
			got, ok := load(t, Flags{}, tc.env).Named(tc.model)
			if ok {
				tc.want.Model = tc.model
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateErrors()); diff != "" {
				t.Error("Named (-want +got):\n" + diff)
			}
		})
	}
}

func TestWhatAVendorLacks(t *testing.T) {
	for model, want := range map[string]string{
		"anthropic:m": "set ANTHROPIC_API_KEY", "azure:m": "address of azure is not known", "gemini:m": "GEMINI_API_KEY",
	} {
		p, ok := load(t, Flags{}, env{}).Named(model)
		if !ok || fault.KindOf(p.Missing) != fault.Invalid || !strings.Contains(p.Missing.Error(), want) {
			t.Errorf("%s: %v, want %q", model, p.Missing, want)
		}
	}
	if p, _ := load(t, Flags{}, env{"OLLAMA_HOST": "ftp://x"}).Named("ollama:m"); p.Missing == nil {
		t.Error("an address that is none is accepted")
	}
}

func TestTheConfiguredModelChoosesItsProvider(t *testing.T) {
	p := load(t, Flags{Model: "anthropic:m"}, env{"ANTHROPIC_API_KEY": "k", "OPENAI_BASE_URL": "http://l/v1"}).Provider()
	if p.Kind != Vendor || p.Vendor != "anthropic" {
		t.Errorf("the provider is %+v", p)
	}
}

// Tools must not inherit the keys, and nothing may print them.
func TestKeysOfVendorsAreSecrets(t *testing.T) {
	e := env{"ANTHROPIC_API_KEY": "a-key", "GEMINI_API_KEY": "g-key"}
	found := map[string]bool{}
	for _, v := range SecretVariables(Flags{}, e.get) {
		found[v.Name] = found[v.Name] || v.Value != ""
	}
	if !found["ANTHROPIC_API_KEY"] || !found["GEMINI_API_KEY"] {
		t.Errorf("the secret variables are %v", found)
	}
	if n := len(load(t, Flags{}, e).VendorKeys()); n != 2 {
		t.Errorf("%d keys, want 2", n)
	}
}

// The page about models has a row for each vendor.
func TestTheModelsPageHasEveryVendor(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	dialects := map[string]string{chatCompletions: "chat completions", responses: "Responses", anthropic: "Anthropic Messages", gemini: "Gemini"}
	for _, v := range vendors() {
		_, row, _ := strings.Cut(string(page), "\n| `"+v.name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		for _, want := range append(append([]string{dialects[v.dialect], v.baseURL}, v.keyVariables...), v.addressVariables...) {
			if row == "" || !strings.Contains(row, want) {
				t.Errorf("docs/models.md: the row of %s does not have %q: %s", v.name, want, row)
			}
		}
	}
}
