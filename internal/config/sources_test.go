package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/config"
)

func TestSources(t *testing.T) {
	for _, tc := range []struct {
		name string
		vars map[string]string
		want []string // the vendor, or else the kind, and the address
	}{
		{"nothing", nil, nil},
		{"a base URL", map[string]string{"OPENAI_BASE_URL": "http://h/v1"}, []string{"openai http://h/v1"}},
		{"the key of another server", map[string]string{"OPENAI_BASE_URL": "http://h/v1", "OPENAI_API_KEY": "k"}, []string{"openai http://h/v1"}},
		{"only OpenAI's key: its own dialect", map[string]string{"OPENAI_API_KEY": "k"}, []string{"openai https://api.openai.com/v1"}},
		{
			"several, the one in use first",
			map[string]string{"ANTHROPIC_API_KEY": "k", "GROQ_API_KEY": "k", "GH_TOKEN": "t", "SIDESTICK_MODEL": "groq:m"},
			[]string{"groq https://api.groq.com/openai/v1", "anthropic https://api.anthropic.com", "copilot https://api.githubcopilot.com"},
		},
		{
			"names without a provider go elsewhere",
			map[string]string{"OPENAI_BASE_URL": "http://h/v1", "GH_TOKEN": "t", "GROQ_API_KEY": "k", "SIDESTICK_MODEL": "groq:m"},
			[]string{"groq https://api.groq.com/openai/v1", "openai http://h/v1"},
		},
		{"one without its key", map[string]string{"SIDESTICK_MODEL": "xai:m"}, []string{"xai https://api.x.ai/v1"}},
		{"a local one with an address", map[string]string{"OLLAMA_HOST": "far"}, []string{"ollama http://far:11434"}},
		{"an address without its key", map[string]string{"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com"}, nil},
		{"a stored key", map[string]string{"STORED": "groq"}, []string{"groq https://api.groq.com/openai/v1"}},
		{"a stored key of OpenAI", map[string]string{"STORED": "openai"}, []string{"openai https://api.openai.com/v1"}},
		{"one address twice", map[string]string{"OLLAMA_HOST": "h:1", "OPENAI_BASE_URL": "http://h:1/v1"}, []string{"openai http://h:1/v1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, err := config.Load(config.Flags{}, func(name string) string { return tc.vars[name] }, "/home/u")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range cfg.Sources(func(name string) bool { return name == tc.vars["STORED"] }) {
				name := p.Vendor
				if name == "" {
					name = string(p.Kind)
				}
				if got = append(got, name+" "+p.BaseURL); p.Model != "" || p.WireModel != "" {
					t.Errorf("%s has a model: %q, %q", name, p.Model, p.WireModel)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLocals(t *testing.T) {
	load := func(vars map[string]string) (config.Config, error) {
		return config.Load(config.Flags{}, func(name string) string { return vars[name] }, "/home/u")
	}
	for set, want := range map[string]string{
		"":                          "http://127.0.0.1:11434 http://127.0.0.1:1234/v1 http://127.0.0.1:8080/v1 http://127.0.0.1:8000/v1",
		"off":                       "",
		"http://a/v1, https://b/v1": "http://a/v1 https://b/v1",
	} {
		cfg, err := load(map[string]string{"SIDESTICK_LOCAL_SERVERS": set})
		var got []string
		for _, p := range cfg.Locals() {
			got = append(got, p.BaseURL)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v (%v), want %s", set, got, err, want)
		}
	}
	for _, set := range []string{"on", "http://a/v1,", "localhost:1", "http://a#m", "http://u:p@a"} {
		if _, err := load(map[string]string{"SIDESTICK_LOCAL_SERVERS": set}); err == nil || !strings.Contains(err.Error(), "SIDESTICK_LOCAL_SERVERS") || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %v", set, err)
		}
	}
}
