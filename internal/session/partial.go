package session

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// partial is the text of an answer that has not ended. An abort records it, so that the model and
// the user can refer to it: see docs/decisions/0027. It is guarded by run.mu.
type partial struct {
	message string // its id
	text    strings.Builder
}

// add adds a piece of the answer with that id. An answer with another id begins anew.
func (p *partial) add(message, piece string) {
	if p.message != message {
		p.message = message
		p.text.Reset()
	}
	p.text.WriteString(piece)
}

// abort is the event that ends the run, after [run.stop]. It has what the main agent had written of
// the answer that it was writing.
func (r *run) abort(reason wire.AbortReason) wire.Data {
	event := &wire.Abort{Reason: reason}
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.begun.text.String()
	if strings.TrimSpace(text) == "" {
		return event
	}
	return wire.WithJSON(event, wire.FieldCutOff, wire.CutOffAnswer{MessageID: r.begun.message, Content: text})
}

// complete says that the answer that streams is complete and about to be recorded. It reports false
// if the run was aborted before: then the answer was cut off, and is not recorded a second time.
func (r *run) complete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.muted {
		return false
	}
	r.begun = partial{}
	return true
}

func isAnswer(event wire.Data) bool { return event.Type() == "assistant.message" }
