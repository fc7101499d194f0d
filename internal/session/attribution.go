package session

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Weight is the estimated size of one part of the next request, in tokens.
type Weight struct {
	ID, Label string
	Role      string // of a message: "user", "assistant" or "tool"
	MCP       bool   // a tool of an MCP server
	Tokens    int64
}

// Weights is what the next request of the main agent consists of.
type Weights struct {
	Model        string
	Limit        int64    // of the prompt, in tokens
	System       int64    // without Instructions
	Instructions int64    // the custom instructions in the system message
	Tools        []Weight // a definition each
	SmallSet     bool     // Tools are the small set
	Messages     []Weight // the user's, the model's, and the results of its calls, in their order
	Compactions  int64    // summaries in the history
}

// Total is the sum of all parts.
func (w *Weights) Total() int64 { return w.System + w.Instructions + sum(w.Tools) + sum(w.Messages) }

func sum(list []Weight) (n int64) {
	for _, w := range list {
		n += w.Tokens
	}
	return n
}

// Weigh estimates the parts of the next request. It reads the log.
func (m *Metrics) Weigh(ctx context.Context) (Weights, error) {
	programs := m.s.home.programs()
	type weighed struct {
		Weights
		talk  state.Thread
		cuts  state.Spans
		ratio float64
	}
	now, err := mailbox.Ask(ctx, m.s.do, func() (weighed, error) {
		w := weighed{talk: m.s.state.Main, cuts: m.s.state.Cuts(), ratio: max(m.totals.ratio, 1)}
		w.Model, w.Limit = m.s.Settings().currentModel(), cmp.Or(m.s.config.providers.Own.ContextTokens, m.totals.context.TokenLimit, provider.DefaultContextTokens)
		w.talk.Messages = nil                                                      // they may change meanwhile, and are counted
		if provider.ExtensionOf(m.s.state.Model, m.s.config.providers.Own) == "" { // an agent is sent neither
			for _, section := range prompt.Sections(m.s.opening(programs, m.s.tools.offeredRole()).env) {
				if section.ID == prompt.CustomInstructions {
					w.Instructions = int64(len(section.Text))
				}
			}
			w.SmallSet = m.s.tools.offeredRole().small
			w.System = m.systemSize(programs)
			w.Instructions = min(w.Instructions, w.System)
			w.System -= w.Instructions
			for _, t := range m.s.tools.offeredTo(m.s.tools.offeredRole()) {
				d := t.Definition
				w.Tools = append(w.Tools, Weight{ID: "toolDefinition:" + d.Name, Label: d.Name, MCP: d.Origin == tool.MCP, Tokens: int64(len(d.Name) + len(d.Description) + len(d.Parameters))})
			}
		}
		w.Messages = weights(m.s.state.Main.Messages, m.s.state.Main.Released)
		return w, nil
	})
	if err != nil {
		return Weights{}, err
	}
	if now.talk.Released > 0 {
		entries, err := now.talk.All(now.cuts, m.s.History().records(ctx)())
		if err != nil {
			return Weights{}, err
		}
		now.Messages = append(weights(entries, 0), now.Messages...)
	}
	if now.Compactions, err = m.s.History().summaries(ctx, now.cuts); err != nil {
		return Weights{}, err
	}
	tokens := func(n *int64) { *n = int64(math.Ceil(float64(*n) / now.ratio)) }
	tokens(&now.System)
	tokens(&now.Instructions)
	for _, list := range [][]Weight{now.Tools, now.Messages} {
		for i := range list {
			tokens(&list[i].Tokens)
		}
	}
	return now.Weights, nil
}

// weights returns the sizes of messages, in bytes; from is the number of those before them.
func weights(messages []state.Message, from int) (list []Weight) {
	for i := range messages {
		m := &messages[i]
		w := Weight{ID: fmt.Sprintf("message:%d", from+i), Label: "user", Role: "user", Tokens: int64(m.Size())}
		if !m.FromUser {
			w.Label, w.Role = "assistant", "assistant"
		}
		at := len(list)
		list = append(list, w)
		for j := range m.Calls {
			c := &m.Calls[j]
			if size := c.ResultSize(); size > 0 {
				list[at].Tokens -= int64(size)
				list = append(list, Weight{
					ID: fmt.Sprintf("message:%d.%d", from+i, j), Label: "tool: " + c.Name, Role: "tool", Tokens: int64(size),
				})
			}
		}
	}
	return list
}

// summaries counts the compactions that are part of the history.
func (h History) summaries(ctx context.Context, cuts state.Spans) (n int64, err error) {
	for rec, err := range cuts.Kept(h.records(ctx)()) {
		if err != nil {
			return n, err
		}
		e := wire.Raw(rec.JSON)
		if e.Get("type").Text() == "session.compaction_complete" && e.Get("data").Get("success").True() {
			n++
		}
	}
	return n, nil
}

// Heaviest returns the largest messages, the largest first; at most limit.
func (w *Weights) Heaviest(limit int) []Weight {
	list := slices.Clone(w.Messages)
	slices.SortStableFunc(list, func(a, b Weight) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return list[:min(limit, len(list))]
}
