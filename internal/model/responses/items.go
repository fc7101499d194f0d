package responses

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxItems bounds the items of an answer.
const maxItems = 1024

// paragraph is between the parts of a summary.
const paragraph = "\n\n"

// answer puts an answer together from its items. Not safe for concurrent use.
type answer struct {
	emit  func(model.Delta) // nil: nobody listens
	head  model.Response    // ID, Model, FinishReason and Usage so far
	items []*growing        // in order of appearance
	calls int               // how many of them are calls
	size  int               // bytes kept, for model.MaxAnswer
}

// growing is an item that is being received.
type growing struct {
	index   int
	item    item
	text    strings.Builder // of a message or of reasoning, or the arguments of a call
	part    int             // of a summary, that the text is in
	opaque  string          // what is sent back of reasoning
	order   int             // of a call, among the calls
	id      string          // of a call, as callers know it
	settled bool            // it is complete
}

// at returns the item at an index, or starts it.
func (a *answer) at(index int) (*growing, error) {
	for _, g := range a.items {
		if g.index == index {
			return g, nil
		}
	}
	if len(a.items) == maxItems {
		return nil, fmt.Errorf("the answer has more than %d items", maxItems)
	}
	g := &growing{index: index, order: -1}
	a.items = append(a.items, g)
	return g, nil
}

// begin takes what an item says of itself before its pieces come.
func (a *answer) begin(g *growing, i *item) {
	if g.item.Type != "" {
		return
	}
	g.item = *i
	if i.Type == "function_call" {
		g.order, g.id = a.calls, i.CallID
		a.calls++
		if g.id == "" || slices.ContainsFunc(a.items, func(o *growing) bool { return o != g && o.id == g.id }) {
			g.id = "call_" + rand.Text()
		}
		a.send(g, "")
	}
}

// grow adds a piece to an item.
func (a *answer) grow(g *growing, piece string) error {
	if piece == "" {
		return nil
	}
	if a.size += len(piece); a.size > model.MaxAnswer {
		return fmt.Errorf("the answer is longer than %d MiB", model.MaxAnswer>>20)
	}
	g.text.WriteString(piece)
	a.send(g, piece)
	return nil
}

// send passes a piece on.
func (a *answer) send(g *growing, piece string) {
	if a.emit == nil {
		return
	}
	switch g.item.Type {
	case "message":
		a.emit(model.Delta{Kind: model.DeltaText, Text: piece})
	case "reasoning":
		a.emit(model.Delta{Kind: model.DeltaReasoning, Text: piece})
	case "function_call":
		a.emit(model.Delta{Kind: model.DeltaToolCall, Text: piece, Index: g.order, CallID: g.id, Name: g.item.Name})
	}
}

// settle takes a whole item. What its pieces have not brought is added.
func (a *answer) settle(g *growing, raw json.RawMessage) error {
	var i item
	if err := decode(raw, &i); err != nil {
		return err
	}
	a.begin(g, &i)
	if g.settled {
		return nil
	}
	g.settled = true
	final := i.Arguments
	switch i.Type {
	case "message":
		final = text(i.Content, "")
		g.item.Phase = i.Phase
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
	a.size += len(g.opaque)
	rest, ok := strings.CutPrefix(final, g.text.String())
	if !ok {
		return nil // the pieces were sent already
	}
	return a.grow(g, rest)
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
				piece.Opaque = phaseMark + phase
				r.Reasoning = append(r.Reasoning, piece)
			}
			said.WriteString(g.text.String())
		case "function_call":
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: g.id, Name: g.item.Name, Arguments: g.text.String()})
		case "reasoning", "compaction":
			piece.Text, piece.Opaque = g.text.String(), g.opaque
			r.Reasoning = append(r.Reasoning, piece)
		}
	}
	r.Text = said.String()
	if r.FinishReason == "" {
		r.FinishReason = "stop"
		if len(r.ToolCalls) > 0 {
			r.FinishReason = "tool_calls"
		}
	}
	return &r
}
