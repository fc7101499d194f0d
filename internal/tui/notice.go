package tui

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// fail shows an error.
func (p *program) fail(err error) {
	if err != nil && p.gone.Err() == nil {
		p.warn(p.Words(p.joined.Session, err))
	}
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
