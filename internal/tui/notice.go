package tui

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// fail shows an error.
func (p *program) fail(err error) {
	if err != nil && p.gone.Err() == nil {
		p.words(err, p.warn)
	}
}

// words has a function take the message that the user reads for an error. It is looked up beside the loop,
// because what has become of the session may be on the disk.
func (p *program) words(err error, then func(text string)) {
	s := p.joined.Session
	p.beside(func(context.Context) func() {
		text := p.Words(s, err)
		return func() { then(text) }
	})
}

// unexpected shows the error of something that is read again with the next change, if it is a fault of
// this program.
func (p *program) unexpected(err error) {
	if fault.KindOf(err) == fault.Internal {
		p.fail(err)
	}
}

// warn shows a warning in the conversation.
func (p *program) warn(text string) {
	p.talk.Warn(text)
	p.stale = true
}

// note shows a notice in the conversation.
func (p *program) note(text string) {
	p.talk.Note(text)
	p.stale = true
}

// notice is a short text in the status line.
type notice struct {
	text  string
	until time.Time
}

// noticeTime is how long such a text is shown.
const noticeTime = 4 * time.Second

// say shows a text in the status line.
func (p *program) say(text string) {
	p.notice = notice{text, time.Now().Add(noticeTime)}
	p.stale = true
}
