package responses

import (
	"cmp"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer: the events of a stream, or a whole one.
type decoder struct {
	answer
	ended bool // the event that ends an answer has come
	begun bool // an answer has begun
}

// Event takes one event. Events of unknown type are ignored, as the protocol asks for.
func (d *decoder) Event(name string, data []byte) (done bool, err error) {
	if string(data) == "[DONE]" { // of gateways
		return d.ended, nil
	}
	var e event
	if err := decode(data, &e); err != nil {
		return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "error":
		return false, reported(data, e.Status)
	case "response.created", "response.queued", "response.in_progress":
		d.head.ID, d.head.Model = e.Response.names(d.head)
		d.begun = true
		return false, nil
	case "response.completed", "response.incomplete", "response.cancelled", "response.failed":
		d.ended = true
		return true, d.finish(e.Response)
	case "": // of servers that send an error as in other dialects
		if model.NonNull(e.Error) != nil {
			return false, model.ReportedError(data)
		}
		return false, nil
	}
	return false, d.piece(&e)
}

// piece takes an event of an item.
func (d *decoder) piece(e *event) error {
	added, settled := e.Type == "response.output_item.added", e.Type == "response.output_item.done"
	if !added && !settled && e.Delta == "" {
		return nil
	}
	index := 0
	if e.Index != nil {
		index = *e.Index
	} else if added {
		index = len(d.items)
	} else {
		index = max(0, len(d.items)-1)
	}
	d.begun = true
	var i item
	switch e.Type {
	case "response.output_item.added":
		err := decode(e.Item, &i)
		if err == nil {
			_, err = d.at(index, &i)
		}
		return err
	case "response.output_item.done":
		return d.settle(index, e.Item)
	case "response.output_text.delta":
		i.Type = "message"
	case "response.refusal.delta":
		i.Type, d.refused = "message", true
	case "response.function_call_arguments.delta":
		i.Type = "function_call"
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		i.Type = "reasoning"
	default:
		return nil
	}
	g, err := d.at(index, &i)
	if err != nil {
		return err
	}
	if i.Type == "reasoning" && e.Part != g.part && g.Text.Len() > 0 {
		e.Delta = paragraph + e.Delta
	}
	g.part = e.Part
	return d.Grow(&g.Block, e.Delta)
}

// finishes are the reasons of incomplete_details and, without one, the values of status. That an
// answer has calls is not said.
// Source: developers.openai.com/api/reference/resources/responses, 2026-11.
var finishes = lazy.Value[model.Finishes]{Make: func() model.Finishes {
	return model.Finishes{
		"completed": model.FinishStop, "max_output_tokens": model.FinishLength, "content_filter": model.FinishFilter,
		"incomplete": model.FinishUnknown, "cancelled": model.FinishFailed,
	}
}}

// Finishes returns the words with which answers of this dialect end, in lower case, and what they mean. It is
// not to be changed.
func Finishes() model.Finishes { return finishes.Get() }

// finish takes the last object of an answer, or the only one.
func (d *decoder) finish(w *whole) error {
	if w == nil {
		return fmt.Errorf("the answer ended without saying how")
	}
	if err := model.NonNull(w.Error); err != nil || w.Status == "failed" {
		return model.ReportedError(err)
	}
	d.begun = true
	d.head.ID, d.head.Model = w.names(d.head)
	d.head.Usage = w.Usage.counts(w.Cost.Total)
	if word := cmp.Or(w.Incomplete.Reason, w.Status); word != "" {
		d.head.FinishReason, d.head.FinishWord = finishes.Get().Of(word), word
	}
	if len(d.items) > 0 { // the stream had them
		return nil
	}
	for index, raw := range w.Output {
		if err := d.settle(index, raw); err != nil {
			return err
		}
	}
	return nil
}

// names returns id and model of the answer, or what is known of them.
func (w *whole) names(known model.Response) (id, name string) {
	id, name = known.ID, known.Model
	if w != nil && w.ID != "" {
		id = w.ID
	}
	if w != nil && w.Model != "" {
		name = w.Model
	}
	return id, name
}

// reported is an error that the server reports as an event.
func reported(data []byte, status int) *model.Error {
	e := model.ReportedError(data)
	if status >= 400 && status < 600 {
		e.Status = status
	}
	if e.Type == "error" {
		e.Type = "" // the type of the event
	}
	return e
}

// Complete reports whether the answer may end here: only the event that ends it says so.
func (d *decoder) Complete() bool { return d.ended }

// Whole takes an answer that is not a stream.
func (d *decoder) Whole(data []byte) error {
	var w whole
	if err := decode(data, &w); err != nil {
		return model.ErrNoAnswer
	}
	if model.NonNull(w.Error) != nil && w.Object != "response" {
		return model.ReportedError(data)
	}
	if w.Object != "response" && w.Output == nil {
		return model.ErrNoAnswer
	}
	return d.finish(&w)
}

// Response returns the answer, nil if none has begun.
func (d *decoder) Response() *model.Response {
	if !d.begun {
		return nil
	}
	return d.response()
}
