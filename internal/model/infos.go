package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

// shapeInfo is the union of the known entries: OpenAI's bare id, the Copilot API's
// capabilities, OpenRouter's and Together's context_length, vLLM's max_model_len,
// Mistral's max_context_length, llama.cpp's meta, LM Studio's state and loaded_context_length.
type shapeInfo struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	DisplayName  string `json:"display_name"`
	Vendor       string `json:"vendor"`
	OwnedBy      string `json:"owned_by"`
	Capabilities struct {
		Supports struct {
			Vision          bool     `json:"vision"`
			ReasoningEffort []string `json:"reasoning_effort"`
		} `json:"supports"`
		Limits struct {
			Prompt  int `json:"max_prompt_tokens"`
			Output  int `json:"max_output_tokens"`
			Context int `json:"max_context_window_tokens"`
		} `json:"limits"`
		Vision bool `json:"vision"`
	} `json:"capabilities"`
	Architecture struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"`
	TopProvider struct {
		Output int `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Pricing          pricing `json:"pricing"`
	ContextLength    int     `json:"context_length"`
	MaxModelLen      int     `json:"max_model_len"`
	MaxContextLength int     `json:"max_context_length"`
	ContextWindow    int     `json:"context_window"`
	LoadedContext    int     `json:"loaded_context_length"`
	State            string  `json:"state"`
	Meta             struct {
		Context int `json:"n_ctx"` // n_ctx_train is what the model was trained with
	} `json:"meta"`
	Status struct {
		Value string `json:"value"` // of llama.cpp's router: loaded, loading, unloaded
	} `json:"status"`
	Endpoints []string        `json:"supported_endpoints"`
	Policy    json.RawMessage `json:"policy"`
	Billing   json.RawMessage `json:"billing"`
}

// DecodeInfos reads a list of models as OpenAI and nearly all others send it: {"data":[…]} or a
// bare array. Entries without an id are left out, and fields of an unexpected type count as
// absent.
func DecodeInfos(data []byte) ([]Info, error) {
	entries, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, len(entries))
	for _, raw := range entries {
		var s shapeInfo
		if ValidButMistyped(json.Unmarshal(raw, &s)) && s.ID != "" {
			infos = append(infos, s.info(raw))
		}
	}
	return infos, nil
}

func entriesOf(data []byte) (entries []json.RawMessage, err error) {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		return entries, fault.JSON(json.Unmarshal(data, &entries))
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fault.JSON(err)
	}
	if list.Data == nil {
		return nil, errors.New("no list of models")
	}
	return list.Data, nil
}

func (s *shapeInfo) info(raw json.RawMessage) Info {
	c := s.Capabilities
	return Info{
		ID:               s.ID,
		Name:             cmp.Or(s.Name, s.DisplayName, s.ID),
		Vendor:           cmp.Or(s.Vendor, s.OwnedBy),
		Vision:           c.Supports.Vision || c.Vision || slices.Contains(s.Architecture.Input, "image"),
		MaxPrompt:        c.Limits.Prompt,
		MaxOutput:        cmp.Or(c.Limits.Output, s.TopProvider.Output),
		MaxContext:       s.context(),
		ReasoningEfforts: c.Supports.ReasoningEffort,
		Endpoints:        s.Endpoints,
		Price:            s.Pricing.price(),
		Policy:           NonNull(s.Policy),
		Billing:          NonNull(s.Billing),
		Raw:              raw,
	}
}

// context is the window that the entry names, in tokens; 0 for none. The max_context_length of LM Studio is
// that of the model, and not the one that is in force.
func (s *shapeInfo) context() int {
	if s.fromLMStudio() {
		return s.LoadedContext
	}
	return cmp.Or(s.Capabilities.Limits.Context, s.Meta.Context, s.ContextLength, s.MaxModelLen, s.ContextWindow, s.MaxContextLength)
}

func (s *shapeInfo) fromLMStudio() bool {
	return s.LoadedContext > 0 || s.State == "loaded" || s.State == "not-loaded"
}

// NonNull returns raw, and nil for null.
func NonNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// pricing is that of OpenRouter, in US dollars a token.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
	CacheRead  string `json:"input_cache_read"`
	CacheWrite string `json:"input_cache_write"`
}

// price returns nil if the list has no prices, or if one is negative: OpenRouter's own choice among
// models has no price of its own.
func (p *pricing) price() *known.Price {
	read, write := perMillion(p.CacheRead), perMillion(p.CacheWrite)
	in, out := perMillion(p.Prompt), perMillion(p.Completion)
	if in == nil || out == nil {
		return nil
	}
	return &known.Price{Rates: known.Rates{Input: *in, Output: *out, CacheRead: read, CacheWrite: write}}
}

// perMillion is a price of a million tokens, nil for none.
func perMillion(each string) *float64 {
	v, err := strconv.ParseFloat(each, 64)
	if err != nil || v < 0 || v > 1 {
		return nil
	}
	v = math.Round(v*1e12) / 1e6 // without the error of the decimal fraction
	return &v
}
