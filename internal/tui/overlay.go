package tui

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/tui/screen"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// overlay is what is shown on the whole screen, above the conversation.
type overlay interface {
	rows(width, height int) ([]row.Row, screen.Cursor)
	key(k input.Key) // may close the overlay
	paste(text string)
}

// keyAbove gives a key to the overlay that is shown. Ctrl-C closes it.
func (p *program) keyAbove(k input.Key) {
	a, ok := p.Keys.Lookup([]keymap.Focus{keymap.Global}, k.Name)
	switch {
	case ok && a.Name == keymap.Cancel:
		p.closeOverlay()
	case ok && a.Name == keymap.Suspend:
		p.suspend()
	case ok && a.Name == keymap.Redraw:
		p.screen.Redraw()
	default:
		p.overlays[len(p.overlays)-1].key(k)
	}
}

// closeOverlay closes the overlay that is shown; the one below it is shown again.
func (p *program) closeOverlay() {
	n := len(p.overlays)
	if n == 0 {
		return
	}
	if p.overlays = p.overlays[:n-1]; n == 1 {
		p.leaveOverlays()
	}
}

// closeAll closes all overlays.
func (p *program) closeAll() {
	if len(p.overlays) > 0 {
		p.overlays = nil
		p.leaveOverlays()
	}
}

func (p *program) leaveOverlays() {
	if err := p.screen.EndOverlay(); err != nil {
		p.broken = err
	}
	p.stale = true
}

// pagerPage is the pager over a text.
type pagerPage struct {
	*pager.Pager
	p      *program
	follow func(e wire.Event) (changed int) // nil: the text does not change
	// end is called when the user has seen all rows at their width; nil: nobody needs it. seen counts
	// the rows that were painted, from the first one on.
	end                func()
	seen, total, width int
}

// read opens the pager of an effect, with the events that have come since its command began.
func (p *program) read(e Effect) {
	p.overlays = append(p.overlays, &pagerPage{Pager: e.Read, p: p, follow: e.Follow})
	if e.Follow == nil || e.meanwhile == nil {
		return
	}
	for _, of := range e.meanwhile.events {
		e.Read.Changed(e.Follow(of))
	}
	if e.meanwhile.missed {
		p.warn("the page that was opened lacks events: too many came meanwhile; open it again")
	}
}

// followed passes an event on to the pagers that show the session.
func (p *program) followed(e wire.Event) {
	for _, o := range p.overlays {
		if page, ok := o.(*pagerPage); ok && page.follow != nil && !e.Ephemeral {
			page.Changed(page.follow(e))
		}
	}
}

// whole shows all of the question in the pager. It counts as read when all of it was shown.
func (p *program) whole() {
	width, _ := p.screen.Size()
	asked, title, rows := p.questions.Whole(width)
	p.overlays = append(p.overlays, &pagerPage{
		Pager: pager.New(title, pager.Lines(rows), p.Keys), p: p, end: func() { p.questions.Read(asked) }, total: len(rows), width: width,
	})
}

func (o *pagerPage) rows(width, height int) ([]row.Row, screen.Cursor) {
	rows := o.Rows(width, height)
	r, c, ok := o.Cursor()
	return rows, screen.Cursor{Row: r, Column: c, Shown: ok}
}

// painted says that the terminal shows the rows.
func (o *pagerPage) painted(width, height int) {
	if o.end == nil || width < o.width || o.Item() > o.seen {
		return
	}
	if o.seen = max(o.seen, o.Item()+height-1); o.seen >= o.total {
		o.end()
	}
}

func (o *pagerPage) key(k input.Key) {
	out := o.Key(k)
	o.p.searching = true
	switch out {
	case pager.Close:
		o.p.closeOverlay()
	case pager.Edit:
		o.p.editPage(o.Text(editColumns))
	}
}

// editColumns is the width at which a text is written for an editor.
const editColumns = 200

func (o *pagerPage) paste(text string) { o.Paste(text) }

// listPage is a list to choose from.
type listPage struct {
	*list.List
	p    *program
	pick *Picker
	busy bool // something is done with an entry
}

// isOpen reports whether the list is still open.
func (o *listPage) isOpen() bool {
	return slices.ContainsFunc(o.p.overlays, func(a overlay) bool { return a == o })
}

// pick opens a list.
func (p *program) pick(k *Picker) {
	p.overlays = append(p.overlays, &listPage{List: k.List, p: p, pick: k})
	if k.Open != nil {
		k.Open(p.beside)
	}
}

func (o *listPage) rows(width, height int) ([]row.Row, screen.Cursor) {
	r, c := o.Cursor(width, height)
	return o.Rows(width, height), screen.Cursor{Row: r, Column: c, Shown: true}
}

func (o *listPage) key(k input.Key) {
	done := o.Key(k)
	switch {
	case done.Action == "":
	case done.Action == keymap.ListClose:
		o.p.closeOverlay()
	case done.Action == keymap.ListWhole && !o.pick.Whole:
		o.p.read(Effect{Read: page.Whole(o.List, done.Item)})
	case !o.busy:
		o.busy = true
		with := func(do func() (Effect, error)) (Effect, error) { return do() }
		if o.pick.Opens != nil && o.pick.Opens(done) {
			with = o.p.opens()
		}
		o.p.beside(func(ctx context.Context) func() {
			e, err := with(func() (Effect, error) { return o.pick.Do(ctx, done) })
			return func() {
				o.busy = false
				o.done(e, err)
			}
		})
	}
}

// done takes what has come of an outcome. The user may have closed the list meanwhile.
func (o *listPage) done(e Effect, err error) {
	open := o.isOpen()
	switch {
	case err != nil && open:
		o.p.words(err, func(text string) { o.Problems = []string{text} })
	case err != nil:
		o.p.fail(err)
	default:
		o.Problems, e.Close = nil, e.Close && open
		o.p.apply(e)
	}
}

func (o *listPage) paste(text string) { o.Paste(text) }

// search continues the search of the pager for a moment. It reports whether there is more of it.
func (p *program) search() bool {
	if n := len(p.overlays); n > 0 {
		if page, ok := p.overlays[n-1].(*pagerPage); ok {
			return page.Step()
		}
	}
	return false
}
