package known

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// hosts are the servers of the providers in models.json. A name that begins with a dot stands for
// all servers below it.
// Source: the documentation of each, 2026-11.
var hosts = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"api.openai.com":                    "openai",
		"api.anthropic.com":                 "anthropic",
		"generativelanguage.googleapis.com": "gemini",
		"api.x.ai":                          "xai",
		"api.deepseek.com":                  "deepseek",
		"api.moonshot.ai":                   "moonshot",
		"api.z.ai":                          "zai",
		"api.minimax.io":                    "minimax",
		".aliyuncs.com":                     "qwen",
		"api.mistral.ai":                    "mistral",
		".amazonaws.com":                    "bedrock",
		"api.groq.com":                      "groq",
		"api.cerebras.ai":                   "cerebras",
		"api.cohere.com":                    "cohere",
		".openai.azure.com":                 "azure",
		"openrouter.ai":                     "openrouter",
	}
}}

// Providers are the names that an entry can have as its provider: those of the servers, and those
// of programs on the user's machine, whose addresses say nothing.
func Providers() []string {
	names := append(slices.Collect(maps.Values(hosts.Get())), "ollama", "lmstudio", "llamacpp", "vllm")
	slices.Sort(names)
	return slices.Compact(names)
}

// ProviderAt returns the provider whose server has an address, "" if none is known.
func ProviderAt(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if name := hosts.Get()[host]; name != "" {
		return name
	}
	for {
		_, above, found := strings.Cut(host, ".")
		if !found {
			return ""
		}
		if name := hosts.Get()["."+above]; name != "" {
			return name
		}
		host = above
	}
}
