package terminal

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Fit is the last guard of what a command prints: a text with the styles of a [Paint], in rows of at most
// width columns. A longer line is continued in further rows, which are indented: the terminal would
// continue it in the first column. [Margin] is for text from elsewhere alone, and most of a report is not.
// Characters that control a terminal are replaced, as by [timeline.Harmless], but for these styles. With a width of 0 the text is for a pipe, no line is broken,
// and the styles are replaced, too.
func Fit(text string, width int) string {
	if width <= 0 {
		return timeline.Harmless(text)
	}
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		f := fitting{out: &b, width: width}
		f.line(strings.TrimSuffix(line, "\n"))
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fitting lays out one line.
type fitting struct {
	out   *strings.Builder
	width int
	row   []byte // the present row
	used  int    // its columns
	space int    // where its last space is, 0 if it has none; the columns up to it are at
	at    int
}

func (f *fitting) line(text string) {
	for text != "" {
		if n := style(text); n > 0 {
			f.row = append(f.row, text[:n]...)
			text = text[n:]
			continue
		}
		end := strings.IndexByte(text[1:], escape) + 1
		if end == 0 {
			end = len(text)
		}
		for _, r := range timeline.Harmless(text[:end]) {
			f.add(r)
		}
		text = text[end:]
	}
	f.out.Write(f.row)
}

// add adds a character, in a further row if this one is full.
func (f *fitting) add(r rune) {
	n := columns(r)
	if r == '\t' {
		n = 8 // at most
	}
	if f.used > 0 && f.used+n > f.width {
		f.next()
	}
	if r == ' ' && f.used > len(Indent) {
		f.space, f.at = len(f.row), f.used
	}
	f.row = append(f.row, string(r)...)
	f.used += n
}

// next begins a further row, with the word that has no room in this one if that is not the whole row.
func (f *fitting) next() {
	rest, columns := "", 0
	if f.space > 0 && f.at >= f.width/2 {
		rest, columns = string(f.row[f.space+1:]), f.used-f.at-1
		f.row = f.row[:f.space]
	}
	f.out.Write(f.row)
	f.out.WriteByte('\n')
	f.row = append(f.row[:0], Indent+rest...)
	f.used, f.space, f.at = len(Indent)+columns, 0, 0
}

// style is the length of the style that a text begins with, 0 for none.
func style(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	end := 2
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == ';') {
		end++
	}
	if end == len(text) || text[end] != 'm' {
		return 0
	}
	codes := strings.Split(text[2:end], ";")
	if first := codes[0]; first != "38" && first != "48" && slices.ContainsFunc(codes, hides) {
		return 0
	}
	return end + 1
}

// hides reports whether a code of a style hides text or makes it blink, which no [Paint] does.
func hides(code string) bool {
	code = strings.TrimLeft(code, "0")
	return code == "5" || code == "6" || code == "8"
}
