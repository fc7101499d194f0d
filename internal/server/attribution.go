package server

import (
	"context"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// contextAttribution answers with the parts of the next request: the system message, the
// definitions of tools, the results of each tool, and the other messages. All are estimates.
func contextAttribution(ctx context.Context, s *session.Session, _ named) (any, error) {
	w, err := s.Metrics().Weigh(ctx)
	if err != nil {
		return nil, err
	}
	const system = "system:prompt"
	a := wire.ContextAttribution{
		ModelID: w.Model, ModelSource: "selected", PromptTokenLimit: w.Limit, Limit: w.Limit, TotalTokens: w.Total(),
		CompactionThreshold: share(w.Limit, compactAt), BufferTokens: w.Limit - share(w.Limit, blockAt),
		Compactions: wire.ContextCompactions{Count: w.Compactions},
		Categories:  wire.ContextCategories{SystemPrompt: w.System, CustomInstructions: w.Instructions},
		Entries:     []wire.ContextEntry{{ID: system, Kind: "system", Label: "system prompt", Tokens: w.System + w.Instructions}},
	}
	if w.Model == "" {
		a.ModelSource = "default"
	}
	parent := system
	for _, t := range w.Tools {
		a.Entries = append(a.Entries, wire.ContextEntry{ID: t.ID, Kind: "toolDefinition", Label: t.Label, Tokens: t.Tokens, ParentID: &parent})
		if t.MCP {
			a.Categories.MCPTools += t.Tokens
		} else {
			a.Categories.SystemTools += t.Tokens
		}
	}
	byLabel := map[string]int64{}
	for _, m := range w.Messages {
		byLabel[m.Label] += m.Tokens
		a.Categories.Messages += m.Tokens
	}
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		e := wire.ContextEntry{ID: "message:" + label, Kind: "message", Label: label, Tokens: byLabel[label]}
		if label != "user" && label != "assistant" {
			e.ID, e.Kind = "tool:"+label[len("tool: "):], "tool"
		}
		a.Entries = append(a.Entries, e)
	}
	a.Categories.Buffer = a.BufferTokens
	a.Categories.FreeSpace = max(0, w.Limit-a.TotalTokens-a.BufferTokens)
	return encode(wire.ContextAttributed{ContextAttribution: &a})
}

// usualHeaviest is how many messages are listed if the client names no limit.
const usualHeaviest = 10

func heaviestMessages(ctx context.Context, s *session.Session, p struct {
	Limit *int64 `json:"limit"`
},
) (any, error) {
	limit := int64(usualHeaviest)
	if p.Limit != nil {
		if limit = *p.Limit; limit < 0 {
			return nil, tooSmall("limit", limit, 0)
		}
	}
	w, err := s.Metrics().Weigh(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.ContextHeaviest{TotalTokens: w.Total()}
	for _, m := range w.Heaviest(int(min(limit, maxPage))) {
		out.Messages = append(out.Messages, wire.ContextMessage{ID: m.ID, Label: m.Label, Role: m.Role, Tokens: m.Tokens})
	}
	return encode(out)
}
