package terminal

import (
	"slices"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// line is the line that the user types: its characters, the cursor, and the earlier
// lines that the arrow keys bring back.
type line struct {
	text    []rune
	at      int // the cursor, as an index into text
	history []string
	back    int    // how far back in history; 0 is the line itself
	draft   string // the line itself, while an earlier one is shown
	pasting bool   // a pasted text arrives, whose line ends do not end the line
}

// verdict is the effect of a key on the line as a whole.
type verdict uint8

const (
	goesOn verdict = iota
	entered
	interrupted // Ctrl-C
	ended       // Ctrl-D on an empty line
	cleared     // Ctrl-L, which clears the screen
)

// press applies a key.
func (l *line) press(k key) verdict {
	if l.pasting {
		l.paste(k)
		return goesOn
	}
	switch k {
	case enter, lineFeed:
		return entered
	case ctrlC:
		return interrupted
	case ctrlL:
		return cleared
	case ctrlD:
		if len(l.text) == 0 {
			return ended
		}
		l.erase(l.at, l.at+1)
	case keyPasteBegin:
		l.pasting = true
	default:
		if edit := edits.Get()[k]; edit != nil {
			edit(l)
		} else if k >= ' ' && !unicode.IsControl(rune(k)) {
			l.insert(rune(k))
		}
	}
	return goesOn
}

var edits = lazy.Value[map[key]func(l *line)]{Make: func() map[key]func(l *line) {
	return map[key]func(l *line){
		keyLeft: func(l *line) { l.move(l.at - 1) }, ctrlB: func(l *line) { l.move(l.at - 1) },
		keyRight: func(l *line) { l.move(l.at + 1) }, ctrlF: func(l *line) { l.move(l.at + 1) },
		keyHome: func(l *line) { l.at = 0 }, ctrlA: func(l *line) { l.at = 0 },
		keyEnd: func(l *line) { l.at = len(l.text) }, ctrlE: func(l *line) { l.at = len(l.text) },
		keyWordLeft:  func(l *line) { l.at = l.wordLeft() },
		keyWordRight: func(l *line) { l.at = l.wordRight() },
		keyWordErase: func(l *line) { l.erase(l.wordLeft(), l.at) }, ctrlW: func(l *line) { l.erase(l.wordLeft(), l.at) },
		ctrlU: func(l *line) { l.erase(0, l.at) }, ctrlK: func(l *line) { l.erase(l.at, len(l.text)) },
		backspace: func(l *line) { l.erase(l.at-1, l.at) }, ctrlH: func(l *line) { l.erase(l.at-1, l.at) },
		keyDelete: func(l *line) { l.erase(l.at, l.at+1) },
		keyUp:     func(l *line) { l.recall(l.back + 1) }, ctrlP: func(l *line) { l.recall(l.back + 1) },
		keyDown: func(l *line) { l.recall(l.back - 1) }, ctrlN: func(l *line) { l.recall(l.back - 1) },
	}
}}

// maxLine bounds a line, in characters; further ones are dropped.
const maxLine = 1 << 16

func (l *line) insert(r rune) {
	if len(l.text) < maxLine {
		l.text = slices.Insert(l.text, l.at, r)
		l.at++
	}
}

// paste adds a character of a pasted text; its line ends become part of the line.
func (l *line) paste(k key) {
	switch {
	case k == keyPasteEnd:
		l.pasting = false
	case k == enter:
		l.insert('\n')
	case k == lineFeed && l.at > 0 && l.text[l.at-1] == '\n': // after a carriage return
	case k == lineFeed, k == tab, k >= ' ' && !unicode.IsControl(rune(k)):
		l.insert(rune(k))
	}
}

func (l *line) move(to int) { l.at = min(max(to, 0), len(l.text)) }

func (l *line) erase(from, to int) {
	from, to = max(from, 0), min(to, len(l.text))
	if from < to {
		l.text = slices.Delete(l.text, from, to)
		l.at = from
	}
}

func (l *line) wordLeft() int {
	i := l.at
	for i > 0 && unicode.IsSpace(l.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(l.text[i-1]) {
		i--
	}
	return i
}

func (l *line) wordRight() int {
	i := l.at
	for i < len(l.text) && unicode.IsSpace(l.text[i]) {
		i++
	}
	for i < len(l.text) && !unicode.IsSpace(l.text[i]) {
		i++
	}
	return i
}

// recall shows an earlier line, 1 for the last one; 0 for the line that the user was
// typing.
func (l *line) recall(back int) {
	if back < 0 || back > len(l.history) {
		return
	}
	if l.back == 0 {
		l.draft = string(l.text)
	}
	text := l.draft
	if back > 0 {
		text = l.history[len(l.history)-back]
	}
	l.back, l.text = back, []rune(text)
	l.at = len(l.text)
}

// view returns the part of the line around the cursor that fits into width columns, and
// the column of the cursor. Line ends and tabs take one column each.
func (l *line) view(width int) (text string, cursor int) {
	from := l.at
	for used := 0; from > 0; from-- {
		if used += shownWidth(l.text[from-1]); used >= width {
			break
		}
	}
	shown := make([]rune, 0, width)
	used := 0
	for i, r := range l.text[from:] {
		if from+i == l.at {
			cursor = used
		}
		if used += shownWidth(r); used >= width {
			return string(shown), cursor
		}
		shown = append(shown, shownRune(r))
	}
	if l.at == len(l.text) {
		cursor = used
	}
	return string(shown), cursor
}

func shownRune(r rune) rune {
	switch {
	case r == '\n':
		return '⏎'
	case r == '\t':
		return ' '
	case unicode.IsControl(r):
		return unicode.ReplacementChar
	}
	return r
}

func shownWidth(r rune) int { return timeline.RuneWidth(shownRune(r)) }
