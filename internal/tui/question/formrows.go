package question

import (
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// sheetRows is the fields of a form in rows, and which of them belong to the marked stop.
type sheetRows struct {
	rows     []row.Row
	from, to int // of the marked stop, with the name and the problem of its field
	cursor   *composer.Position
}

// form is the rows of a form.
func (b *drawing) form() (rows []row.Row, cursor *composer.Position) {
	e := b.e
	heading, cut := b.heading()
	note := b.note()
	rest := b.height - len(heading) - len(note) - 1 - 2 // the foot, the ways out
	s := b.fields(cut)
	window, at := s.window(&e.form.top, max(rest, 2))
	e.page = max(len(window)-1, 1)
	rows = append(heading, window...)
	if at != nil {
		at.Row += len(heading)
	}
	for i, text := range []string{"review the answers, then send them", "decline"} {
		st := e.form.stops[e.form.at]
		mark, style := row.Text("  "), row.Plain
		if st.field < 0 && st.choice == i {
			mark, style = row.Of("› ", row.Accent|row.Bold), row.Bold
		}
		rows = append(rows, mark.And(text, style).Cut(b.width))
	}
	return append(append(rows, note...), b.foot.Cut(b.width)), at
}

// fields is all fields in rows.
func (b *drawing) fields(cut bool) (s sheetRows) {
	f := b.e.form
	width := b.width - row.Width(bar)
	if cut {
		w := &writer{width: width}
		w.prose(b.e.q.Heading)
		s.rows = append(s.rows, w.rows...)
	}
	stop := 0
	for _, d := range f.fields {
		first := len(s.rows)
		here := d == f.here()
		s.rows = append(s.rows, label(d, here, width)...)
		if d.text != nil {
			s.text(d, here, width)
			stop++
		}
		for i, c := range d.choices {
			marked := stop == f.at
			if marked {
				s.from, s.to = len(s.rows), len(s.rows)+1
				if i == 0 {
					s.from = first
				}
			}
			s.rows = append(s.rows, option(d, i, c, marked, width)...)
			stop++
		}
		if text := d.problem(); text != "" {
			s.rows = append(s.rows, row.Of("  "+text, row.Failure).Wrap(width, row.Text("  "))...)
			if here {
				s.to = len(s.rows)
			}
		}
		if here && d.text != nil {
			s.from, s.to = first, len(s.rows)
		}
	}
	if f.here() == nil {
		s.from, s.to = len(s.rows), len(s.rows)
	}
	for i, r := range s.rows {
		s.rows[i] = row.Of(bar, row.Dim).Join(r)
	}
	if s.cursor != nil {
		s.cursor.Column += row.Width(bar)
	}
	return s
}

// label is the name of a field, with a star if it has to be filled in.
func label(d *field, here bool, width int) []row.Row {
	style := row.Plain
	if here {
		style = row.Bold
	}
	r := row.Of(question.Label(d.Field), style)
	if d.Required {
		r = r.And(" *", row.Warning)
	}
	if text := question.Description(d.Field); text != "" {
		r = r.And("  "+row.Expand(text), row.Dim)
	}
	return r.Wrap(width, row.Text("  "))
}

// text adds a text field.
func (s *sheetRows) text(d *field, here bool, width int) {
	const indent = 2
	rows, at := d.text.Rows(width-indent, fieldRows)
	if here {
		s.cursor = &composer.Position{Row: len(s.rows) + at.Row, Column: at.Column + indent}
	}
	for _, r := range rows {
		s.rows = append(s.rows, row.Text("  ").Join(r))
	}
}

// option is a choice of a field.
func option(d *field, i int, c choice, marked bool, width int) []row.Row {
	sign := map[bool]string{true: "(•) ", false: "( ) "}[d.picked[i]]
	if d.Type == "array" {
		sign = map[bool]string{true: "[x] ", false: "[ ] "}[d.picked[i]]
	}
	mark, style := row.Text("  "), row.Plain
	if marked {
		mark, style = row.Of("› ", row.Accent|row.Bold), row.Bold
	}
	return mark.And(sign, row.Accent).And(row.Expand(c.text), style).Wrap(width, row.Text("      "))
}

// window is at most height rows, with those of the marked stop. top is the first row that was
// shown before.
func (s *sheetRows) window(top *int, height int) ([]row.Row, *composer.Position) {
	n := len(s.rows)
	from := min(*top, s.from)
	if s.to > from+height {
		from = s.to - height
	}
	if s.cursor != nil && (s.cursor.Row < from || s.cursor.Row >= from+height) {
		from = s.cursor.Row
	}
	from = max(min(from, n-height), 0)
	*top = from
	to := min(from+height, n)
	if s.cursor == nil {
		return s.rows[from:to], nil
	}
	return s.rows[from:to], &composer.Position{Row: s.cursor.Row - from, Column: s.cursor.Column}
}

// foot is the keys of a form.
func (f *form) foot(e *entry, width int) row.Row {
	list := []hint{{"next field", []string{keymap.QuestionNext}}}
	if d := f.here(); d != nil && d.text == nil {
		list = []hint{{"choose", []string{keymap.QuestionToggle}}, {"next field", []string{keymap.QuestionChoose}}}
	} else if d == nil {
		list = []hint{{"do it", []string{keymap.QuestionChoose}}}
	}
	return hints(e.keys, width, append(list, later)...)
}
