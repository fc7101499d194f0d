package terminal

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Flow writes text that arrives in pieces. It removes control characters and breaks
// lines between words at the width of the terminal. Code between fences is not broken,
// because a program with other line ends is another program. Set Out and Width; the
// zero value of the other fields is ready. After an error of Out every call returns
// that error.
type Flow struct {
	Out   io.Writer
	Width int // columns

	used  int    // columns of the current line
	space string // the space before word
	word  []rune // held back, because it may belong to the next line
	wide  int    // columns of the word
	begin string // the beginning of the line, as long as it can become a fence
	code  bool   // between fences
	err   error
}

// longestWord bounds the text that is held back, in columns. A longer piece without
// spaces is written at once and only the terminal breaks it, so that it can be copied
// whole.
const longestWord = 60

// WriteString writes the next piece.
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

// endWord writes the word that is held back, on the next line if this one has no room
// for it.
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
		f.used %= max(f.Width, 1) // the terminal has broken the word
	}
	f.word, f.wide, f.space = f.word[:0], 0, ""
}
