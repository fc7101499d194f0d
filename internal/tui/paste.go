package tui

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// pasteTime is how long a pasted text may take to be looked up as the names of files, which may be on a
// network drive. Then it is text. It is less than question.Quiet, so that no question takes the keys that
// wait.
const pasteTime = 500 * time.Millisecond

// pasting is a pasted text that is looked up.
type pasting struct {
	done chan struct{} // closed when the text is in the input box; nil if no text is looked up
	held []input.Event // what was typed meanwhile, which comes after it
}

// lookUp finds out beside the loop whether a pasted text names files, and then puts the files or the text
// into the input box.
func (p *program) lookUp(e input.Paste) {
	done := make(chan struct{})
	p.pasting.done = done
	p.beside(func(context.Context) func() {
		files := p.Pasted(e.Text)
		return func() { p.lookedUp(done, e, files) }
	})
	p.beside(func(ctx context.Context) func() {
		late := time.NewTimer(pasteTime)
		defer late.Stop()
		select {
		case <-late.C:
		case <-done:
		case <-ctx.Done():
		}
		return func() { p.lookedUp(done, e, nil) }
	})
}

// lookedUp takes the files of a pasted text, nil if it is text, and then what was typed since. Only the
// first call for a text does something.
func (p *program) lookedUp(done chan struct{}, e input.Paste, files []composer.Attachment) {
	if p.pasting.done != done {
		return
	}
	close(done)
	held := p.pasting.held
	p.pasting = pasting{}
	if len(files) > 0 {
		for _, f := range files {
			p.box.Attach(f)
		}
	} else {
		p.pasteText(e)
	}
	if err := p.typed(held); err != nil {
		p.broken = err
	}
}
