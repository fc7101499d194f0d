package gemini

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// piece is a part of an answer, or all of it: the protocol has one shape for both. Values of
// unexpected type count as absent.
type piece struct {
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		Finish  string `json:"finishReason"`
		Message string `json:"finishMessage"`
	} `json:"candidates"`
	Feedback struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usage          `json:"usageMetadata"`
	ID    string          `json:"responseId"`
	Model string          `json:"modelVersion"`
	Error json.RawMessage `json:"error"`
}

type part struct {
	Text      string `json:"text"`
	Thought   bool   `json:"thought"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

// usage counts tokens; each piece has the totals so far.
type usage struct {
	Prompt   float64 `json:"promptTokenCount"` // with what was cached
	Cached   float64 `json:"cachedContentTokenCount"`
	Tools    float64 `json:"toolUsePromptTokenCount"`
	Answer   float64 `json:"candidatesTokenCount"`
	Thoughts float64 `json:"thoughtsTokenCount"`
}

// counts returns the usage as callers know it: the answer with the thoughts.
func (u *usage) counts() model.Usage {
	c := model.Usage{
		Input: model.Tokens(u.Prompt) + model.Tokens(u.Tools), CacheRead: model.Tokens(u.Cached),
		Output: model.Tokens(u.Answer) + model.Tokens(u.Thoughts), Reasoning: model.Tokens(u.Thoughts),
	}
	c.Reported = c.Input+c.Output > 0
	return c
}

// finishes are the values of finishReason. That an answer has calls is not said: it ends with STOP.
// Those of pictures come from models that draw. [broken] has the others.
// Source: ai.google.dev/api/generate-content#FinishReason, and MODEL_ARMOR of
// cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse, 2026-11.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	all := model.Finishes{"stop": model.FinishStop, "max_tokens": model.FinishLength, "too_many_tool_calls": model.FinishMalformed}
	for _, word := range []string{
		"safety", "recitation", "language", "blocklist", "prohibited_content", "spii", "model_armor",
		"image_safety", "image_prohibited_content", "image_recitation",
	} {
		all[word] = model.FinishFilter
	}
	for _, word := range []string{"other", "image_other", "no_image", "missing_thought_signature"} {
		all[word] = model.FinishFailed
	}
	return all
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }

// broken reports whether an answer that ended for this reason cannot be used: the model wrote a
// call that its server does not understand. The next attempt often succeeds.
func broken(reason string) bool {
	return reason == "MALFORMED_FUNCTION_CALL" || reason == "MALFORMED_RESPONSE" || reason == "UNEXPECTED_TOOL_CALL"
}
