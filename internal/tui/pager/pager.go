package pager

import (
	"github.com/sidestick-dev/sidestick/internal/tui/field"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Outcome is what the caller has to do after a key.
type Outcome int

// The outcomes of a key.
const (
	Stay  Outcome = iota // show the rows again
	Close                // the user has left
	Edit                 // open the text in the editor of the user; [Pager.Item] is where to
)

// Pager shows a text. [New] makes one.
type Pager struct {
	// Marks is the word for the marked items, "messages" unless the caller changes it.
	Marks string

	title         string
	keys          *keymap.Table
	source        Source
	width, height int // of the last call of Rows
	top           place
	follow        bool // the end is shown, and what is added is to be shown too
	mark          int  // the item that the last key went to, -1 if it went somewhere else
	items         cache
	search        search
	asking        bool // the search field has the keys
	field         field.Field
	before        search // the search before the field was opened
	origin        place  // where the user was then
	note          string // what a key could not do, until the next key
}

// New returns a pager over a source, at its beginning. title is what the status row says the text
// is. keys is the user's table, nil
// for keymap.Default().
func New(title string, source Source, keys *keymap.Table) *Pager {
	if keys == nil {
		keys = keymap.Default()
	}
	return &Pager{Marks: "messages", title: title, keys: keys, source: source, width: 80, height: 24, mark: -1}
}

// Show moves to the first row of an item.
func (p *Pager) Show(item int) {
	p.top = place{item: max(min(item, p.source.Len()-1), 0)}
	p.follow, p.mark = false, -1
	p.settle()
}

// Item is the first item that the user sees.
func (p *Pager) Item() int { return p.top.item }

// Changed says that the items from an index on have changed, were added or were removed. If the
// user sees the end, it is still seen.
func (p *Pager) Changed(from int) {
	p.items.drop(from)
	p.search.drop(from)
	p.settle()
}

// Key does what a key means. Keys without a meaning change nothing.
func (p *Pager) Key(k input.Key) Outcome {
	p.note = ""
	if p.asking {
		p.ask(k)
		return Stay
	}
	a, _ := p.keys.Lookup([]keymap.Focus{keymap.Pager, keymap.Global}, k.Name)
	switch a.Name {
	case keymap.PagerClose, keymap.Cancel:
		return Close
	case keymap.PagerEdit:
		return Edit
	case keymap.PagerSearch:
		p.asking, p.before, p.origin = true, p.search, p.top
		p.field.Set("")
	case keymap.PagerNext:
		p.seek(1)
	case keymap.PagerPrevious:
		p.seek(-1)
	case keymap.PagerNextMark:
		p.toMark(1)
	case keymap.PagerPreviousMark:
		p.toMark(-1)
	default:
		p.scroll(a.Name)
	}
	return Stay
}

// scroll moves the text.
func (p *Pager) scroll(action string) {
	page := p.body()
	steps := map[string]int{
		keymap.PagerDown: 1, keymap.PagerUp: -1, keymap.PagerPageDown: page, keymap.PagerPageUp: -page,
		keymap.PagerHalfDown: (page + 1) / 2, keymap.PagerHalfUp: -(page + 1) / 2,
	}
	n, ok := steps[action]
	switch {
	case ok:
		p.move(n)
	case action == keymap.PagerTop:
		p.top, p.follow = place{}, false
	case action == keymap.PagerEnd:
		p.top, p.follow = p.last(), true
	default:
		return
	}
	p.mark = -1
}

// toMark goes to the next mark, or to the one before.
func (p *Pager) toMark(step int) {
	from := p.top.item
	if step < 0 && p.top.row > 0 {
		from++
	}
	if p.mark >= 0 {
		from = p.mark
	}
	for i := from + step; i >= 0 && i < p.source.Len(); i += step {
		if p.source.Mark(i) {
			p.top, p.mark, p.follow = place{item: i}, i, false
			p.settle()
			return
		}
	}
	p.note = "no more " + p.Marks + " below"
	if step < 0 {
		p.note = "no more " + p.Marks + " above"
	}
}

// Paste inserts text into the search field, if it is open.
func (p *Pager) Paste(text string) {
	if p.asking {
		p.field.Paste(text)
		p.lookFor(p.field.Text())
	}
}

// ask is a key of the search field.
func (p *Pager) ask(k input.Key) {
	switch k.Name {
	case "enter":
		p.asking = false
	case "esc", "ctrl+c":
		p.asking, p.search, p.top = false, p.before, p.origin
	case "up":
		p.field.Set(p.before.query)
		p.lookFor(p.field.Text())
	case "backspace":
		if p.field.Text() == "" {
			p.asking = false
			return
		}
		fallthrough
	default:
		if p.field.Key(k) && p.field.Text() != p.search.query {
			p.lookFor(p.field.Text())
		}
	}
}
