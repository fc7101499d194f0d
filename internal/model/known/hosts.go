package known

import (
	"cmp"
	"maps"
	"net/netip"
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
// of programs on the user's machine.
func Providers() []string {
	names := append(slices.Collect(maps.Values(hosts.Get())), "ollama", "lmstudio", "llamacpp", "vllm")
	slices.Sort(names)
	return slices.Compact(names)
}

// ProviderOf returns the name of a provider in the user's file: vendor, by which a model was named, or else
// that of the server at an address. A server on this machine at the usual port of such a program counts as
// that program, because most people write its address and not its name. "" if no name is known.
func ProviderOf(vendor, baseURL string) string {
	if name := cmp.Or(vendor, ProviderAt(baseURL)); name != "" {
		return name
	}
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return ""
	}
	switch u.Port() {
	case "11434":
		return "ollama"
	case "1234":
		return "lmstudio"
	case "8080":
		return "llamacpp"
	case "8000":
		return "vllm"
	}
	return ""
}

// mostTools are the numbers of tools that a request to a provider may have.
// Source: what they answer (package model, toolLimitWords); xAI: docs.x.ai, function calling.
var mostTools = lazy.Value[map[string]int]{Make: func() map[string]int {
	return map[string]int{"openai": 128, "azure": 128, "groq": 128, "xai": 200, "gemini": 512}
}}

// MostTools is how many tools a request to a provider may have; 0 if no limit is known.
func MostTools(provider string) int { return mostTools.Get()[provider] }

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
