package chat

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// shapeUsage is the union of the known usage objects. Counts are floats because
// some gateways write 12.0.
type shapeUsage struct {
	Prompt     float64 `json:"prompt_tokens"`
	Completion float64 `json:"completion_tokens"`

	PromptDetails struct {
		Cached     float64 `json:"cached_tokens"`
		CacheWrite float64 `json:"cache_write_tokens"`    // OpenRouter
		Creation   float64 `json:"cache_creation_tokens"` // LiteLLM
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`

	CacheHit      float64 `json:"prompt_cache_hit_tokens"`     // DeepSeek
	CacheCreation float64 `json:"cache_creation_input_tokens"` // Anthropic's, behind gateways
	CacheRead     float64 `json:"cache_read_input_tokens"`
}

// usage returns nil for a missing object.
func (s *shapeUsage) usage() *model.Usage {
	if s == nil {
		return nil
	}
	u := model.Usage{
		Input:      model.Tokens(s.Prompt),
		Output:     model.Tokens(s.Completion),
		CacheRead:  model.Tokens(cmp.Or(s.PromptDetails.Cached, s.CacheHit, s.CacheRead)),
		CacheWrite: model.Tokens(cmp.Or(s.PromptDetails.CacheWrite, s.PromptDetails.Creation, s.CacheCreation)),
		Reasoning:  model.Tokens(s.CompletionDetails.Reasoning),
	}
	u.Reported = u.Input+u.Output > 0
	return &u
}
