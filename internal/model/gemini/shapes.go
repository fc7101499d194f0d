package gemini

import (
	"encoding/json"

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

// finishes are the reasons for the end of an answer, in the words of chat completions.
var finishes = map[string]string{
	"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter", "LANGUAGE": "content_filter",
	"BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter",
}

// broken are the reasons for the end of an answer that cannot be used: the model wrote a call
// that its server does not understand. The next attempt often succeeds.
var broken = map[string]bool{"MALFORMED_FUNCTION_CALL": true, "MALFORMED_RESPONSE": true, "UNEXPECTED_TOOL_CALL": true}
