package session

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// partial is the text of an answer that has not ended. An abort records its end, so that the model and
// the user can refer to it: see docs/decisions/0027. It is guarded by run.mu.
type partial struct {
	message string // its id
	text    []byte // the end of what has arrived, at most twice as much as an abort keeps
	omitted int64  // the bytes before text
}

// maxCutOff is how many bytes of an answer an abort keeps at most. "Continue" refers to the end of an
// answer, and nobody reads more than that before interrupting it.
const maxCutOff = 256 << 10

// maxPartialLine is how far into the text that is kept a line may begin for the text to begin there.
const maxPartialLine = 4 << 10

// add adds a piece of the answer with that id. An answer with another id begins anew.
func (p *partial) add(message, piece string) {
	if p.message != message {
		*p = partial{message: message, text: p.text[:0]}
	}
	p.text = append(p.text, piece...)
	if over := len(p.text) - maxCutOff; over > maxCutOff {
		p.text = append(p.text[:0], p.text[over:]...)
		p.omitted += int64(over)
	}
}

// cutOff is what an abort keeps of the answer.
func (p *partial) cutOff() wire.CutOffAnswer {
	from := max(len(p.text)-maxCutOff, 0)
	for from < len(p.text) && !utf8.RuneStart(p.text[from]) {
		from++
	}
	if p.omitted > 0 || from > 0 {
		from += 1 + bytes.IndexByte(p.text[from:min(from+maxPartialLine, len(p.text))], '\n')
	}
	return wire.CutOffAnswer{MessageID: p.message, Content: string(p.text[from:]), Omitted: p.omitted + int64(from)}
}

// abort is the event that ends the run, after [run.stop]. It has what the main agent had written of
// the answer that it was writing.
func (r *run) abort(reason wire.AbortReason) wire.Data {
	event := &wire.Abort{Reason: reason}
	r.mu.Lock()
	defer r.mu.Unlock()
	cut := r.begun.cutOff()
	if strings.TrimSpace(cut.Content) == "" {
		return event
	}
	return wire.WithJSON(event, wire.FieldCutOff, cut)
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
