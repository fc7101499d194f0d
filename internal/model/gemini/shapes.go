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

// finish is the reason for the end of an answer, in the words of chat completions where they
// have one.
func finish(reason string) string {
	switch reason {
	case "STOP":
		return "stop"
	case "MAX_TOKENS":
		return "length"
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII":
		return "content_filter"
	}
	return reason
}

// broken reports whether an answer that ended for this reason cannot be used: the model wrote a
// call that its server does not understand. The next attempt often succeeds.
func broken(reason string) bool {
	return reason == "MALFORMED_FUNCTION_CALL" || reason == "MALFORMED_RESPONSE" || reason == "UNEXPECTED_TOOL_CALL"
}
