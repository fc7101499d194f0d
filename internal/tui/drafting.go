package tui

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// draftTime is how long after a change of the input box the draft is stored, at the latest.
const draftTime = time.Second

// drafting is what was stored of the input box.
type drafting struct {
	version int       // of the text of the box that is stored, or will be
	due     time.Time // when it will be stored; zero for never
	busy    bool      // it is being stored
	failed  bool      // an error was shown; one is enough
	taking  bool      // what a killed terminal had may still come
}

// takeDraft brings back what was in the input box of a terminal that was killed.
func (p *program) takeDraft() {
	if p.Drafts == nil {
		return
	}
	p.drafting.taking, p.drafting.busy = true, true // what is typed meanwhile is stored afterwards
	p.beside(func(ctx context.Context) func() {
		d, notice, ok := p.Drafts.Take(ctx)
		return func() {
			p.drafting.taking, p.drafting.busy = false, false
			switch {
			case !ok:
			case p.box.Empty():
				p.box.Put(d)
				p.note(notice)
			default: // the user was faster
				p.remember(d.Line())
			}
		}
	})
}

// keepDraft stores the input box if it has changed a moment ago. An empty one is stored at once: a message that was sent
// must not come back.
func (p *program) keepDraft(now time.Time) {
	d := &p.drafting
	if p.Drafts == nil || p.quit {
		return
	}
	if v := p.box.Version(); v != d.version {
		d.version = v
		switch {
		case p.box.Empty():
			d.due = now
		case d.due.IsZero():
			d.due = now.Add(draftTime)
		}
	}
	if d.due.IsZero() || d.busy || now.Before(d.due) {
		return
	}
	d.due, d.busy = time.Time{}, true
	draft := p.box.Draft()
	p.beside(func(ctx context.Context) func() {
		err := p.Drafts.Keep(ctx, draft)
		return func() {
			d.busy = false
			if err != nil && !d.failed {
				d.failed = true
				p.fail(err)
			}
		}
	})
}

// wake is when the input box has to be stored, zero for never.
func (d *drafting) wake() time.Time {
	if d.busy {
		return time.Time{}
	}
	return d.due
}

// endDraft stores the input box for the last time, after the work beside the loop has ended: the window may have been closed
// with a text in it.
func (p *program) endDraft() {
	if p.Drafts == nil {
		return
	}
	defer p.Drafts.Close()
	if p.drafting.taking { // what was taken is not in the box, and stays for the next terminal
		return
	}
	_ = fault.Guard("tui.endDraft", func() error { return p.Drafts.Keep(context.WithoutCancel(p.ctx), p.box.Draft()) }) // nothing shows an error any more
}
