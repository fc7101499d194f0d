package chat

import (
	"bytes"
	"strings"
)

// fence follows whether a text is in a fenced block of Markdown.
type fence struct {
	line  []byte // the beginning of the current line
	mark  byte   // of the open block, '`' or '~'; 0 if none is open
	marks int    // how many of them have opened it
}

// maxFence bounds how much of a line is kept, in bytes.
const maxFence = 64

// read takes a piece of the text.
func (f *fence) read(text string) {
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		if room := maxFence - len(f.line); room > 0 {
			f.line = append(f.line, line[:min(room, len(line))]...)
		}
		if ended {
			f.end()
		}
		text = rest
	}
}

// end is the end of a line.
func (f *fence) end() {
	mark, marks, after := marked(f.line)
	switch {
	case marks < 3:
	case f.mark == 0 && (mark == '~' || bytes.IndexByte(after, '`') < 0):
		f.mark, f.marks = mark, marks
	case f.mark == mark && marks >= f.marks && len(bytes.TrimSpace(after)) == 0:
		f.mark = 0
	}
	f.line = f.line[:0]
}

// inside reports whether the text ends in a block, or on a line that may open one.
func (f *fence) inside() bool {
	_, marks, _ := marked(f.line)
	return f.mark != 0 || marks >= 3
}

// marked returns the marks of a fence that a line begins with, and what is after them.
func marked(line []byte) (mark byte, marks int, after []byte) {
	after = bytes.TrimLeft(line, " \t>")
	if len(after) == 0 || after[0] != '`' && after[0] != '~' {
		return 0, 0, nil
	}
	mark = after[0]
	for marks < len(after) && after[marks] == mark {
		marks++
	}
	return mark, marks, after[marks:]
}
