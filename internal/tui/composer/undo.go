package composer

import (
	"strings"
)

// edit is a change of the text.
type edit struct {
	at         place
	was, is    string
	cursor     place // before the change
	shell      bool  // before the change
	kind       kind
	afterShell bool
}

// log is changes that can be undone and done again.
type log struct {
	done, undone []edit
	size         int // of the texts of done, in bytes
}

// The bounds of a log. The oldest changes are forgotten first, but never the last one.
const (
	maxEdits    = 1000
	maxEditSize = 16 << 20 // bytes of text
)

// change replaces the text between two places and moves the cursor behind it. A change of the kind
// typing or erasing that continues the last one is undone together with it.
func (c *Composer) change(from, to place, s string, k kind) {
	e := edit{at: from, is: s, cursor: c.cursor, shell: c.shell, afterShell: c.shell, kind: k}
	var end place
	e.was, end = c.text.replace(from, to, s)
	c.version++
	c.cursor = c.whole(end)
	c.now = k
	c.log.undone = nil
	c.log.add(e, c.last == k)
}

// typedWords puts several characters at the cursor that were typed. Each word is undone by itself, as it
// is if the characters come one by one.
func (c *Composer) typedWords(s string) {
	at := c.cursor
	_, end := c.text.replace(at, at, s)
	c.version++
	c.cursor = c.whole(end)
	goesOn := c.last == typing
	for n := 0; s != ""; s, goesOn = s[n:], true {
		n = wordLength(s)
		c.log.add(edit{at: at, is: s[:n], cursor: at, shell: c.shell, afterShell: c.shell, kind: typing}, goesOn)
		at.at += n
	}
	c.now, c.log.undone = typing, nil
}

// wordLength is the length of the word that a line begins with, and of the spaces behind it.
func wordLength(s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \t"))
	if n > 0 {
		return n
	}
	if n = strings.IndexAny(s, " \t"); n < 0 {
		return len(s)
	}
	return len(s) - len(strings.TrimLeft(s[n:], " \t"))
}

// add stores a change, as a part of the last one if it continues it.
func (l *log) add(e edit, goesOn bool) {
	if n := len(l.done); n > 0 && goesOn && l.done[n-1].join(e) {
		l.size += len(e.was) + len(e.is)
		return
	}
	l.done = append(l.done, e)
	l.size += len(e.was) + len(e.is)
	drop := 0
	for len(l.done)-drop > maxEdits || l.size > maxEditSize && len(l.done)-drop > 1 {
		l.size -= len(l.done[drop].was) + len(l.done[drop].is)
		drop++
	}
	if drop > 0 {
		clear(l.done[:drop])
		l.done = l.done[drop:]
	}
}

// join adds a change that continues this one, and reports whether it does: characters that are
// typed up to the end of a word and the spaces behind it, and characters that are erased one
// after another.
func (e *edit) join(f edit) bool {
	switch {
	case e.kind != f.kind:
	case f.kind == typing && f.was == "" && behind(e.at, e.is) == f.at && !strings.Contains(f.is, "\n"):
		if ends(e.is) && !begins(f.is) {
			return false
		}
		e.is += f.is
		return true
	case f.kind == erasing && f.is == "" && e.is == "" && behind(f.at, f.was) == e.at: // backwards
		if ends(f.was) && !ends(e.was) {
			return false
		}
		e.at, e.was = f.at, f.was+e.was
		return true
	case f.kind == erasing && f.is == "" && e.is == "" && f.at == e.at: // forwards
		if ends(e.was) && !ends(f.was) {
			return false
		}
		e.was += f.was
		return true
	}
	return false
}

// ends reports whether a text ends a word.
func ends(s string) bool {
	return strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\t")
}

// begins reports whether a text begins behind a word.
func begins(s string) bool { return strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t") }

// behind is the place where a text ends that begins at a place.
func behind(at place, s string) place {
	if n := strings.Count(s, "\n"); n > 0 {
		return place{at.line + n, len(s) - strings.LastIndexByte(s, '\n') - 1}
	}
	return place{at.line, at.at + len(s)}
}

// undo takes the last change back and reports whether there was one.
func (c *Composer) undo() bool {
	n := len(c.log.done)
	if n == 0 {
		return false
	}
	e := c.log.done[n-1]
	c.log.done[n-1] = edit{}
	c.log.done = c.log.done[:n-1]
	c.log.size -= len(e.was) + len(e.is)
	c.text.replace(e.at, behind(e.at, e.is), e.was)
	c.version++
	c.cursor, c.shell = e.cursor, e.shell
	c.log.undone = append(c.log.undone, e)
	return true
}

// redo does the change again that was undone last.
func (c *Composer) redo() bool {
	n := len(c.log.undone)
	if n == 0 {
		return false
	}
	e := c.log.undone[n-1]
	c.log.undone = c.log.undone[:n-1]
	_, end := c.text.replace(e.at, behind(e.at, e.was), e.is)
	c.version++
	c.cursor, c.shell = c.whole(end), e.afterShell
	c.log.done = append(c.log.done, e)
	c.log.size += len(e.was) + len(e.is)
	return true
}

// setShell changes whether the text is a shell command, as a change that can be undone.
func (c *Composer) setShell(on bool) {
	c.change(c.cursor, c.cursor, "", other)
	c.mode(on)
}

// mode makes it a part of the last change whether the text is a shell command.
func (c *Composer) mode(shell bool) {
	c.log.done[len(c.log.done)-1].afterShell = shell
	c.shell = shell
}
