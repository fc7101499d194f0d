package terminal

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Flow writes text from elsewhere that arrives in pieces. It replaces the characters that
// [timeline.Harmless] does, breaks lines between words, and begins each row with [Margin], so that the text
// cannot reach the first column. Code between fences is broken only where it does not fit, at any
// character. A tab is shown as four spaces. Set Out and Width; the zero value of the other fields is ready.
// After an error of Out every call returns that error.
type Flow struct {
	Out   io.Writer
	Width int // columns

	used  int    // columns of the current row, without the margin
	begun bool   // the current row has its margin
	space string // the space before word
	word  []rune // held back, because it may belong to the next row
	wide  int    // columns of the word
	begin string // the beginning of the line, as long as it can become a fence
	code  bool   // between fences
	err   error
}

// longestWord bounds the text that is held back, in columns. A longer piece without
// spaces is written at once, so that the user sees that something arrives.
const longestWord = 60

// WriteString writes the next piece.
func (f *Flow) WriteString(s string) error {
	var b strings.Builder
	for _, r := range timeline.Harmless(s) {
		if r != joiner {
			f.take(&b, r)
		}
	}
	f.put(b.String())
	return f.err
}

// joiner joins the characters beside it into one. It is left out of text from elsewhere, so that an emoji of
// several people is shown as these people: at the end of a row, tmux 3.3a joins the margin of the next row to
// it, and the text of that row would stand where a question of this program does.
const joiner = '\u200d'

// Flush writes the word that is held back.
func (f *Flow) Flush() error {
	var b strings.Builder
	f.endWord(&b)
	f.put(b.String())
	return f.err
}

func (f *Flow) put(s string) {
	if f.err == nil && s != "" {
		_, f.err = io.WriteString(f.Out, s)
	}
}

func (f *Flow) take(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		f.endLine(b)
	case f.code && r == '\t':
		f.write(b, spaces)
	case f.code:
		f.character(b, r)
	case r == ' ':
		f.endWord(b)
		f.space += " "
	case r == '\t':
		f.endWord(b)
		f.space += spaces
	default:
		f.word = append(f.word, r)
		f.wide += columns(r)
		if f.wide >= min(longestWord, f.room()) {
			f.endWord(b)
		}
	}
	if r != '\n' && len(f.begin) < 3 {
		f.begin = strings.TrimLeft(f.begin+string(r), " ")
	}
}

// spaces is how a tab is shown: a terminal would take it for as many columns as there are up to the next
// stop, which depends on the row.
const spaces = "    "

func (f *Flow) endLine(b *strings.Builder) {
	f.endWord(b)
	f.endRow(b)
	if f.begin == "```" {
		f.code = !f.code
	}
	f.space, f.begin = "", ""
}

func (f *Flow) endRow(b *strings.Builder) {
	b.WriteByte('\n')
	f.used, f.begun = 0, false
}

// endWord writes the word that is held back, in the next row if this one has no room for it.
func (f *Flow) endWord(b *strings.Builder) {
	if len(f.word) == 0 {
		return
	}
	if f.used > 0 && f.space != "" && f.used+len(f.space)+f.wide > f.room() {
		f.endRow(b)
		f.space = ""
	}
	f.write(b, f.space+string(f.word))
	f.word, f.wide, f.space = f.word[:0], 0, ""
}

func (f *Flow) write(b *strings.Builder, text string) {
	for _, r := range text {
		f.character(b, r)
	}
}

// character writes a character, in the next row if this one is full: the terminal would continue in the
// first column.
func (f *Flow) character(b *strings.Builder, r rune) {
	n := columns(r)
	if f.used > 0 && f.used+n > f.room() {
		f.endRow(b)
	}
	if !f.begun {
		b.WriteString(Margin)
		f.begun = true
	}
	b.WriteRune(r)
	f.used += n
}

// room is how many columns of a row the text has.
func (f *Flow) room() int { return max(f.Width-timeline.Width(Margin), 2) }

// columns is how many columns a character takes at most. Some terminals draw a character in two columns
// if the selector of emoji follows it.
func columns(r rune) int {
	if r == '\ufe0f' {
		return 1
	}
	return timeline.RuneWidth(r)
}
