package question

import (
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Rows shows the first question, in at most height rows. No row reaches the last column. cursor is
// where the caret of the terminal belongs, nil if no text field has the keys. The caller calls
// [Queue.Painted] once the terminal shows all of the rows: the user has seen nothing before.
func (q *Queue) Rows(width, height int, now time.Time) (rows []row.Row, cursor *composer.Position) {
	e := q.front()
	if e == nil {
		return nil, nil
	}
	b := &drawing{e: e, width: max(width-1, narrowest), height: max(height, 1)}
	if n := len(q.entries); n > 1 {
		b.count = fmt.Sprintf("1 of %d", n)
	}
	b.foot = q.foot(e, b.width, now)
	if e.form != nil && e.form.review != nil {
		b.e = e.form.review
	}
	if b.e.form != nil {
		rows, cursor = b.form()
	} else {
		rows, cursor = b.question()
	}
	b.seen.front, b.seen.entry, b.seen.width = e, b.e, b.width
	if len(rows) > b.height {
		rows, cursor, b.seen.small = b.small(), nil, true
	}
	b.seen.writing = e.writing && !b.seen.small
	q.made = b.seen
	if !e.focused && !q.Has(now) {
		cursor = nil
	}
	return rows, cursor
}

// narrowest is the smallest box, in columns.
const narrowest = 16

// maxHeading bounds the heading, in rows. Of a longer one half as many rows are shown, and the
// details show all of it.
const maxHeading = 4

// bar is before each row whose text was written by a model or a server. Options never have it.
const bar = "┃ "

// drawing is the rows of a question while they are made.
type drawing struct {
	e             *entry
	width, height int
	count         string // which of how many questions it is
	foot          row.Row
	seen          sight
}

// question is the rows of a question that has options.
func (b *drawing) question() (rows []row.Row, cursor *composer.Position) {
	heading, cut := b.heading()
	options, moved := b.options(false)
	if len(options.rows) > b.height/2 {
		options, moved = b.options(true)
	}
	details := b.details(len(heading), cut, moved)
	least := min(len(details), leastDetails+1) // the last one says which they are
	rest := b.height - len(heading) - 1        // the foot
	if least+b.least(options) > rest {
		b.seen.small = true
		return b.small(), nil
	}
	note := b.note()
	note = note[:min(len(note), rest-least-b.least(options))]
	rest -= len(note)
	window := max(rest-len(options.rows), least)
	rows = append(heading, b.window(details, window)...)
	shown, at := options.window(max(rest-min(len(details), window), 1))
	if at != nil {
		at.Row += len(rows)
	}
	return append(append(append(rows, shown...), note...), b.foot.Cut(b.width)), at
}

// leastDetails is how many rows of the details are shown at least, and leastOptions how many of the
// answers to a question about which nothing is lost if the user scrolls them.
const leastDetails, leastOptions = 3, 3

// least is how many rows of the options must have room: all of them where a yes allows something.
func (b *drawing) least(o options) int {
	n := len(o.rows) - o.field
	if k := b.e.q.Kind; k != question.Permission && k != question.Confirmation {
		return min(n, leastOptions)
	}
	return n
}

// small is shown instead of a question that has no room. No yes counts then.
func (b *drawing) small() []row.Row {
	rows := row.Of("make the window larger, or press "+b.e.keys.Key(keymap.QuestionWhole)+" for all of the question", row.Warning).Wrap(b.width, nil)
	return rows[:min(len(rows), b.height)]
}

// heading is the heading in rows, and whether it was cut.
func (b *drawing) heading() (rows []row.Row, cut bool) {
	text := b.e.q.Title()
	first := row.Of(b.count, row.Dim)
	if b.count != "" {
		first = first.And(" · ", row.Dim)
	}
	width := b.width - row.Width(bar)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		r := row.Of(row.Expand(line), row.Bold)
		if i == 0 {
			r = first.Join(r)
		}
		rows = append(rows, r.Wrap(width, nil)...)
	}
	if most := max(min(maxHeading, b.height/4), 1); len(rows) > most {
		cut = true
		most = max(most/2, 1)
		rows = append(rows[:most-1:most-1], rows[most-1].Cut(width-2).And(" …", row.Bold))
	}
	for i, r := range rows {
		rows[i] = row.Of(bar, row.Warning).Join(r)
	}
	return rows, cut
}

// note is about the last key.
func (b *drawing) note() []row.Row {
	if b.e.note == "" {
		return nil
	}
	rows := row.Of(b.e.note, row.Warning).Wrap(b.width, nil)
	return rows[:min(len(rows), 2)]
}

// window is the rows of the details that are shown, and a row that says which.
func (b *drawing) window(details []row.Row, height int) []row.Row {
	e := b.e
	if len(details) <= height {
		e.top, e.page = 0, 0
		b.seen.to, b.seen.of = len(details), len(details)
		return details
	}
	e.page = max(height-1, 1)
	e.top = max(min(e.top, len(details)-e.page), 0)
	end := e.top + e.page
	b.seen.from, b.seen.to, b.seen.of = e.top, end, len(details)
	place := fmt.Sprintf("%s-%s of %s", timeline.Count(int64(e.top+1)), timeline.Count(int64(end)), timeline.Count(int64(len(details))))
	last := row.Of("┗ "+place+" rows", row.Dim)
	switch {
	case e.laid.cut:
		last = row.Of("┗ too long to be approved here · "+place, row.Warning)
	case !e.seen && e.top > e.read:
		last = row.Of("┗ rows above were not shown · "+place, row.Warning)
	case !e.seen && end == len(details):
		last = last.And(" · the end", row.Dim)
	case !e.seen:
		last = row.Of("┗ "+e.keys.Key(keymap.QuestionPageDown)+" to the end first · "+place, row.Warning)
	case end < len(details):
		last = last.And(" · "+e.keys.Key(keymap.QuestionPageDown)+": more", row.Dim)
	}
	return append(append([]row.Row{}, details[e.top:end]...), last.Cut(b.width))
}

// options is the options in rows, with the text field that is open.
type options struct {
	rows   []row.Row
	marked int // the first row of the marked option
	end    int // the row behind it
	field  int // rows of the text field
	cursor *composer.Position
}

// options makes the rows of the options. moved leaves out what they grant, for the details to show.
func (b *drawing) options(moved bool) (out options, movedAny bool) {
	e := b.e
	for i := range e.q.Options {
		o := &e.q.Options[i]
		marked := i == e.choice
		if marked {
			out.marked = len(out.rows)
		}
		if !e.onlyWords() {
			out.rows = append(out.rows, b.option(o, marked, moved)...)
		}
		movedAny = movedAny || moved && o.Grants != ""
		if marked && (e.writing || e.words() != "") {
			rows, at := b.field(e.field())
			if e.writing {
				out.cursor = &composer.Position{Row: len(out.rows) + at.Row, Column: at.Column}
			}
			out.rows, out.field = append(out.rows, rows...), len(rows)
		}
		if marked {
			out.end = len(out.rows)
		}
	}
	return out, movedAny
}

// option is one option in rows.
func (b *drawing) option(o *question.Option, marked, moved bool) []row.Row {
	e := b.e
	mark, style := row.Text("  "), row.Plain
	switch {
	case marked && e.chosen:
		mark, style = row.Of("› ", row.Accent|row.Bold), row.Bold
	case marked:
		mark = row.Of("› ", row.Accent)
	case o.Allows && (!e.seen || e.laid.cut):
		style = row.Dim
	}
	r := mark
	r = r.Join(row.Of(e.key(o), row.Accent).Pad(3)).And(row.Expand(o.Text), style)
	if o.Where != "" && !moved {
		r = r.And(" ("+row.Expand(o.Where)+")", style)
	}
	switch {
	case o.Grants == "":
	case moved:
		r = r.And(": what "+e.grantKeys()+" allow, above", style)
	default:
		r = r.And(": "+row.Expand(o.Grants), style)
	}
	return r.Wrap(b.width, row.Text("     "))
}

// key is what an option is chosen with.
func (e *entry) key(o *question.Option) string {
	if o.Number > 0 {
		return fmt.Sprint(o.Number)
	}
	return e.keys.Key(actionOf(o.Key))
}

// fieldRows bounds a text field, in rows.
const fieldRows = 4

// field is a text field in rows.
func (b *drawing) field(f *composer.Composer) ([]row.Row, composer.Position) {
	const indent = 5
	rows, at := f.Rows(b.width-indent, fieldRows)
	for i, r := range rows {
		rows[i] = row.Text(strings.Repeat(" ", indent)).Join(r)
	}
	at.Column += indent
	return rows, at
}

// window is at most height rows of the options, with those of the marked one.
func (o *options) window(height int) ([]row.Row, *composer.Position) {
	if len(o.rows) <= height {
		return o.rows, o.cursor
	}
	from := max(min(o.marked, len(o.rows)-height), 0)
	if o.end > from+height {
		from = o.end - height
	}
	if o.cursor != nil {
		at := *o.cursor
		at.Row -= from
		if at.Row < 0 || at.Row >= height {
			from += at.Row
			at.Row = 0
		}
		return o.rows[from:min(from+height, len(o.rows))], &at
	}
	return o.rows[from : from+height], nil
}
