package model_test

import (
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// Categories, as short as the table needs them.
const (
	key      = model.CategoryAuthentication
	access   = model.CategoryAuthorization
	quota    = model.CategoryQuota
	rate     = model.CategoryRateLimit
	tooLong  = model.CategoryContextLimit
	query    = model.CategoryQuery
	filter   = model.CategoryContentFilter
	server   = model.CategoryServer
	busy     = model.CategoryOverloaded
	network  = model.CategoryNetwork
	compact  = "send less at once, or choose a model with a larger context window"
	checkKey = "check the API key"
	credit   = "check the plan and credit"
	policy   = "the provider's policy refuses this"
)

// failingRows is the table of dialects.md, section 10, as far as possible with the very bodies. The
// number of tries of a row that says "once" is 2. Rows of Bedrock come as a gateway passes them on;
// the dialect of Bedrock has tests of its own. A call that has no result, empty text and a call
// without a signature (10, 29, 30, 40, 41, 51, 55, 56) are not repaired: no request of ours has
// them, so another one would be the same.
func failingRows() []failing {
	return append(append(openAIRows(), anthropicRows()...), append(googleRows(), otherRows()...)...)
}

func openAIRows() []failing {
	const c, r = chat.Name, responses.Name
	return []failing{
		{n: "1", dialect: r, status: 401, answer: openAI("invalid_api_key", "Incorrect API key provided: sk-…"), category: key, tries: 1, tells: checkKey},
		{n: "2", dialect: r, status: 429, answer: openAI("insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), category: quota, tries: 1, tells: credit},
		{n: "3a", dialect: r, status: 429, answer: openAI("credit_balance_exhausted", "no"), category: quota, tries: 1, tells: credit},
		{n: "3b", dialect: r, status: 429, answer: openAI("usage_not_included", "no"), category: quota, tries: 1, tells: credit},
		{n: "4", dialect: r, status: 429, answer: openAI("rate_limit_exceeded", "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 30000. Please try again in 11.054s."), category: rate, tries: 4, tells: "retry after 11.054s"},
		{n: "5", dialect: r, status: 400, answer: openAI("context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."), category: tooLong, tries: 1, tells: compact},
		{n: "6", dialect: r, status: 400, answer: openAI("string_above_max_length", "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got a string with length 80 instead."), category: query, tries: 1, tells: "maximum length 64"},
		{n: "7", dialect: c, status: 400, answer: openAI("unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."), category: query, tries: 2, last: `"max_completion_tokens":100000`},
		{n: "8", dialect: c, status: 400, answer: openAI("", "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. Please use /v1/responses instead."), category: query, tries: 3, last: "/v1/responses"}, // the third has no effort
		{n: "9", dialect: r, status: 400, answer: openAI("invalid_function_parameters", "Invalid schema for function 'add': In context=(), object schema missing properties."), category: query, tries: 2, last: `!"add"`},
		{n: "10", dialect: r, status: 400, answer: openAI("", "No tool output found for function call call_1."), category: query, tries: 1, tells: "No tool output found"},
		{n: "11", dialect: r, status: 404, answer: openAI("", "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."), category: query, tries: 2, last: "!c2VjcmV0"},
		{n: "12", dialect: r, status: 400, answer: openAI("invalid_encrypted_content", "The encrypted content gAAA could not be verified."), category: query, tries: 2, last: "!c2VjcmV0"},
		{n: "13", dialect: r, status: 200, answer: events(`{"type":"error","status":400,"error":{"code":"previous_response_not_found","message":"Previous response with id 'resp_1' not found."}}`), category: query, tries: 1, tells: "previous_response_not_found"},
		{n: "14", dialect: r, status: 200, answer: events(`{"type":"error","status":400,"error":{"code":"websocket_connection_limit_reached","message":"60 minutes"}}`), category: network, tries: 4},
		{n: "15", dialect: r, status: 200, answer: events(`{"type":"error","status":400,"error":{"code":"websocket_stream_limit_reached","message":"16 streams","param":"stream_id"}}`), category: rate, tries: 4},
		{n: "16", dialect: r, status: 200, answer: events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oh"}}}`), category: server, tries: 4},
		{n: "17a", dialect: r, status: 400, answer: openAI("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy."), category: filter, tries: 1, tells: policy},
		{n: "17b", dialect: r, status: 200, answer: events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"bio_policy","message":"no"}}}`), category: filter, tries: 1, tells: policy},
		{n: "18", dialect: r, status: 200, answer: events(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), category: filter, tries: 1, tells: "withheld the answer"},
		{n: "19", dialect: r, status: 404, answer: openAI("model_not_found", "The model `m` does not exist or you do not have access to it."), category: query, tries: 1, tells: "check the model name"},
		{n: "20", dialect: c, status: 400, answer: `{"error":{"code":"content_filter","message":"The response was filtered","param":"prompt","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, category: filter, tries: 1, tells: policy},
		{n: "21", dialect: r, status: 404, answer: openAI("DeploymentNotFound", "The API deployment for this resource does not exist."), category: query, tries: 1, tells: "name the deployment, not the model"},
	}
}

func anthropicRows() []failing {
	const d, bad = anthropic.Name, "invalid_request_error"
	return []failing{
		{n: "22", dialect: d, status: 401, answer: claude("authentication_error", "invalid x-api-key"), category: key, tries: 1, tells: checkKey},
		{n: "23a", dialect: d, status: 402, answer: claude("billing_error", "no"), category: quota, tries: 1, tells: credit},
		{n: "23b", dialect: d, status: 400, answer: claude(bad, "Your credit balance is too low to access the Anthropic API."), category: quota, tries: 1, tells: credit},
		{n: "23c", dialect: d, status: 400, answer: claude(bad, "You're out of extra usage."), category: quota, tries: 1, tells: credit},
		{n: "24", dialect: d, status: 400, answer: claude(bad, "prompt is too long: 213462 tokens > 200000 maximum"), category: tooLong, tries: 1, tells: compact, limit: 200_000, prompt: 213462},
		{n: "25a", dialect: d, status: 400, answer: claude(bad, "input length and `max_tokens` exceed context limit: 190000 + 100000 > 200000, decrease input length or `max_tokens` and try again"), category: tooLong, tries: 2, last: `"max_tokens":10000,`, limit: 200_000, prompt: 190000},
		{n: "25b", dialect: d, status: 400, answer: claude(bad, "input length and `max_tokens` exceed context limit: 199999 + 100000 > 200000, decrease input length or `max_tokens` and try again"), category: tooLong, tries: 1, tells: compact, limit: 200_000},
		{n: "26", dialect: d, status: 413, answer: claude("request_too_large", "Request exceeds the maximum size"), category: query, tries: 2, last: "!AAAA", tells: "attach less"},
		{n: "27", dialect: d, status: 429, header: map[string]string{"Retry-After": "7"}, answer: claude("rate_limit_error", "slow down"), category: rate, tries: 4, tells: "retry after 7s"},
		{n: "28a", dialect: d, status: 529, answer: claude("overloaded_error", "Overloaded"), category: busy, tries: 4},
		{n: "28b", dialect: d, status: 200, answer: "event: error\n" + events(claude("overloaded_error", "Overloaded")), category: busy, tries: 4},
		{n: "29", dialect: d, status: 400, answer: claude(bad, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."), category: query, tries: 1, tells: "without `tool_result`"},
		{n: "30", dialect: d, status: 400, answer: claude(bad, "messages: text content blocks must be non-empty"), category: query, tries: 1, tells: "non-empty"},
		{n: "31", dialect: d, status: 400, answer: claude(bad, "messages.1.content.0: Invalid `signature` in `thinking` block"), category: query, tries: 2, last: "!c2VjcmV0"},
		{n: "32", dialect: d, status: 400, answer: claude(bad, "The block is bound to a different conversation; see drop_block"), category: query, tries: 2, last: "!c2VjcmV0"},
		{n: "33", dialect: d, status: 400, answer: claude(bad, "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."), category: query, tries: 2, last: "!c2VjcmV0"},
		{n: "34", dialect: d, status: 400, answer: claude(bad, "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."), category: query, tries: 2, last: `!"thinking":{`},
		{n: "35", dialect: d, status: 400, answer: claude(bad, `"thinking.type.disabled" is not supported for this model`), category: query, tries: 2, last: `!"effort"`},
		{n: "36", dialect: d, status: 400, answer: claude(bad, "Thinking may not be enabled when tool_choice forces tool use."), category: query, tries: 1, tells: "tool_choice"}, // we send no tool_choice
		{n: "37a", dialect: d, status: 400, answer: claude(bad, "image exceeds 5 MB maximum: 7414068 bytes > 5242880 bytes"), category: query, tries: 2, last: "!AAAA"},
		{n: "37b", dialect: d, status: 400, answer: claude(bad, "image dimensions exceed max allowed size for many-image requests: 2000 pixels"), category: query, tries: 2, last: "!AAAA"},
		{n: "38", dialect: d, status: 200, answer: events(`{"type":"message_start","message":{"id":"m1"}}`, `{"type":"message_delta","delta":{"stop_reason":"refusal"}}`, `{"type":"message_stop"}`), category: filter, tries: 1, tells: "refused to answer"},
	}
}

func googleRows() []failing {
	const d = gemini.Name
	return []failing{
		{n: "39", dialect: d, status: 400, answer: google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", `{"reason":"API_KEY_INVALID"}`), category: key, tries: 1, tells: checkKey},
		{n: "40", dialect: d, status: 400, answer: google(400, "INVALID_ARGUMENT", "Please ensure that the number of function response parts is equal to the number of function call parts", ""), category: query, tries: 1},
		{n: "41", dialect: d, status: 400, answer: google(400, "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.", ""), category: query, tries: 1},
		{n: "42", dialect: d, status: 400, answer: google(400, "INVALID_ARGUMENT", `Invalid JSON payload received. Unknown name "const" at 'tools[0]': Cannot find field.`, ""), category: query, tries: 1, tells: "Unknown name"},
		{n: "43a", dialect: d, status: 400, answer: google(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", ""), category: tooLong, tries: 1, tells: compact, limit: 1_048_575, prompt: 1196265},
		{n: "43b", dialect: d, status: 404, answer: google(404, "NOT_FOUND", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", ""), category: tooLong, tries: 1, tells: compact, limit: 1_048_575},
		{n: "44a", dialect: d, status: 429, answer: google(429, "RESOURCE_EXHAUSTED", "You exceeded your quota.", `{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}`), category: quota, tries: 1, tells: credit},
		{n: "44b", dialect: d, status: 429, answer: google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: x, limit: 0", ""), category: quota, tries: 1, tells: credit},
		{n: "45", dialect: d, status: 429, answer: google(429, "RESOURCE_EXHAUSTED", "Resource exhausted.", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}`), category: rate, tries: 4, tells: "retry after 34.07s"},
		{n: "46", dialect: d, status: 503, answer: google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), category: busy, tries: 4},
		{n: "47a", dialect: d, status: 200, answer: events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`), category: filter, tries: 1, tells: policy},
		{n: "47b", dialect: d, status: 200, answer: events(`{"candidates":[{"finishReason":"SAFETY"}]}`), category: filter, tries: 1, tells: policy},
		{n: "47c", dialect: d, status: 200, answer: events(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`), category: server, tries: 2},
	}
}

func otherRows() []failing {
	const d = chat.Name
	return []failing{
		{n: "48", dialect: d, status: 400, answer: `{"message":"Input is too long for requested model."}`, category: tooLong, tries: 1, tells: compact},
		{n: "49a", dialect: d, status: 429, answer: `{"message":"Too many tokens, please wait before trying again."}`, category: rate, tries: 4},
		{n: "49b", dialect: d, status: 429, answer: `{"message":"Too many tokens per day, please wait before trying again."}`, category: quota, tries: 1, tells: credit},
		{n: "50", dialect: d, status: 400, answer: `{"message":"Invocation of model ID m with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile."}`, category: query, tries: 1, tells: "name an inference profile"},
		{n: "51a", dialect: d, status: 400, answer: `{"message":"The text field in the ContentBlock object at messages.0.content.0 is blank."}`, category: query, tries: 1},
		{n: "51b", dialect: d, status: 400, answer: `{"message":"The toolConfig field must be defined when using toolUse and toolResult content blocks."}`, category: query, tries: 1},
		{n: "52", dialect: d, status: 400, answer: openAI("model_max_prompt_tokens_exceeded", "prompt token count of 132354 exceeds the limit of 128000"), category: tooLong, tries: 1, tells: compact, limit: 128_000, prompt: 132354},
		{n: "53a", dialect: d, status: 400, answer: openAI("unsupported_api_for_model", `model "m" is not accessible via the /chat/completions endpoint`), category: query, tries: 2, last: "/v1/responses"},
		{n: "53b", dialect: d, status: 429, answer: openAI("rate_limited", "Sorry, you have exceeded your Copilot token usage."), category: rate, tries: 1, tells: "exceeded your Copilot token usage"},
		{n: "54a", dialect: d, status: 200, answer: ": OPENROUTER PROCESSING\n\n" + events(`{"error":{"code":502,"message":"Provider returned error"}}`), category: server, tries: 4},
		{n: "54b", dialect: d, status: 402, answer: `{"error":{"code":402,"message":"Insufficient credits"}}`, category: quota, tries: 1, tells: credit},
		{n: "54c", dialect: d, status: 403, answer: `{"error":{"code":403,"message":"m requires moderation. Your input was flagged"}}`, category: filter, tries: 1, tells: policy},
		{n: "55a", dialect: d, status: 400, answer: openAI("", "The `reasoning_content` in the thinking mode must be passed back to the API."), category: query, tries: 1, tells: "must be passed back"},
		{n: "55b", dialect: d, status: 402, answer: openAI("", "Insufficient Balance"), category: quota, tries: 1, tells: credit},
		{n: "56a", dialect: d, status: 400, answer: `{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_error","code":"3230"}`, category: query, tries: 1},
		{n: "56b", dialect: d, status: 400, answer: `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function"}}`, category: server, tries: 2},
		{n: "57a", dialect: d, status: 403, answer: `{"code":"forbidden","error":"Your team has either used all available credits or reached its monthly spending limit."}`, category: quota, tries: 1, tells: credit},
		{n: "57b", dialect: d, status: 400, answer: openAI("1305", "busy"), category: busy, tries: 4},
		{n: "57c", dialect: d, status: 429, answer: openAI("1310", "weekly limit"), category: quota, tries: 1, tells: credit},
		{n: "57d", dialect: d, status: 503, answer: openAI("", "Engine Overloaded"), category: busy, tries: 4},
		{n: "58a", dialect: d, status: 400, answer: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, category: tooLong, tries: 1, tells: compact, limit: 4096, prompt: 9000},
		{n: "58b", dialect: d, status: 400, answer: openAI("400", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens. Please reduce the length of the messages."), category: tooLong, tries: 1, tells: compact, limit: 8192},
		{n: "58c", dialect: d, status: 400, answer: `{"error":"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, category: tooLong, tries: 1, tells: compact, limit: 4096, prompt: 15857},
		{n: "58d", dialect: d, host: "api.cerebras.ai", status: 400, category: tooLong, tries: 1, tells: compact},
		{n: "59a", dialect: d, status: 503, answer: `{"error":{"code":503,"message":"Loading model now failed: error loading model","type":"unavailable_error"}}`, category: server, tries: 4},
		{n: "59b", dialect: d, status: 404, answer: openAI("", "model 'x' not found"), category: query, tries: 1, tells: "check the model name"},
		{n: "59c", dialect: d, status: 400, answer: openAI("", `registry.ollama.ai/library/x does not support tools`), category: query, tries: 1, tells: "cannot call tools"},
		{n: "60a", dialect: d, status: 403, answer: "<html>Forbidden</html>", category: access, tries: 1, tells: "a proxy or a firewall"},
		{n: "60b", dialect: d, status: 522, answer: "<html>522</html>", category: server, tries: 4},
		{n: "60c", dialect: d, status: 200, answer: "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n", category: network, tries: 4, tells: "the stream was cut"},
	}
}
