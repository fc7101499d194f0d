package model

import (
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// common are the rows of every dialect, after its own: what several providers have in common, and
// what gateways pass on from providers of another dialect. Codes come before words, and words
// before statuses.
// Sources: the error tables of OpenAI, Anthropic, Google, AWS, DeepSeek, xAI, Z.ai, the Copilot API
// and llama.cpp, and what public clients match, 2026-11. A test has the answers that they stand
// for (failures_test.go).
var common = lazy.Value[ErrorTable]{Make: func() ErrorTable {
	return ErrorTable{
		{
			Codes: []string{
				"insufficient_quota", "quota_exceeded", "billing_hard_limit_reached", "credit_balance_exhausted", "usage_not_included",
				"1310", "1311", // of Z.ai, for limits of a plan
			},
			Category: CategoryQuota, Final: true,
		},
		{
			Codes:    []string{"context_length_exceeded", "model_max_prompt_tokens_exceeded", "exceed_context_size_error"},
			Category: CategoryContextLimit, Final: true,
		},
		{Words: toolLimitWords, Category: CategoryToolLimit, Final: true},
		{Codes: []string{"server_error"}, Category: CategoryServer, Passing: true}, // within a stream, where there is no status
		{Codes: []string{"user_weekly_rate_limited"}, Category: CategoryRateLimit, Final: true},
		{Codes: []string{"1305", "overloaded_error"}, Category: CategoryOverloaded, Passing: true}, // 1305 is Z.ai's
		{Codes: []string{"content_filter", "content_policy_violation", "invalid_prompt", "bio_policy", "misalignment_policy_violation"}, Category: CategoryContentFilter, Final: true},
		{Codes: []string{"deploymentnotfound", "DeploymentNotFound"}, Category: CategoryQuery, Final: true, Hint: "name the deployment, not the model, and check the base URL"},
		{Codes: []string{"tool_use_failed"}, Category: CategoryServer, Passing: true, Tries: 2}, // Groq: the model wrote a call that cannot be read
		{Codes: []string{"invalid_encrypted_content"}, Category: CategoryQuery, Final: true, Repair: RepairReasoning},
		{Codes: []string{"invalid_function_parameters"}, Category: CategoryQuery, Final: true, Repair: RepairTool},
		{Words: []string{"input was flagged", "flagged as potentially violating", "content filtering policy", "responsibleaipolicyviolation"}, Category: CategoryContentFilter, Final: true},
		{
			Words: []string{
				"insufficient balance", "used all available credits", "credit balance is too low", "out of extra usage",
				"exceeded your current quota, please check your plan and billing", "too many tokens per day",
			},
			Category: CategoryQuota, Final: true,
		},
		{Words: []string{"exceeded your copilot token usage"}, Category: CategoryRateLimit, Final: true},
		{Status: http.StatusTooManyRequests, Category: CategoryRateLimit}, // before the words: they also count tokens
		{Words: []string{"input length and `max_tokens` exceed context limit"}, Category: CategoryContextLimit, Final: true, Repair: RepairRest},
		{Words: outputWords, Category: CategoryQuery, Final: true, Repair: RepairOutputLimit},
		{Words: contextWords, Category: CategoryContextLimit, Final: true},
		// The server has failed to load its model, and will fail again.
		{Words: []string{"error loading model", "failed to load model", "error: loading model"}, Category: CategoryServer, Passing: true},
		{Status: http.StatusServiceUnavailable, Words: loadingWords, Category: CategoryOverloaded, Loading: true},
		{Status: http.StatusInternalServerError, Words: []string{"unexpected server status: llm server loading model"}, Category: CategoryOverloaded, Loading: true},
		{Words: []string{"is overloaded", "engine overloaded", "loading model"}, Category: CategoryOverloaded, Passing: true},
		{Words: []string{"on-demand throughput isn"}, Category: CategoryQuery, Final: true, Hint: "name an inference profile: the model with us., eu. or global. before its name"},
		{Words: []string{"does not support tools"}, Category: CategoryQuery, Final: true, Hint: "this model cannot call tools: choose another one"},
		{Words: []string{"image exceeds", "image dimensions exceed"}, Category: CategoryQuery, Final: true, Repair: RepairImages},
		{Status: http.StatusPaymentRequired, Category: CategoryQuota, Final: true},
		{Status: http.StatusRequestEntityTooLarge, Category: CategoryContextLimit, Final: true},
		{Status: http.StatusForbidden, Words: []string{"not a json answer (text/html"}, Category: CategoryAuthorization, Hint: "a proxy or a firewall on the way to the provider has refused the call"},
		{Status: http.StatusBadRequest, Words: effortWords, Category: CategoryQuery, Final: true, Repair: RepairEffort},
		{Status: http.StatusUnprocessableEntity, Words: effortWords, Category: CategoryQuery, Final: true, Repair: RepairEffort},
	}
}}

// contextWords are in the messages of providers to which a request is too long, at any status.
var contextWords = []string{
	"maximum context length", "context length exceeded", "prompt is too long", "too long for requested model", "exceeds the context window",
	"input token count…exceeds the maximum", "exceeds the maximum number of tokens", "maximum prompt length is", "reduce the length of the messages",
	"exceeds the limit of", "available context size", "greater than the context length", "context window exceeds limit",
	"exceeded model token limit", "too large for model with", "exceed context limit", "current length is…while limit is",
	"when context the overflows", "context length of only",
}

// toolLimitWords are in the messages of providers to which a request has too many tools. OpenAI: "Invalid 'tools': array
// too long. Expected an array with maximum length 128, but got an array with length 262 instead." (its code is that of lists
// of other things, too; claude-code-router#686). Groq: "'tools' : maximum number of items is 128" (gsd-2#4376). Google: "At most
// 512 function declarations can be specified." (gemini-cli#19083).
var toolLimitWords = []string{"invalid 'tools': array too long", "'tools'…maximum number of items is", "at most…function declarations can be specified"}

// loadingWords are in the messages with the status 503 of servers that load a model.
// Sources: llama.cpp, tools/server/server-http.cpp, middleware_server_state: {"error":{"message":"Loading
// model","type":"unavailable_error","code":503}}. Ollama waits until its runner has loaded the model; what its
// users quote, at 500, is {"error":"unexpected server status: llm server loading model"}, of llm/server.go. Text
// generation servers of Hugging Face: "Model … is currently loading". LM Studio and llama-swap hold the call
// until the model is loaded: that is silence.
var loadingWords = []string{"loading model", "is currently loading"}

// outputWords are in the messages of providers that allow only shorter answers than the request.
var outputWords = []string{
	"which is the maximum allowed number of output tokens", "max_tokens is too large", "max_completion_tokens is too large",
	"maximum tokens you requested exceeds the model limit", "must be less than or equal to…max_tokens", "max_output_tokens…supported range is", "maxoutputtokens…supported range is",
}

// effortWords are in the messages of providers to whose models an effort of reasoning cannot be
// given, or not this one.
var effortWords = []string{
	"reasoning_effort", "reasoning.effort", "reasoning.summary", "thinking.type", "does not support thinking", "think value", "thinking_level", "thinking level is not supported",
}
