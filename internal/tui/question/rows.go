package question

import (
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Cursor is where the caret of the terminal belongs, counted from 0. Row is -1 if the question has
// no text field that takes keys.
type Cursor struct{ Row, Column int }

// Rows shows the first question, in at most two thirds of the height of the screen. The first call
// for a question is the time at which it was shown, so the caller paints the rows at once, and
// takes the time after it has painted the frame before.
func (q *Queue) Rows(width, height int, now time.Time) ([]row.Row, Cursor) {
	e := q.front()
	if e == nil {
		return nil, Cursor{Row: -1}
	}
	if e.shown.IsZero() {
		e.shown = now
	}
	rows := []row.Row{row.Of("? "+e.q.Heading, row.Warning|row.Bold)}
	if n := len(q.entries); n > 1 {
		rows = append(rows, row.Of(fmt.Sprintf("1 of %d", n), row.Dim))
	}
	e.seen = true
	for _, d := range e.q.Details {
		rows = append(rows, row.Text("┃ "+d.Name+": "+d.Text).Wrap(width, nil)...)
	}
	for i, o := range e.q.Options {
		mark := "  "
		if i == e.choice {
			mark = "› "
		}
		rows = append(rows, row.Text(mark+o.Key+"  "+o.Text))
	}
	return rows, Cursor{Row: -1}
}

// Whole is all rows of the details of the first question, for the pager. The caller calls
// [Queue.Read] when the user has seen their end.
func (q *Queue) Whole(width int) (title string, rows []row.Row) {
	e := q.front()
	if e == nil {
		return "", nil
	}
	return e.q.Short(), nil
}

// Read says that the user has seen all of the first question in the pager.
func (q *Queue) Read() {
	if e := q.front(); e != nil {
		e.seen = true
	}
}

type laid struct{}
