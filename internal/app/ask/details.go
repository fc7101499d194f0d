package ask

import (
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// details are what a question is about, in rows of the screen. The user has to see all of them
// before a yes counts.
type details struct {
	a     *Asker
	rows  []string
	width int
	shown int // rows that the question shows at first
	seen  bool
}

func (a *Asker) details(all []string, width, rows int) *details {
	d := &details{a: a, rows: all, width: width, shown: len(all), seen: true}
	if n := room(rows); len(all) > n {
		d.shown, d.seen = n-2, false // a row, or two on a narrow screen, says what is missing
	}
	return d
}

// room is how many rows of details a question shows at first, so that its heading, the
// answers and the prompt stay on the screen.
func room(rows int) int { return max(rows-9, 3) }

// long reports whether the question does not show all of the details at first.
func (d *details) long() bool { return d.shown < len(d.rows) }

// missing says how many rows the question does not show (never just one), and how the user can
// read them.
func (d *details) missing() string {
	n := timeline.Count(int64(len(d.rows) - d.shown))
	return "… " + n + " more lines: press v to read all of it before a yes counts"
}

// preview is as many rows of the details as the screen has room for.
func (d *details) preview() string {
	shown := d.rows[:d.shown:d.shown]
	if d.long() {
		for _, row := range timeline.Wrap(d.missing(), d.width) {
			shown = append(shown, d.a.Look.Yellow(row))
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return strings.Join(shown, "\n") + "\n"
}

// asked reports whether a line asks for all of the details.
func (d *details) asked(q *question.Question, line string) bool {
	line = strings.TrimSpace(line)
	if q.Own() < 0 {
		line, _, _ = strings.Cut(strings.ToLower(line), " ")
	}
	return line == "v" || line == "view"
}

// view prints all of the details.
func (d *details) view() {
	_, _ = io.WriteString(d.a, strings.Join(d.rows, "\n")+"\n")
	d.seen = true
}

// read reports whether the user can have seen all of the details, and says what to do if not.
func (d *details) read() bool {
	if !d.seen {
		d.a.remark("nothing was approved: press v to read all of it first")
	}
	return d.seen
}
