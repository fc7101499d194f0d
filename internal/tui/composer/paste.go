package composer

import (
	"net/url"
	"path/filepath"
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
// [Composer.Insert] or Ctrl-O; paths of files that can be attached become attachments. ok is false if
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
	if files := c.dropped(s); len(files) > 0 {
		for _, f := range files {
			c.insertAtom(c.atoms.attached(f))
		}
		return true
	}
	s = clean(s)
	if s == "" {
		return true
	}
	if strings.Count(s, "\n") >= foldLines || utf8.RuneCountInString(s) > foldChars {
		return c.insertAtom(folded(s))
	}
	c.change(c.cursor, c.cursor, s, other)
	return true
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
	if last < 0 {
		c.atoms = atoms{}
		return
	}
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

// dropped is the attachments of a pasted text that is nothing but paths, as terminals paste them
// for files that are dropped: quoted, with backslashes, or as file addresses.
func (c *Composer) dropped(s string) (files []Attachment) {
	s = strings.TrimSpace(s)
	if c.Attachable == nil || s == "" || len(s) > longestDrop || c.shell {
		return nil
	}
	if f, ok := c.attachable(s); ok {
		return []Attachment{f}
	}
	words, ok := split(s)
	if !ok {
		return nil
	}
	for _, w := range words {
		f, ok := c.attachable(w)
		if !ok {
			return nil
		}
		files = append(files, f)
	}
	return files
}

// longestDrop bounds the text that is taken for paths, in bytes.
const longestDrop = 16 << 10

// attachable asks the caller about a path. Only a path with a folder can be meant as one: a word that
// is a file by chance stays a word.
func (c *Composer) attachable(path string) (Attachment, bool) {
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = filepath.FromSlash(u.Path)
	}
	if !strings.ContainsAny(path, `/\`) || strings.ContainsAny(path, "\n\x00") {
		return Attachment{}, false
	}
	return c.Attachable(path)
}

// split divides a text into words as a shell does. ok is false if a quote is not closed.
func split(s string) (words []string, ok bool) {
	var b strings.Builder
	var quote rune
	inside, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inside = r, true
		case r == ' ' || r == '\n' || r == '\t':
			if inside {
				words = append(words, b.String())
			}
			b.Reset()
			inside = false
		default:
			b.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, b.String())
	}
	return words, quote == 0 && !escaped
}
