package anthropic

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxBlocks bounds the blocks of an answer.
const maxBlocks = 1024

// answer puts an answer together from its blocks. Not safe for concurrent use.
type answer struct {
	emit   func(model.Delta) // nil: nobody listens
	head   model.Response    // ID, Model, FinishReason and Usage so far
	blocks []*growing        // in order of appearance
	calls  int               // how many of them are calls
	size   int               // bytes kept, for model.MaxAnswer
}

// growing is a block that is being received.
type growing struct {
	index     int
	block     block
	raw       json.RawMessage // as it began
	text      strings.Builder // of text or thinking, or the arguments of a call
	signature string
	order     int    // of a call, among the calls
	id        string // of a call, as callers know it
}

// block is a piece of an answer, as it begins or as a whole.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Citations []citation      `json:"citations"`
}

// citation is what a block of text rests on.
type citation struct {
	Cited      string `json:"cited_text"`
	Document   int    `json:"document_index"`
	Title      string `json:"document_title"`
	StartPage  int64  `json:"start_page_number"`
	EndPage    int64  `json:"end_page_number"` // behind the last one
	StartChar  int64  `json:"start_char_index"`
	EndChar    int64  `json:"end_char_index"`
	StartBlock int64  `json:"start_block_index"`
	EndBlock   int64  `json:"end_block_index"`
	Type       string `json:"type"`
}

// of returns the citation as callers know it, for the text from start to end.
func (c *citation) of(start, end int) model.Citation {
	known := model.Citation{Start: start, End: end, Cited: c.Cited, Title: c.Title, Document: c.Document}
	switch c.Type {
	case "page_location":
		known.Unit, known.From, known.To = "page", c.StartPage, max(c.StartPage, c.EndPage-1)
	case "char_location":
		known.Unit, known.From, known.To = "char", c.StartChar, c.EndChar
	case "content_block_location":
		known.Unit, known.From, known.To = "block", c.StartBlock, c.EndBlock
	}
	return known
}

// begin starts a block. What it has already is its first piece.
func (a *answer) begin(index int, raw json.RawMessage) error {
	if len(a.blocks) == maxBlocks {
		return fmt.Errorf("the answer has more than %d blocks", maxBlocks)
	}
	g := &growing{index: index, raw: bytes.Clone(raw)}
	if err := json.Unmarshal(raw, &g.block); !model.ValidButMistyped(err) {
		return err
	}
	a.blocks = append(a.blocks, g)
	g.signature = g.block.Signature
	switch g.block.Type {
	case "tool_use":
		g.order, g.id = a.calls, g.block.ID
		a.calls++
		if g.id == "" || slices.ContainsFunc(a.blocks, func(o *growing) bool { return o != g && o.id == g.id }) {
			g.id = "call_" + rand.Text()
		}
		a.send(g, "")
		if whole := string(g.block.Input); whole != "{}" && whole != "null" { // a stream begins with an empty object
			return a.grow(g, whole)
		}
		return nil
	case "redacted_thinking":
		a.size += len(raw)
	}
	return a.grow(g, g.block.Text+g.block.Thinking)
}

// at returns the block at an index that was begun last, nil if there is none.
func (a *answer) at(index int) *growing {
	for _, g := range slices.Backward(a.blocks) {
		if g.index == index {
			return g
		}
	}
	return nil
}

// grow adds a piece to a block.
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
	switch g.block.Type {
	case "text":
		a.emit(model.Delta{Kind: model.DeltaText, Text: piece})
	case "thinking":
		a.emit(model.Delta{Kind: model.DeltaReasoning, Text: piece})
	case "tool_use":
		a.emit(model.Delta{Kind: model.DeltaToolCall, Text: piece, Index: g.order, CallID: g.id, Name: g.block.Name})
	}
}

// response joins the blocks.
func (a *answer) response() *model.Response {
	r := a.head
	var said strings.Builder
	for _, g := range a.blocks {
		piece := model.Reasoning{AfterText: said.Len(), AfterCalls: len(r.ToolCalls)}
		switch g.block.Type {
		case "text":
			said.WriteString(g.text.String())
			for i := range g.block.Citations {
				r.Citations = append(r.Citations, g.block.Citations[i].of(piece.AfterText, said.Len()))
			}
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: g.id, Name: g.block.Name, Arguments: g.text.String()})
		case "thinking":
			piece.Text, piece.Opaque = g.text.String(), g.thinking()
			r.Reasoning = append(r.Reasoning, piece)
		case "redacted_thinking":
			piece.Opaque = string(g.raw)
			r.Reasoning = append(r.Reasoning, piece)
		}
	}
	r.Text = said.String()
	return &r
}

// thinking is a block of thinking as it is sent back; "" if it has no signature, without which
// it is refused.
func (g *growing) thinking() string {
	if g.signature == "" {
		return ""
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if to.Encode(struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}{"thinking", g.text.String(), g.signature}) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
