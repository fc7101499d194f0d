package chat

import (
	"bytes"
	"slices"
	"strings"
)

// fence follows whether a text is in a fenced block of Markdown, or in another place where a text is quoted.
type fence struct {
	line  []byte // the beginning of the current line
	ticks int    // how many '`' the current line has
	tail  []byte // the last bytes of the current line, without blanks at its end
	mark  byte   // of the open block, '`' or '~'; 0 if none is open
	marks int    // how many of them have opened it
}

// maxFence bounds how much of a line is kept, in bytes.
const maxFence = 64

// read takes a piece of the text.
func (f *fence) read(text string) {
	for text != "" {
		line, end := text, strings.IndexAny(text, "\r\n")
		if end >= 0 {
			line = text[:end]
		}
		if room := maxFence - len(f.line); room > 0 {
			f.line = append(f.line, line[:min(room, len(line))]...)
		}
		f.ticks += strings.Count(line, "`")
		if shown := strings.TrimRight(line, " \t"); shown != "" {
			shown = shown[max(len(shown)-len("“"), 0):]
			kept := copy(f.tail, f.tail[max(len(f.tail)+len(shown)-len("“"), 0):])
			f.tail = append(f.tail[:kept], shown...)
		}
		if end < 0 {
			return
		}
		f.end()
		text = text[end+1:]
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
	f.line, f.ticks, f.tail = f.line[:0], 0, f.tail[:0]
}

// inside reports whether the text ends in a block, on a line that may open one, or where the line quotes what follows.
func (f *fence) inside() bool {
	_, marks, _ := marked(f.line)
	return f.mark != 0 || marks >= 3 || f.quotes()
}

// quotes reports whether the current line quotes what follows: it is a quotation or indented code, or has an open '`' or
// a quotation mark at its end.
func (f *fence) quotes() bool {
	text := bytes.TrimLeft(f.line, " \t")
	indent := bytes.ReplaceAll(f.line[:len(f.line)-len(text)], []byte("\t"), []byte("    "))
	opened := slices.ContainsFunc([]string{`"`, "'", "“", "‘", "«"}, func(mark string) bool { return bytes.HasSuffix(f.tail, []byte(mark)) })
	return len(indent) >= 4 || len(text) > 0 && text[0] == '>' || f.ticks%2 == 1 || opened
}

// marked returns the marks of a fence that a line begins with, also as an item of a list, and what is after them.
func marked(line []byte) (mark byte, marks int, after []byte) {
	after = bytes.TrimLeft(line, " \t>")
	for {
		item := bytes.TrimLeft(bytes.TrimLeft(after, "0123456789"), "-*+.)")
		if len(item) == len(after) || len(item) == 0 || item[0] != ' ' && item[0] != '\t' {
			break
		}
		after = bytes.TrimLeft(item, " \t>")
	}
	if len(after) == 0 || after[0] != '`' && after[0] != '~' {
		return 0, 0, nil
	}
	mark = after[0]
	for marks < len(after) && after[marks] == mark {
		marks++
	}
	return mark, marks, after[marks:]
}
