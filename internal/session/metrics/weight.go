package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
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
	// Deferred is what the definitions have that the request leaves out, DeferredTools of them.
	Deferred      int64
	DeferredTools int
	Messages      []Weight // the user's, the model's, and the results of its calls, in their order
	Compactions   int64    // summaries in the history
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
	programs := m.session.Programs()
	type weighed struct {
		Weights
		talk  state.Thread
		cuts  state.Spans
		ratio float64
	}
	now, err := mailbox.Ask(ctx, m.session.Do, func() (weighed, error) {
		w := weighed{talk: m.session.State().Main, cuts: m.session.State().Cuts(), ratio: max(m.ratio, 1)}
		w.Model, w.Limit = m.session.Model(), m.session.Limit(m.context.TokenLimit)
		w.talk.Messages = nil       // they may change meanwhile, and are counted
		if !m.session.Extension() { // an agent is sent neither
			for _, section := range m.session.Sections(programs) {
				if section.ID == prompt.CustomInstructions {
					w.Instructions = int64(len(section.Text))
				}
			}
			w.SmallSet = m.session.Small()
			w.System = m.systemSize(programs)
			w.Instructions = min(w.Instructions, w.System)
			w.System -= w.Instructions
			for _, c := range m.session.Offered() {
				d := &c.Definition
				size := int64(len(d.Name) + len(d.Description) + len(d.Parameters))
				if !c.Sent {
					w.Deferred += size
					w.DeferredTools++
					continue
				}
				w.Tools = append(w.Tools, Weight{ID: "toolDefinition:" + d.Name, Label: d.Name, MCP: d.Origin == tool.MCP, Tokens: size})
			}
		}
		w.Messages = weights(m.session.State().Main.Messages, m.session.State().Main.Released)
		return w, nil
	})
	if err != nil {
		return Weights{}, err
	}
	if now.talk.Released > 0 {
		entries, err := now.talk.All(now.cuts, m.session.Read(ctx, 1))
		if err != nil {
			return Weights{}, err
		}
		now.Messages = append(weights(entries, 0), now.Messages...)
	}
	if now.Compactions, err = m.summaries(ctx, now.cuts); err != nil {
		return Weights{}, err
	}
	tokens := func(n *int64) { *n = int64(math.Ceil(float64(*n) / now.ratio)) }
	tokens(&now.System)
	tokens(&now.Deferred)
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
func (m *Metrics) summaries(ctx context.Context, cuts state.Spans) (n int64, err error) {
	for rec, err := range cuts.Kept(m.session.Read(ctx, 1)) {
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

// Heaviest returns the largest messages, the largest first; at most limit, which is 0 or more.
func (w *Weights) Heaviest(limit int) []Weight {
	list := slices.Clone(w.Messages)
	slices.SortStableFunc(list, func(a, b Weight) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return list[:min(limit, len(list))]
}
