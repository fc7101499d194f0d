package chat

import "github.com/sidestick-dev/sidestick/internal/model"

// members are those that a request has at its top.
func members() []string {
	return []string{
		"model", "messages", "tools", "stream", "stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort", "response_format",
		"prompt_cache_key", "return_progress", "n", "functions", "temperature", "top_p", "top_k", "min_p", "seed", "random_seed", "presence_penalty",
		"frequency_penalty", "repeat_penalty", "repetition_penalty",
	}
}

// paramsOf returns the names of the sampling parameters at the provider of an endpoint. Vendors refuse those
// that they do not know. Servers that are not known, such as those on the user's machine, take all: llama.cpp
// and LM Studio have repeat_penalty, vLLM and SGLang repetition_penalty, and they ignore the other name.
// Sources: tools/server/README.md of llama.cpp, LM Studio's page on chat completions, vLLM's
// "OpenAI-compatible server", OpenRouter's page on parameters, Mistral's API (random_seed),
// DeepSeek's "Create Chat Completion" (no seed), 2026-11.
func paramsOf(ep *model.Endpoint) *model.ParamNames {
	host := hostOf(ep.BaseURL)
	names := &model.ParamNames{
		Temperature: "temperature", TopP: "top_p", Seed: "seed", PresencePenalty: "presence_penalty", FrequencyPenalty: "frequency_penalty",
	}
	switch {
	case within(host, "mistral.ai"):
		names.Seed = "random_seed"
	case within(host, "deepseek.com"):
		names.Seed = "" // it would be ignored
	case within(host, "openrouter.ai"):
		names.TopK, names.MinP, names.RepeatPenalty = "top_k", "min_p", []string{"repetition_penalty"}
	case ep.Copilot || knownVendor(host):
	default:
		names.TopK, names.MinP, names.RepeatPenalty = "top_k", "min_p", []string{"repeat_penalty", "repetition_penalty"}
	}
	return names
}

// knownVendor reports whether a host belongs to a vendor of chat completions.
func knownVendor(host string) bool {
	for _, domain := range [...]string{
		"githubcopilot.com", "openai.com", "openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com", "googleapis.com", "deepseek.com",
		"moonshot.ai", "moonshot.cn", "z.ai", "bigmodel.cn", "groq.com", "cerebras.ai", "x.ai",
	} {
		if within(host, domain) {
			return true
		}
	}
	return false
}
