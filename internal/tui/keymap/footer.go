package keymap

import "github.com/sidestick-dev/sidestick/internal/tui/row"

// Hint is what a footer says about actions: their keys and a word, such as "↑ ↓ move".
type Hint struct {
	Text    string
	Actions []string
	Style   row.Style // of the text; Plain is dim
}

// Footer is the last row of a page: left, and at the right end the hints, the most important
// first, as many as there is room for. A hint whose actions have no key is left out.
func (t *Table) Footer(left row.Row, width int, hints ...Hint) row.Row {
	var right row.Row
	left = left.Cut(width)
	room := width - left.Width()
	if len(left) > 0 {
		room -= 2
	}
	for _, h := range hints {
		part := t.hint(h)
		if len(part) == 0 {
			continue
		}
		if len(right) > 0 {
			part = row.Text("  ").Join(part)
		}
		if right.Width()+part.Width() > room {
			break
		}
		right = right.Join(part)
	}
	if len(right) == 0 {
		return left
	}
	return left.Pad(width - right.Width()).Join(right)
}

func (t *Table) hint(h Hint) (r row.Row) {
	for _, name := range h.Actions {
		if key := t.Key(name); key != "" {
			r = r.And(key+" ", row.Accent)
		}
	}
	if len(r) == 0 {
		return nil
	}
	style := h.Style
	if style == row.Plain {
		style = row.Dim
	}
	return r.And(h.Text, style)
}
