package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// paragraph is between the parts of a summary.
const paragraph = "\n\n"

// answer puts an answer together from its items. Not safe for concurrent use.
type answer struct {
	model.Blocks
	head  model.Response // ID, Model, FinishReason and Usage so far
	items []*growing     // in order of appearance

	refused bool // the text is that of a refusal
}

// growing is an item that is being received.
type growing struct {
	model.Block
	index   int
	item    item
	part    int    // of a summary, that the text is in
	opaque  string // what is sent back of reasoning
	settled bool   // it is complete
}

// at returns the item at an index, or begins it as what i says of it. Items without a type are
// ignored.
func (a *answer) at(index int, i *item) (*growing, error) {
	if k := slices.IndexFunc(a.items, func(g *growing) bool { return g.index == index }); k >= 0 {
		return a.items[k], nil
	}
	g := &growing{index: index, item: *i}
	if i.Type == "" {
		return g, nil
	}
	g.Kind, g.CallID, g.Name = kinds.Get()[i.Type], i.CallID, i.Name
	a.items = append(a.items, g)
	return g, a.Begin(&g.Block)
}

// kinds are the types of items that callers are told about.
var kinds = lazy.Value[map[string]model.DeltaKind]{Make: func() map[string]model.DeltaKind {
	return map[string]model.DeltaKind{"message": model.DeltaText, "reasoning": model.DeltaReasoning, "function_call": model.DeltaToolCall}
}}

// settle takes a whole item. Text that its pieces have not brought is added.
func (a *answer) settle(index int, raw json.RawMessage) error {
	var i item
	if err := decode(raw, &i); err != nil {
		return err
	}
	g, err := a.at(index, &i)
	if err != nil || g.settled {
		return err
	}
	g.settled = true
	final := i.Arguments
	switch i.Type {
	case "message":
		final = text(i.Content, "")
		g.item.Phase = i.Phase
		a.refused = a.refused || slices.ContainsFunc(i.Content, func(c content) bool { return c.Refusal != "" })
	case "reasoning":
		if final = text(i.Summary, paragraph); final == "" {
			final = text(i.Content, "")
		}
		if i.Encrypted != "" || len(i.Content) > 0 {
			g.opaque = returnable(raw)
		}
	case "compaction":
		g.opaque = returnable(raw)
	}
	if err := a.Keep(len(g.opaque)); err != nil {
		return err
	}
	rest, ok := strings.CutPrefix(final, g.Text.String())
	if !ok {
		return nil // the pieces were sent already
	}
	return a.Grow(&g.Block, rest)
}

// response joins the items in the order of the model.
func (a *answer) response() *model.Response {
	slices.SortStableFunc(a.items, func(x, y *growing) int { return x.index - y.index })
	r := a.head
	var said strings.Builder
	phase := ""
	for _, g := range a.items {
		piece := model.Reasoning{AfterText: said.Len(), AfterCalls: len(r.ToolCalls)}
		switch g.item.Type {
		case "message":
			if g.item.Phase != phase {
				phase = g.item.Phase
				piece.Field = model.PhaseMark + phase
				r.Reasoning = append(r.Reasoning, piece)
			}
			said.WriteString(g.Text.String())
		case "function_call":
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: g.CallID, Name: g.Name, Arguments: g.Text.String()})
		case "reasoning", "compaction":
			piece.Text, piece.Opaque = g.Text.String(), g.opaque
			r.Reasoning = append(r.Reasoning, piece)
		}
	}
	r.Text = said.String()
	if a.refused && r.FinishReason.Complete() {
		r.FinishReason, r.FinishWord = model.FinishRefusal, ""
	}
	return &r
}
