package state

import (
	"bytes"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Partial is the text of an answer that has not ended. An abort records its end, so that the model and
// the user can refer to it: see docs/decisions/0027. The zero value is empty.
type Partial struct {
	message string // its id
	text    []byte // the end of what has arrived, at most twice as much as an abort keeps
	omitted int64  // the bytes before text
}

// maxCutOff is how many bytes of an answer an abort keeps at most. "Continue" refers to the end of an
// answer, and nobody reads more than that before interrupting it.
const maxCutOff = 256 << 10

// maxPartialLine is how far into the text that is kept a line may begin for the text to begin there.
const maxPartialLine = 4 << 10

// Add adds a piece of the answer with that id. An answer with another id begins anew.
func (p *Partial) Add(message, piece string) {
	if p.message != message {
		*p = Partial{message: message, text: p.text[:0]}
	}
	p.text = append(p.text, piece...)
	if over := len(p.text) - maxCutOff; over > maxCutOff {
		p.text = append(p.text[:0], p.text[over:]...)
		p.omitted += int64(over)
	}
}

// CutOff is what an abort keeps of the answer.
func (p *Partial) CutOff() wire.CutOffAnswer {
	from := max(len(p.text)-maxCutOff, 0)
	for from < len(p.text) && !utf8.RuneStart(p.text[from]) {
		from++
	}
	if p.omitted > 0 || from > 0 {
		from += 1 + bytes.IndexByte(p.text[from:min(from+maxPartialLine, len(p.text))], '\n')
	}
	return wire.CutOffAnswer{MessageID: p.message, Content: string(p.text[from:]), Omitted: p.omitted + int64(from)}
}
