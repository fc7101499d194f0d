package diff

import (
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

const (
	maxRun    = 64   // lines that are removed and added together, of which words are compared
	maxText   = 1000 // bytes of a line whose words are compared
	maxTokens = 200  // of a line
)

// mark emphasises the words of a line that are not in its counterpart.
func (d *Diff) mark(i int, text row.Row) row.Row {
	l := &d.lines[i]
	if l.kind != added && l.kind != removed {
		return text
	}
	other := d.counterpart(i)
	if other < 0 || len(l.text) > maxText || len(d.lines[other].text) > maxText {
		return text
	}
	role := row.Added
	if l.kind == removed {
		role = row.Removed
	}
	return emphasise(text, changed(text.String(), clean(d.lines[other].text)), role|row.Reverse)
}

// counterpart is the line that a removed or an added line is compared with, -1 for none: the one
// at the same place of its run, if as many lines are removed as are added.
func (d *Diff) counterpart(i int) int {
	begin, end := d.run(i, removed, added)
	middle := begin
	for middle < end && d.lines[middle].kind == removed {
		middle++
	}
	n := middle - begin
	if n == 0 || n != end-middle || n > maxRun {
		return -1
	}
	if i < middle {
		return i + n
	}
	return i - n
}

// run is where removed lines and the added lines behind them begin and end, around one of them.
func (d *Diff) run(i int, before, after kind) (begin, end int) {
	begin, end = i, i+1
	for begin > 0 && i-begin <= 2*maxRun && (d.lines[begin-1].kind == before || d.lines[begin-1].kind == after && d.lines[begin].kind == after) {
		begin--
	}
	for end < len(d.lines) && end-i <= 2*maxRun && (d.lines[end].kind == after || d.lines[end].kind == before && d.lines[end-1].kind == before) {
		end++
	}
	return begin, end
}

// span is a part of a text, in bytes.
type span struct{ begin, end int }

// changed are the parts of a text that another one does not have, in order. It is nil if the texts
// have so little in common that all of it would be marked.
func changed(text, other string) []span {
	a, b := tokens(text), tokens(other)
	if len(a) > maxTokens || len(b) > maxTokens {
		return nil
	}
	kept := common(text, other, a, b)
	var out []span
	same, total := 0, 0
	for i, t := range a {
		n := t.end - t.begin
		if text[t.begin] != ' ' {
			total += n
		}
		switch {
		case kept[i]:
			if text[t.begin] != ' ' {
				same += n
			}
		case len(out) > 0 && out[len(out)-1].end == t.begin:
			out[len(out)-1].end = t.end
		default:
			out = append(out, t)
		}
	}
	if same*3 < total {
		return nil
	}
	return out
}

// tokens are the words of a text, its runs of spaces, and its other characters one by one.
func tokens(text string) []span {
	var out []span
	var last int
	for i, r := range text {
		class := 0
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			class = 1
		case r == ' ':
			class = 2
		}
		size := utf8.RuneLen(r)
		if size < 0 || i+size > len(text) {
			size = 1
		}
		if n := len(out); n > 0 && class > 0 && class == last {
			out[n-1].end = i + size
		} else {
			out = append(out, span{i, i + size})
		}
		last = class
	}
	return out
}

// common says which tokens of a are in the longest common subsequence of a and b.
func common(text, other string, a, b []span) []bool {
	equal := func(i, j int) bool { return text[a[i].begin:a[i].end] == other[b[j].begin:b[j].end] }
	kept := make([]bool, len(a))
	width := len(b) + 1
	best := make([]uint16, (len(a)+1)*width) // of the tokens from i and j on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			n := max(best[(i+1)*width+j], best[i*width+j+1])
			if equal(i, j) {
				n = best[(i+1)*width+j+1] + 1
			}
			best[i*width+j] = n
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case equal(i, j):
			kept[i] = true
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return kept
}

// emphasise gives a style to parts of a row.
func emphasise(r row.Row, parts []span, style row.Style) row.Row {
	if len(parts) == 0 {
		return r
	}
	var out row.Row
	at := 0
	for _, s := range r {
		for text := s.Text; text != ""; {
			for len(parts) > 0 && parts[0].end <= at {
				parts = parts[1:]
			}
			n, inside := len(text), false
			if len(parts) > 0 {
				if inside = parts[0].begin <= at; inside {
					n = min(n, parts[0].end-at)
				} else {
					n = min(n, parts[0].begin-at)
				}
			}
			piece := s
			if piece.Text = text[:n]; inside {
				piece.Style = style
			}
			if k := len(out); inside && k > 0 && out[k-1].Style == style {
				out[k-1].Text += piece.Text
			} else {
				out = append(out, piece)
			}
			text, at = text[n:], at+n
		}
	}
	return out
}
