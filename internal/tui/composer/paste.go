package composer

import (
	"strings"
	"unicode/utf8"
)

// A pasted text with more than this is folded to one atom.
const (
	foldLines = 10
	foldChars = 2000
)

// maxText bounds the text of the box and of what is folded in it, in bytes.
const maxText = 32 << 20

// Paste puts pasted text at the cursor. A long one is folded, unless its whole text is shown by
// [Composer.Insert] or Ctrl-O. ok is false if
// the box has no room for it, and then nothing has changed.
func (c *Composer) Paste(s string) (ok bool) {
	c.ready()
	if c.search.on {
		c.requery(c.search.query + strings.ReplaceAll(clean(s), "\n", " "))
		return true
	}
	c.popup.close()
	c.last = other
	if len(s)+c.text.size+c.atoms.size > maxText {
		if c.forget(); len(s)+c.text.size+c.atoms.size > maxText {
			return false
		}
	}
	s = clean(s)
	if s == "" {
		return true
	}
	if longer(s, 1) {
		return c.insertAtom(folded(s))
	}
	c.change(c.cursor, c.cursor, s, other)
	return true
}

// TakesFiles reports whether files that a pasted text names can be attached: not to a shell command, and
// not to a search.
func (c *Composer) TakesFiles() bool { return !c.shell && !c.search.on }

// longer reports whether a text has more than so many times what a pasted text has at most that is not
// folded.
func longer(s string, times int) bool {
	return strings.Count(s, "\n") >= times*foldLines || utf8.RuneCountInString(s) > times*foldChars
}

// refold folds a very long text that comes back into the box: all but its first line, by which the user
// knows it. Atoms stay.
func (c *Composer) refold(s string) string {
	if !longer(s, 3) { // shorter ones may have been typed
		return s
	}
	head, rest, ok := strings.Cut(s, "\n")
	if head += "\n"; !ok || utf8.RuneCountInString(head) > foldChars {
		head, rest = "", s
	}
	var b strings.Builder
	b.WriteString(head)
	for rest != "" {
		at := strings.IndexFunc(rest, isAtom)
		if at == 0 {
			at = utf8.UTFMax
			b.WriteString(rest[:at])
			rest = rest[at:]
			continue
		}
		run := rest
		if at > 0 {
			run = rest[:at]
		}
		rest = rest[len(run):]
		if longer(run, 1) {
			if char, ok := c.atoms.add(folded(run)); ok {
				run = char
			}
		}
		b.WriteString(run)
	}
	return b.String()
}

// insertAtom puts an atom at the cursor.
func (c *Composer) insertAtom(p piece) (ok bool) {
	char, ok := c.atoms.add(p)
	if !ok {
		c.forget()
		if char, ok = c.atoms.add(p); !ok {
			return false
		}
	}
	if p.file != nil && c.classBehind(c.cursor) == space {
		char += " "
	}
	c.change(c.cursor, c.cursor, char, other)
	return true
}

// unfold replaces the folded paste at the cursor, or before it, by its text.
func (c *Composer) unfold() Action {
	for _, from := range []place{c.cursor, c.left(c.cursor)} {
		to := c.right(from)
		if from == to || from.line != to.line {
			continue
		}
		r := atomOf(c.text.slice(from, to))
		if r == 0 || c.atoms.piece(r).file != nil {
			continue
		}
		c.change(from, to, c.atoms.piece(r).text, other)
		return None
	}
	return notTaken
}

// forget drops the undo history, and with it the atoms that are only there.
func (c *Composer) forget() {
	c.log = log{}
	c.sweep()
}

// sweep gives up the atoms that nothing holds any more. The characters of those that stay do not change.
func (c *Composer) sweep() {
	var held strings.Builder
	held.WriteString(c.text.String())
	for _, k := range c.ring.texts {
		held.WriteString(k)
	}
	if c.stash != nil {
		held.WriteString(c.stash.text)
	}
	kept := map[int]bool{}
	last := -1
	for _, r := range held.String() {
		if isAtom(r) {
			kept[int(r-firstAtom)] = true
			last = max(last, int(r-firstAtom))
		}
	}
	clear(c.atoms.pieces[last+1:])
	c.atoms.pieces = c.atoms.pieces[:last+1]
	c.atoms.size = 0
	for i := range c.atoms.pieces {
		p := &c.atoms.pieces[i]
		if !kept[i] {
			*p = piece{}
		}
		c.atoms.size += len(p.text)
		if p.file != nil {
			c.atoms.size += len(p.file.Data)
		}
	}
}
