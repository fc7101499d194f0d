package model

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/repetition"
)

// loops watches the pieces of an answer for one that repeats itself. The zero value is ready. Each of the calls is
// watched while its arguments grow, so arguments that arrive in turns are not, nor are those that come in one piece.
type loops struct {
	text, reasoning, arguments repetition.Detector
	call                       string // whose arguments are watched
	begun                      bool   // a part of them has come
	found                      DeltaKind
}

// add takes a piece.
func (l *loops) add(d Delta) {
	if l.found != 0 {
		return
	}
	var repeats bool
	switch d.Kind {
	case DeltaText:
		repeats = l.text.Feed(d.Text)
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
	for _, d := range []*repetition.Detector{&l.text, &l.reasoning, &l.arguments} {
		d.Free()
	}
}

// cut leaves of an answer that repeats itself what came up to the end of the first copy. What the provider has sealed
// of a thought that is cut is left out, because it fits no longer.
func (l *loops) cut(r *Response) {
	r.FinishReason, r.FinishWord = FinishRepetition, ""
	switch l.found {
	case DeltaText:
		r.Text = r.Text[:min(l.text.Keep(), len(r.Text))]
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
