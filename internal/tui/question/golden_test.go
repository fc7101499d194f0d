package question

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// picture is rows as text, with the caret as a block. Every row is checked: none reaches the last
// column, and none has a control character.
func picture(t *testing.T, rows []row.Row, cursor *composer.Position, width int) string {
	t.Helper()
	var b strings.Builder
	for i, r := range rows {
		text := r.String()
		if r.Width() >= width {
			t.Errorf("a row of %d columns on %d: %q", r.Width(), width, text)
		}
		if row.Harmless(text) != text {
			t.Errorf("a row with control characters: %q", text)
		}
		if cursor != nil && cursor.Row == i {
			text = row.Text(text).Pad(cursor.Column).String()
			head := row.Text(text).Fold(max(cursor.Column, 2))[0].String()
			text = head + "▏" + strings.TrimPrefix(text, head)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// sizes are the screens of the golden files.
var sizes = []struct{ width, height int }{{40, 24}, {80, 24}, {200, 60}}

// around is the rows of the input box and the status line.
const around = 5

// show paints the rows of a queue.
func show(q *Queue, width, height int, now time.Time) ([]row.Row, *composer.Position) {
	rows, cursor := q.Rows(width, height-around, now)
	q.Painted(now)
	return rows, cursor
}

// start is the time at which the tests begin.
var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// pictures are the rows of a queue at all sizes. make makes the queue and brings it to a state, on a
// screen of that size.
func pictures(t *testing.T, make func(width, height int) *Queue, now time.Time) string {
	t.Helper()
	var b strings.Builder
	for _, s := range sizes {
		rows, cursor := show(make(s.width, s.height), s.width, s.height, now)
		if most := s.height - around; len(rows) > most {
			t.Errorf("%d rows, at most %d are allowed", len(rows), most)
		}
		fmt.Fprintf(&b, "-- %dx%d --\n%s", s.width, s.height, picture(t, rows, cursor, s.width))
	}
	return b.String()
}
