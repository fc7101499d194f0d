package tui

import (
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// key finds the part that a key belongs to: the overlay, the question, the input box, and then the
// actions of the table.
func (p *program) key(k input.Key, now time.Time) {
	p.stale = true
	p.pressed.press(k.Name, now)
	if k.Name != "ctrl+c" {
		p.leaving = time.Time{}
	}
	if len(p.overlays) > 0 {
		p.keyAbove(k)
		return
	}
	p.questions.Draft, p.questions.Completing = !p.box.Empty(), p.completing()
	r := p.questions.Key(k, now)
	if r.Typed != "" {
		p.box.TypeLate(r.Typed)
	}
	switch {
	case r.Answered != nil:
		p.answer(r.Answered, r.Answer)
	case r.Whole:
		p.whole()
	}
	if r.Taken || p.sequence(k) {
		return
	}
	p.press(k)
}

// press gives a key to the input box, or does what the table says.
func (p *program) press(k input.Key) {
	p.box.Queued = len(p.queue.Items)+len(p.waiting) > 0
	if a, taken := p.box.Key(k); taken {
		p.boxed(a)
		return
	}
	if a, ok := p.Keys.Lookup(p.focus(), k.Name); ok {
		p.do(a)
	}
}

// boxed does what the input box asks for.
func (p *program) boxed(a composer.Action) {
	switch a {
	case composer.Submit:
		p.submit("")
	case composer.Recall:
		p.recall()
	case composer.Files:
		p.listFiles()
	}
}

// focus is who takes keys while no overlay is open, the innermost first.
func (p *program) focus() []keymap.Focus {
	path := p.box.Focus()
	if path[len(path)-1] != keymap.Global {
		path = append(path[:len(path):len(path)], keymap.Global)
	}
	return path
}

// completing reports whether the input box shows completions.
func (p *program) completing() bool {
	for _, f := range p.focus() {
		if f == keymap.Completion {
			return true
		}
	}
	return false
}

// sequence handles keys that are pressed one after the other, such as ctrl+x b. It reports whether
// the key is one of them.
func (p *program) sequence(k input.Key) bool {
	path := p.focus()
	before := p.prefix
	p.prefix = ""
	if before != "" {
		if a, ok := p.Keys.Lookup(path, before+" "+k.Name); ok {
			p.do(a)
			return true
		}
	}
	if !p.Keys.Begins(path, k.Name) {
		return before != "" && before != "esc" // the key was meant for a sequence that does not exist
	}
	p.prefix = k.Name
	_, single := p.Keys.Lookup(path, k.Name)
	return !single
}

// paste takes pasted text.
func (p *program) paste(e input.Paste, now time.Time) {
	p.stale = true
	if n := len(p.overlays); n > 0 {
		p.overlays[n-1].paste(e.Text)
		return
	}
	p.questions.Draft = !p.box.Empty()
	if p.questions.Paste(e.Text, now) {
		return
	}
	if p.Pasted != nil && p.box.TakesFiles() && strings.ContainsAny(e.Text, `/\`) {
		p.lookUp(e)
		return
	}
	p.pasteText(e)
}

// pasteText puts a pasted text into the input box.
func (p *program) pasteText(e input.Paste) {
	if !p.box.Paste(e.Text) {
		p.say("the pasted text is too long for the input box")
	} else if e.Cut {
		p.warn("the pasted text was longer than 8 MB; its end is missing")
	}
}
