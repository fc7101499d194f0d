package chat

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxCalls bounds the tool calls of an answer, and likewise its choices.
const maxCalls = 1024

// merger puts an answer together from its chunks. Not safe for concurrent use.
type merger struct {
	emit     func(model.Delta) // nil: nobody listens
	head     model.Response    // ID, Model and Usage so far
	branches []*branch         // in order of appearance
	calls    []*call           // of all branches, in order of appearance
	size     int               // bytes kept, for model.MaxAnswer
	native   bool              // see manners
	refused  bool              // a refusal is part of the text
	tools    []model.Tool      // that were offered, if calls may come as text
	names    []string          // of tools, as they were sent; see wireNames
	ended    bool              // the server has said that nothing follows
	formed   bool              // the request asks for an answer of a certain form
	stopped  bool              // this program has stopped the answer
}

// branch is one choice.
type branch struct {
	index           int
	text, reasoning strings.Builder
	reader          textReader
	field, opaque   string // of the reasoning
	details         details
	calls           []*call
	finish          string
}

// call is one tool call. The provider refers to it by wireID and index. Callers know it by
// id, which is fixed when the call appears, so that deltas and response agree.
type call struct {
	order, index     int
	wireID, id, name string
	signature        string
	arguments        strings.Builder
}

// add merges one chunk. Choices without an index count from 0 in their chunk.
func (m *merger) add(c *chunk) error {
	if c.ID != "" {
		m.head.ID = c.ID
	}
	if c.Model != "" {
		m.head.Model = c.Model
	}
	if c.Usage != nil {
		cost := m.head.Usage.NanoAIU
		m.head.Usage = *c.Usage
		m.head.Usage.NanoAIU = cost
	}
	if c.NanoAIU > 0 {
		m.head.Usage.NanoAIU = c.NanoAIU
	}
	for i := range c.Choices {
		if err := m.choice(i, &c.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) choice(position int, c *choice) error {
	if c.Index == absent {
		c.Index = position
	}
	b := m.branch(c.Index)
	if c.Finish != "" {
		b.finish = c.Finish
	}
	m.refused = m.refused || c.Refused
	if c.Field != "" && b.field == "" {
		b.field = c.Field
	}
	if c.Opaque != "" { // it comes in one piece
		m.size += len(c.Opaque) - len(b.opaque)
		b.opaque = c.Opaque
	}
	m.text(&b.reasoning, model.DeltaReasoning, c.Reasoning)
	if m.native {
		m.text(&b.text, model.DeltaText, c.Text)
	} else {
		m.read(b, c.Text)
	}
	for _, raw := range c.Details {
		m.size += b.details.add(raw)
	}
	for i := range c.Calls {
		m.fragment(b, &c.Calls[i])
		if err := m.bounded(); err != nil {
			return err
		}
	}
	return m.bounded()
}

func (m *merger) bounded() error {
	if m.size > model.MaxAnswer || len(m.calls) > maxCalls || len(m.branches) > maxCalls {
		return fmt.Errorf("the answer is longer than %d MiB or has more than %d tool calls", model.MaxAnswer>>20, maxCalls)
	}
	return nil
}

// branch finds a choice by its index, or starts it.
func (m *merger) branch(index int) *branch {
	for _, b := range m.branches {
		if b.index == index {
			return b
		}
	}
	b := &branch{index: index}
	m.branches = append(m.branches, b)
	return b
}

func (m *merger) text(to *strings.Builder, kind model.DeltaKind, s string) {
	if s == "" {
		return
	}
	to.WriteString(s)
	m.size += len(s)
	if m.emit != nil {
		m.emit(model.Delta{Kind: kind, Text: s})
	}
}

// fragment adds a piece to the call it belongs to.
func (m *merger) fragment(b *branch, f *fragment) {
	c := b.find(f)
	if c == nil {
		c = m.begin(b, f)
	}
	if c.name == "" {
		c.name = f.Name
	}
	if c.wireID == "" {
		c.wireID = f.ID
	}
	if f.Signature != "" {
		m.size += len(f.Signature) - len(c.signature)
		c.signature = f.Signature
	}
	c.arguments.WriteString(f.Arguments)
	m.size += len(f.Arguments)
	if m.emit != nil {
		m.emit(model.Delta{Kind: model.DeltaToolCall, Text: f.Arguments, Index: c.order, CallID: c.id, Name: c.name})
	}
}

// find returns the call f continues, nil if f begins one. Providers refer to
// calls in four ways: by index; by index, but 0 for all; by id; or not at all,
// meaning the last one. An unknown id with a name always begins a call.
func (b *branch) find(f *fragment) *call {
	switch {
	case f.Whole:
		return nil
	case f.ID != "":
		if c := b.last(func(c *call) bool { return c.wireID == f.ID && f.Index == c.index }); c != nil {
			return c
		}
	}
	if f.Index == absent {
		if f.ID != "" || f.Name != "" {
			return nil
		}
		return b.last(func(*call) bool { return true })
	}
	c := b.last(func(c *call) bool { return c.index == f.Index })
	if c != nil && c.wireID != "" && f.ID != "" && f.Name != "" {
		return nil
	}
	return c
}

func (b *branch) last(match func(*call) bool) *call {
	for _, c := range slices.Backward(b.calls) {
		if match(c) {
			return c
		}
	}
	return nil
}

// begin starts a call. If the provider gave no id, or the id of another call of this
// answer, the call gets a random one, which is unique in the whole conversation.
func (m *merger) begin(b *branch, f *fragment) *call {
	c := &call{order: len(m.calls), index: f.Index, wireID: f.ID, id: f.ID}
	if c.id == "" || slices.ContainsFunc(m.calls, func(o *call) bool { return o.id == c.id }) {
		c.id = "call_" + rand.Text()
	}
	b.calls = append(b.calls, c)
	m.calls = append(m.calls, c)
	return c
}

// finished reports whether any choice said why it ended.
func (m *merger) finished() bool {
	return slices.ContainsFunc(m.branches, func(b *branch) bool { return b.finish != "" })
}

// failed reports whether any choice ended with an error.
func (m *merger) failed() bool {
	return slices.ContainsFunc(m.branches, func(b *branch) bool { return b.finish == "error" })
}

// response joins the choices in index order. It may be called once.
func (m *merger) response() *model.Response {
	slices.SortStableFunc(m.branches, func(a, b *branch) int { return a.index - b.index })
	r := m.head
	var text, thought []string
	var reasoning model.Reasoning
	var signatures []model.Reasoning
	for _, b := range m.branches {
		text = append(text, b.text.String())
		thought = append(thought, b.reasoning.String())
		reasoning.Field = cmp.Or(reasoning.Field, b.field)
		reasoning.Opaque = cmp.Or(reasoning.Opaque, b.opaque, b.details.list())
		if word := b.finish; word != "" && r.FinishReason.Complete() && r.FinishReason != model.FinishToolCalls {
			r.FinishReason, r.FinishWord = finishes.Get().Of(word), word
		}
		for _, c := range b.calls {
			if c.signature != "" {
				signatures = append(signatures, model.Reasoning{Opaque: signed + c.signature, AfterCalls: len(r.ToolCalls)})
			}
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
		}
	}
	if m.refused && r.FinishReason.Complete() {
		r.FinishReason, r.FinishWord = model.FinishRefusal, ""
	}
	r.Text, reasoning.Text = strings.Join(text, ""), strings.Join(thought, "")
	if reasoning != (model.Reasoning{}) {
		r.Reasoning = []model.Reasoning{reasoning}
	}
	r.Reasoning = append(r.Reasoning, signatures...)
	return &r
}
