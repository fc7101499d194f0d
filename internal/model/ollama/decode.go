package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer, which comes in one line or in many of the same form.
type decoder struct {
	model.Blocks
	head   model.Response // Model, FinishReason and Usage
	blocks []*model.Block // in order of appearance
	begun  bool
	done   bool
}

// finishes are the values of done_reason. An answer that only loads or unloads a model is empty.
// Source: docs/api.md of github.com/ollama/ollama, and api/types.go, llm.DoneReason, 2026-11.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	return model.Finishes{"stop": model.FinishStop, "length": model.FinishLength, "load": model.FinishEmpty, "unload": model.FinishEmpty}
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }

// line is a line of an answer. Values of unexpected type count as absent.
type line struct {
	Model   string `json:"model"`
	Message *struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
		Calls    []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done   bool            `json:"done"`
	Reason string          `json:"done_reason"`
	Input  float64         `json:"prompt_eval_count"` // without what was cached
	Output float64         `json:"eval_count"`
	Error  json.RawMessage `json:"error"`
	Status int             `json:"status"` // of the error
}

// Event takes one line.
func (d *decoder) Event(_ string, data []byte) (done bool, err error) {
	var l line
	if err := json.Unmarshal(data, &l); !model.ValidButMistyped(err) {
		return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
	}
	return d.done, d.add(&l, data)
}

func (d *decoder) add(l *line, data []byte) error {
	if model.NonNull(l.Error) != nil {
		e := model.ReportedError(data)
		if l.Status >= 400 && l.Status < 600 {
			e.Status = l.Status
		} else if e.Status == 0 {
			e.Status = http.StatusInternalServerError // what runs the model has failed
		}
		return e
	}
	if l.Model != "" {
		d.head.Model = l.Model
	}
	if m := l.Message; m != nil {
		d.begun = true
		if err := d.grow(model.DeltaReasoning, m.Thinking); err != nil {
			return err
		}
		if err := d.grow(model.DeltaText, m.Content); err != nil {
			return err
		}
		for _, c := range m.Calls {
			if err := d.call(c.ID, c.Function.Name, c.Function.Arguments); err != nil {
				return err
			}
		}
	}
	if l.Done {
		d.done, d.head.FinishReason, d.head.FinishWord = true, finishes.Get().Of(l.Reason), l.Reason
		d.head.Usage = model.Usage{Input: model.Tokens(l.Input), Output: model.Tokens(l.Output), Partial: true}
		d.head.Usage.Reported = d.head.Usage.Input+d.head.Usage.Output > 0
	}
	return nil
}

// grow adds a piece to the last block, or begins a block if that is of another kind.
func (d *decoder) grow(kind model.DeltaKind, text string) error {
	if text == "" {
		return nil
	}
	if len(d.blocks) == 0 || d.blocks[len(d.blocks)-1].Kind != kind {
		if err := d.begin(&model.Block{Kind: kind}); err != nil {
			return err
		}
	}
	return d.Grow(d.blocks[len(d.blocks)-1], text)
}

func (d *decoder) begin(b *model.Block) error {
	d.blocks = append(d.blocks, b)
	return d.Begin(b)
}

// call takes a call, which comes whole. Its arguments are an object; some versions have sent
// text.
func (d *decoder) call(id, name string, raw json.RawMessage) error {
	b := &model.Block{Kind: model.DeltaToolCall, CallID: id, Name: name}
	if err := d.begin(b); err != nil {
		return err
	}
	var text string
	var compact bytes.Buffer
	if json.Unmarshal(raw, &text) != nil && json.Compact(&compact, raw) == nil {
		text = compact.String()
	}
	return d.Grow(b, text)
}

// Complete reports whether the answer may end here: only its last line says so.
func (d *decoder) Complete() bool { return d.done }

// Whole takes an answer that is not a stream, or the lines of one whose media type was lost.
func (d *decoder) Whole(data []byte) error {
	for piece := range bytes.Lines(data) {
		if piece = bytes.TrimSpace(piece); len(piece) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(piece, &l); !model.ValidButMistyped(err) {
			return model.ErrNoAnswer
		}
		if err := d.add(&l, piece); err != nil {
			return err
		}
	}
	switch {
	case !d.begun:
		return model.ErrNoAnswer
	case !d.done:
		return fmt.Errorf("the answer has no end")
	}
	return nil
}

// Response returns the answer, nil if none has begun.
func (d *decoder) Response() *model.Response {
	if !d.begun {
		return nil
	}
	r := d.head
	var said strings.Builder
	for _, b := range d.blocks {
		switch b.Kind {
		case model.DeltaText:
			said.WriteString(b.Text.String())
		case model.DeltaReasoning:
			r.Reasoning = append(r.Reasoning, model.Reasoning{Text: b.Text.String(), Field: field, AfterText: said.Len(), AfterCalls: len(r.ToolCalls)})
		case model.DeltaToolCall:
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: b.CallID, Name: b.Name, Arguments: b.Text.String()})
		}
	}
	r.Text = said.String()
	return &r
}
