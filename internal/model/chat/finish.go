package chat

import (
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// finishes are the values of finish_reason: those of OpenAI first, then those of servers that pass
// on the words of the model's vendor, then those of single vendors. "error" is a failure; see
// [merger.failed].
//
// Sources, 2026-11: developers.openai.com/api/reference/resources/chat (the first five);
// docs.mistral.ai/api (model_length); api-docs.deepseek.com/api/create-chat-completion
// (insufficient_system_resource); docs.z.ai (sensitive, model_context_window_exceeded,
// network_error); docs.together.ai (eos); huggingface.co/docs/text-generation-inference (eos_token,
// stop_sequence); docs.cohere.com (complete); and the pages of the dialects of Anthropic and Gemini.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	all := model.Finishes{}
	for means, words := range map[model.Finish][]string{
		model.FinishStop:      {"stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete"},
		model.FinishToolCalls: {"tool_calls", "function_call", "tool_call", "tool_use"},
		model.FinishLength:    {"length", "max_tokens", "max_output_tokens"},
		model.FinishWindow:    {"model_length", "model_context_window_exceeded"},
		model.FinishFilter:    {"content_filter", "safety", "recitation", "prohibited_content", "sensitive"},
		model.FinishRefusal:   {"refusal"},
		model.FinishMalformed: {"malformed_function_call"},
		model.FinishPaused:    {"pause_turn"},
		model.FinishFailed:    {"insufficient_system_resource", "network_error"},
	} {
		for _, word := range words {
			all[word] = means
		}
	}
	return all
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }
