package gemini

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxParts bounds the calls of an answer. Each may have a signature and an id, which are pieces.
const maxParts = 1024

// decoder reads one answer: the pieces of a stream, or a whole one.
type decoder struct {
	emit     func(model.Delta) // nil: nobody listens
	answer   model.Response
	text     strings.Builder
	thoughts strings.Builder
	pieces   []model.Reasoning
	size     int // bytes kept, for model.MaxAnswer
	begun    bool
}

// Event takes one piece.
func (d *decoder) Event(_ string, data []byte) (done bool, err error) {
	var p piece
	if err := json.Unmarshal(data, &p); !model.ValidButMistyped(err) {
		return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
	}
	return false, d.add(&p, data)
}

func (d *decoder) add(p *piece, data []byte) error {
	if model.NonNull(p.Error) != nil {
		return model.ReportedError(data)
	}
	d.answer.ID, d.answer.Model = cmp.Or(p.ID, d.answer.ID), cmp.Or(p.Model, d.answer.Model)
	if p.Usage != nil {
		d.answer.Usage = p.Usage.counts()
	}
	if p.Feedback.Block != "" && len(p.Candidates) == 0 {
		return &model.Error{Code: p.Feedback.Block, Type: "content_filter", Message: "the provider refused the prompt"}
	}
	if len(p.Candidates) == 0 {
		return nil
	}
	d.begun = true
	c := &p.Candidates[0]
	for i := range c.Content.Parts {
		if err := d.part(&c.Content.Parts[i]); err != nil {
			return err
		}
	}
	if broken(c.Finish) {
		return &model.Error{Code: c.Finish, Message: cmp.Or(c.Message, "the model wrote a tool call that its server does not understand")}
	}
	if c.Finish != "" {
		d.answer.FinishReason, d.answer.FinishWord = finishes.Get().Of(c.Finish), c.Finish
		if c.Message != "" {
			d.answer.FinishWord += ": " + c.Message
		}
	}
	return nil
}

func (d *decoder) part(p *part) error {
	if p.Signature != "" {
		kind := ofText
		if p.Call != nil {
			kind = ofCall
		}
		d.pieces = append(d.pieces, model.Reasoning{
			Opaque: kind + p.Signature, AfterText: d.text.Len(), AfterCalls: len(d.answer.ToolCalls),
		})
	}
	d.size += len(p.Text) + len(p.Signature)
	switch {
	case p.Call != nil:
		d.call(p)
	case p.Thought:
		d.thoughts.WriteString(p.Text)
		d.send(model.Delta{Kind: model.DeltaReasoning, Text: p.Text})
	default:
		d.text.WriteString(p.Text)
		d.send(model.Delta{Kind: model.DeltaText, Text: p.Text})
	}
	if d.size > model.MaxAnswer || len(d.answer.ToolCalls) > maxParts || len(d.pieces) > 2*maxParts {
		return fmt.Errorf("the answer is longer than %d MiB or has more than %d tool calls", model.MaxAnswer>>20, maxParts)
	}
	return nil
}

// send passes a piece on, unless it is empty.
func (d *decoder) send(delta model.Delta) {
	if d.emit != nil && (delta.Text != "" || delta.Kind == model.DeltaToolCall) {
		d.emit(delta)
	}
}

// call takes a call, which comes whole.
func (d *decoder) call(p *part) {
	var args bytes.Buffer
	if json.Compact(&args, p.Call.Args) != nil {
		args.Reset()
	}
	c := model.ToolCall{ID: p.Call.ID, Name: p.Call.Name, Arguments: args.String()}
	if c.ID == "" || slices.ContainsFunc(d.answer.ToolCalls, func(o model.ToolCall) bool { return o.ID == c.ID }) {
		c.ID = "call_" + rand.Text()
	} else {
		d.pieces = append(d.pieces, model.Reasoning{Opaque: ofID + c.ID, AfterText: d.text.Len(), AfterCalls: len(d.answer.ToolCalls)})
	}
	d.size += len(c.Arguments) + len(c.ID)
	d.send(model.Delta{Kind: model.DeltaToolCall, Text: c.Arguments, Index: len(d.answer.ToolCalls), CallID: c.ID, Name: c.Name})
	d.answer.ToolCalls = append(d.answer.ToolCalls, c)
}

// Complete reports whether the answer may end here: once it has said why it ends.
func (d *decoder) Complete() bool { return d.answer.FinishReason != "" }

// Whole takes an answer that is not a stream, or the pieces of one as a list.
func (d *decoder) Whole(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	for _, one := range list {
		var p piece
		if err := json.Unmarshal(one, &p); !model.ValidButMistyped(err) {
			return model.ErrNoAnswer
		}
		if err := d.add(&p, one); err != nil {
			return err
		}
	}
	if !d.begun {
		return model.ErrNoAnswer
	}
	return nil
}

// Response returns the answer, nil if none has begun.
func (d *decoder) Response() *model.Response {
	if !d.begun {
		return nil
	}
	r := d.answer
	r.Text, r.Reasoning = d.text.String(), d.pieces
	if thoughts := d.thoughts.String(); thoughts != "" {
		r.Reasoning = append([]model.Reasoning{{Text: thoughts}}, d.pieces...)
	}
	return &r
}
