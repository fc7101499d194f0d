package model

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/repetition"
)

// loops watches the pieces of an answer for one that repeats itself. The zero value is ready. Each of the calls is
// watched while its arguments grow, so arguments that arrive in turns are not, nor are those that come in one piece.
//
// A repetition that something else follows has ended, so it was wanted. Of an answer that comes whole, that is known
// when all of it has been added.
type loops struct {
	text, held, reasoning, arguments repetition.Detector
	said                             int    // bytes of text, without the held
	call                             string // whose arguments are watched
	begun                            bool   // a part of them has come
	found                            DeltaKind
}

// add takes a piece.
func (l *loops) add(d Delta) {
	if d.Text == "" && d.Kind != DeltaToolCall {
		return
	}
	l.found = 0
	var repeats bool
	switch d.Kind {
	case DeltaText:
		l.said += len(d.Text)
		repeats = l.text.Feed(d.Text)
	case DeltaHeld:
		l.held.Data = true
		repeats = l.held.Feed(d.Text)
	case DeltaReasoning:
		repeats = l.reasoning.Feed(d.Text)
	case DeltaToolCall:
		if d.CallID != l.call {
			l.arguments.Free()
			l.call, l.arguments.Data, l.begun = d.CallID, true, false
		}
		if !l.begun && json.Valid([]byte(d.Text)) { // whole, so whatever it repeats has ended
			return
		}
		l.begun = l.begun || d.Text != ""
		repeats = l.arguments.Feed(d.Text)
	}
	if repeats {
		l.found = d.Kind
	}
}

// free gives the memory back. It is called when the answer has been read, and cut.
func (l *loops) free() {
	for _, d := range []*repetition.Detector{&l.text, &l.held, &l.reasoning, &l.arguments} {
		d.Free()
	}
}

// cut leaves of an answer that repeats itself what came up to the end of the first copy. What the provider has sealed
// of a thought that is cut is left out, because it fits no longer.
func (l *loops) cut(r *Response) {
	r.FinishReason, r.FinishWord = FinishRepetition, ""
	switch l.found {
	case DeltaText, DeltaHeld:
		keep := l.text.Keep()
		if l.found == DeltaHeld { // it comes after all other text
			keep = l.said + l.held.Keep()
		}
		r.Text = r.Text[:min(keep, len(r.Text))]
		r.Citations = citedWithin(r.Citations, len(r.Text))
		for i := range r.Reasoning {
			r.Reasoning[i].AfterText = min(r.Reasoning[i].AfterText, len(r.Text))
		}
	case DeltaReasoning:
		left := l.reasoning.Keep()
		for i := range r.Reasoning {
			if piece := &r.Reasoning[i]; len(piece.Text) > left {
				piece.Text, piece.Opaque = piece.Text[:left], ""
				r.Reasoning = r.Reasoning[:i+1]
				break
			}
			left -= len(r.Reasoning[i].Text)
		}
	case DeltaToolCall:
		for i := range r.ToolCalls {
			if c := &r.ToolCalls[i]; c.ID == l.call {
				c.Arguments = c.Arguments[:min(l.arguments.Keep(), len(c.Arguments))]
				r.ToolCalls = r.ToolCalls[:i+1]
				break
			}
		}
	}
}

// citedWithin are the citations of the first n bytes of a text.
func citedWithin(all []Citation, n int) []Citation {
	for i, c := range all {
		if c.End > n {
			return all[:i:i]
		}
	}
	return all
}
