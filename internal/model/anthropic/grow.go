package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxCitations bounds the citations of a block.
const maxCitations = 1024

// answer puts an answer together from its blocks. Not safe for concurrent use.
type answer struct {
	model.Blocks
	head   model.Response // ID, Model, FinishReason and Usage so far
	blocks []*growing     // in order of appearance
}

// growing is a block that is being received.
type growing struct {
	model.Block
	index     int
	block     block
	raw       json.RawMessage // as it began
	signature string
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

// kinds are the types of blocks that callers are told about.
var kinds = lazy.Value[map[string]model.DeltaKind]{Make: func() map[string]model.DeltaKind {
	return map[string]model.DeltaKind{"text": model.DeltaText, "thinking": model.DeltaReasoning, "tool_use": model.DeltaToolCall}
}}

// begin starts a block. The text that the block begins with is its first piece.
func (a *answer) begin(index int, raw json.RawMessage) error {
	g := &growing{index: index, raw: bytes.Clone(raw)}
	if err := json.Unmarshal(raw, &g.block); !model.ValidButMistyped(err) {
		return err
	}
	g.Kind, g.CallID, g.Name = kinds.Get()[g.block.Type], g.block.ID, g.block.Name
	if err := a.Begin(&g.Block); err != nil {
		return err
	}
	a.blocks = append(a.blocks, g)
	g.signature = g.block.Signature
	first := g.block.Text + g.block.Thinking
	switch g.block.Type {
	case "tool_use":
		if first = string(g.block.Input); first == "{}" || first == "null" { // a stream begins with an empty object
			first = ""
		}
	case "redacted_thinking":
		if err := a.Keep(len(raw)); err != nil {
			return err
		}
	}
	return a.Grow(&g.Block, first)
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

// response joins the blocks.
func (a *answer) response() *model.Response {
	r := a.head
	var said strings.Builder
	for _, g := range a.blocks {
		piece := model.Reasoning{AfterText: said.Len(), AfterCalls: len(r.ToolCalls)}
		switch g.block.Type {
		case "text":
			said.WriteString(g.Text.String())
			for i := range g.block.Citations {
				r.Citations = append(r.Citations, g.block.Citations[i].of(piece.AfterText, said.Len()))
			}
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: g.CallID, Name: g.Name, Arguments: g.Text.String()})
		case "thinking":
			piece.Text, piece.Opaque = g.Text.String(), g.thinking()
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
	}{"thinking", g.Text.String(), g.signature}) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
