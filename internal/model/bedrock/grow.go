package bedrock

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxCitations bounds the citations of a block.
const maxCitations = 1024

// answer puts an answer together from its blocks. Not safe for concurrent use.
type answer struct {
	model.Blocks
	head   model.Response // FinishReason and Usage
	blocks []*growing     // in order of appearance
}

// growing is a block that is being received.
type growing struct {
	model.Block
	index               int
	signature, redacted string // of reasoning
	citations           []citation
}

// citation is what a piece of text rests on.
type citation struct {
	Title  string `json:"title"`
	Source []struct {
		Text string `json:"text"`
	} `json:"sourceContent"`
	Location struct {
		Page  *place `json:"documentPage"`
		Char  *place `json:"documentChar"`
		Chunk *place `json:"documentChunk"`
	} `json:"location"`
}

type place struct {
	Document int   `json:"documentIndex"`
	Start    int64 `json:"start"`
	End      int64 `json:"end"`
}

// of returns the citation as callers know it, for the text from start to end.
func (c *citation) of(start, end int) model.Citation {
	known := model.Citation{Start: start, End: end, Title: c.Title}
	for _, s := range c.Source {
		known.Cited += s.Text
	}
	set := func(unit string, p *place) {
		if p != nil {
			known.Unit, known.Document, known.From, known.To = unit, p.Document, p.Start, p.End
		}
	}
	set("page", c.Location.Page)
	set("char", c.Location.Char)
	set("block", c.Location.Chunk)
	if known.Unit == "page" {
		known.To = max(known.From, known.To-1)
	}
	return known
}

// size is how many bytes a citation takes.
func (c *citation) size() int {
	n := len(c.Title)
	for _, s := range c.Source {
		n += len(s.Text)
	}
	return n
}

// start begins a call. Other blocks begin with their first piece.
func (a *answer) start(index int, call *toolUse) error {
	if call == nil {
		return nil
	}
	_, err := a.begin(index, model.Block{Kind: model.DeltaToolCall, CallID: call.ID, Name: call.Name})
	return err
}

func (a *answer) begin(index int, b model.Block) (*growing, error) {
	g := &growing{index: index}
	g.Kind, g.CallID, g.Name = b.Kind, b.CallID, b.Name
	if err := a.Begin(&g.Block); err != nil {
		return nil, err
	}
	a.blocks = append(a.blocks, g)
	return g, nil
}

// at returns the block at an index, and begins it if it is not of this kind or not there.
func (a *answer) at(index int, kind model.DeltaKind) (*growing, error) {
	for _, g := range slices.Backward(a.blocks) {
		if g.index == index && g.Kind == kind {
			return g, nil
		}
	}
	return a.begin(index, model.Block{Kind: kind})
}

// delta adds a piece to the block that it belongs to.
func (a *answer) delta(index int, d *delta) error {
	kind, text := model.DeltaText, d.Text
	switch {
	case d.ToolUse != nil:
		kind, text = model.DeltaToolCall, d.ToolUse.Input
	case d.Reasoning != nil:
		kind, text = model.DeltaReasoning, d.Reasoning.Text
	case d.Text == "" && d.Citation == nil:
		return nil
	}
	g, err := a.at(index, kind)
	if err != nil {
		return err
	}
	if d.Reasoning != nil {
		if err := a.opaque(g, d.Reasoning.Signature, d.Reasoning.Redacted); err != nil {
			return err
		}
	}
	if d.Citation != nil {
		if err := a.cite(g, *d.Citation); err != nil {
			return err
		}
	}
	return a.Grow(&g.Block, text)
}

// opaque adds what only the provider reads.
func (a *answer) opaque(g *growing, signature, redacted string) error {
	g.signature += signature
	g.redacted += redacted
	return a.Keep(len(signature) + len(redacted))
}

func (a *answer) cite(g *growing, c citation) error {
	if len(g.citations) == maxCitations {
		return nil
	}
	g.citations = append(g.citations, c)
	return a.Keep(c.size())
}

// block takes a block of a whole answer.
func (a *answer) block(index int, b *block) error {
	switch {
	case b.ToolUse != nil:
		if err := a.start(index, b.ToolUse); err != nil {
			return err
		}
		input := string(b.ToolUse.Input)
		if input == "null" {
			input = ""
		}
		return a.Grow(&a.blocks[len(a.blocks)-1].Block, input)
	case b.Reasoning != nil:
		g, err := a.at(index, model.DeltaReasoning)
		if err != nil {
			return err
		}
		if err := a.opaque(g, b.Reasoning.Text.Signature, b.Reasoning.Redacted); err != nil {
			return err
		}
		return a.Grow(&g.Block, b.Reasoning.Text.Text)
	case b.Cited != nil:
		g, err := a.at(index, model.DeltaText)
		if err != nil {
			return err
		}
		for _, c := range b.Cited.Citations {
			if err := a.cite(g, c); err != nil {
				return err
			}
		}
		for _, piece := range b.Cited.Content {
			if err := a.Grow(&g.Block, piece.Text); err != nil {
				return err
			}
		}
		return nil
	}
	return a.delta(index, &delta{Text: b.Text})
}

// response joins the blocks.
func (a *answer) response() *model.Response {
	r := a.head
	var said strings.Builder
	for _, g := range a.blocks {
		at := said.Len()
		switch g.Kind {
		case model.DeltaText:
			said.WriteString(g.Text.String())
			for i := range g.citations {
				r.Citations = append(r.Citations, g.citations[i].of(at, said.Len()))
			}
		case model.DeltaToolCall:
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: g.CallID, Name: g.Name, Arguments: g.Text.String()})
		case model.DeltaReasoning:
			r.Reasoning = append(r.Reasoning, model.Reasoning{Text: g.Text.String(), Opaque: g.sentBack(), AfterText: at, AfterCalls: len(r.ToolCalls)})
		}
	}
	r.Text = said.String()
	return &r
}

// reasoning is a block of reasoning as it is sent back.
type reasoning struct {
	Content reasoningContent `json:"reasoningContent"`
}

type reasoningContent struct {
	Text     *reasoningText `json:"reasoningText,omitempty"`
	Redacted string         `json:"redactedContent,omitempty"`
}

type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature"`
}

// sentBack is a block of reasoning as it is sent back; "" if it has no signature.
func (g *growing) sentBack() string {
	var back reasoning
	switch {
	case g.redacted != "":
		back.Content.Redacted = g.redacted
	case g.signature != "":
		back.Content.Text = &reasoningText{Text: g.Text.String(), Signature: g.signature}
	default:
		return ""
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if to.Encode(back) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
