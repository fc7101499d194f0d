package terminal

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Flow writes text that comes in pieces, harmless, and breaks its lines between
// words at the width of the terminal. Code between fences is left as it is: a line
// that is broken there is another program. The zero value of the fields but Out and
// Width is ready. An error of Out ends it; every later call returns it.
type Flow struct {
	Out   io.Writer
	Width int // columns

	used  int    // columns of the line so far
	space string // before the word
	word  []rune // that has not been written: it may belong to the next line
	wide  int    // columns of the word
	begin string // of the line, as long as it can become a fence
	code  bool   // between fences
	err   error
}

// longestWord bounds what is held back, in columns. What is longer is no word, and
// only the terminal breaks it: it must stay one when it is copied.
const longestWord = 60

// WriteString takes the next piece.
func (f *Flow) WriteString(s string) error {
	var b strings.Builder
	for _, r := range timeline.Harmless(s) {
		f.take(&b, r)
	}
	f.put(b.String())
	return f.err
}

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
	case f.code:
		b.WriteRune(r)
	case r == ' ' || r == '\t':
		f.endWord(b)
		f.space += string(r)
	default:
		f.word = append(f.word, r)
		f.wide += timeline.RuneWidth(r)
		if f.wide >= min(longestWord, f.Width) {
			f.endWord(b)
		}
	}
	if r != '\n' && len(f.begin) < 3 {
		f.begin = strings.TrimLeft(f.begin+string(r), " ")
	}
}

func (f *Flow) endLine(b *strings.Builder) {
	f.endWord(b)
	b.WriteByte('\n')
	if f.begin == "```" {
		f.code = !f.code
	}
	f.used, f.space, f.begin = 0, "", ""
}

// endWord writes the word that has come together, on the next line if this one has
// no room for it.
func (f *Flow) endWord(b *strings.Builder) {
	if len(f.word) == 0 {
		return
	}
	room := timeline.Width(f.space)
	if f.used > 0 && room > 0 && f.used+room+f.wide > f.Width {
		b.WriteByte('\n')
		f.used, f.space, room = 0, "", 0
	}
	b.WriteString(f.space + string(f.word))
	if f.used += room + f.wide; f.used > f.Width {
		f.used %= max(f.Width, 1) // the terminal breaks what is too long
	}
	f.word, f.wide, f.space = f.word[:0], 0, ""
}
