package question

import (
	"cmp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tui/code"
	"github.com/sidestick-dev/sidestick/internal/tui/diff"
	"github.com/sidestick-dev/sidestick/internal/tui/markdown"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// laid is the rows of the details of a question, for a width.
type laid struct {
	width       int
	wraps       bool // the heading is cut
	moved       bool
	cut         bool // the end was left out
	round       int  // is another one whenever the rows are
	headingRows int
	rows        []row.Row
}

// grantKeys names the options whose grants the details show if the options have no room for them.
func (e *entry) grantKeys() string {
	var named []string
	for i := range e.q.Options {
		if o := &e.q.Options[i]; o.Grants != "" {
			named = append(named, cmp.Or(e.key(o), o.Text))
		}
	}
	return strings.Join(named, " and ")
}

// details is the rows of all details, with the bar before them.
func (b *drawing) details(headingRows int, cut, moved bool) []row.Row {
	l := &b.e.laid
	if l.width != b.width || l.wraps != cut || l.moved != moved || l.headingRows != headingRows {
		s := sheet(b.e, b.width-row.Width(bar), headingRows, cut, moved)
		*l = laid{width: b.width, wraps: cut, moved: moved, headingRows: headingRows, cut: s.cut, round: l.round + 1}
		for _, r := range s.rows {
			l.rows = append(l.rows, row.Of(bar, row.Dim).Join(r))
		}
	}
	return l.rows
}

// sheet is the details of a question in rows of a width.
func sheet(e *entry, width, headingRows int, cut, moved bool) *writer {
	q := e.q
	s := &writer{width: max(width, 8)}
	if cut && q.Kind != question.Permission {
		s.prose(q.Heading)
	}
	for i := range q.Details {
		if d := &q.Details[i]; d.Shown(headingRows, cut) {
			s.detail(d)
		}
	}
	if moved {
		s.grants(q, e.grantKeys())
	}
	return s
}

// grants adds what the options allow beyond the call. All that allow more allow the same.
func (s *writer) grants(q *question.Question, keys string) {
	for i, o := range q.Options {
		if o.Grants != "" && (i == 0 || q.Options[i-1].Grants != o.Grants) {
			s.named(keys+" allow", o.Grants, row.Plain)
		}
		if o.Where != "" {
			s.named("here is", o.Where, row.Plain)
		}
	}
}

// maxRows bounds the details, in rows. A last row says that the rest was left out; a question with
// such details gets no yes.
const maxRows = 50_000

// writer writes details in rows.
type writer struct {
	rows  []row.Row
	width int
	cut   bool // the rest was left out
}

func (s *writer) add(rows ...row.Row) {
	for _, r := range rows {
		if len(s.rows) == maxRows {
			s.cut = true
			s.rows[maxRows-1] = row.Of("… the rest is too long to be shown", row.Warning)
			return
		}
		s.rows = append(s.rows, r)
	}
}

// tones are how the tones look.
func tone(t question.Tone) row.Style {
	switch t {
	case question.Quiet:
		return row.Dim
	case question.Caution:
		return row.Warning
	case question.Address:
		return row.Link
	}
	return row.Plain
}

func (s *writer) detail(d *question.Detail) {
	switch d.Shape {
	case question.Note:
		s.named(d.Name, d.Text, tone(d.Tone))
	case question.Exact:
		s.add(s.folded(row.Of(d.Name+": ", row.Dim).And(row.Expand(d.Text), tone(d.Tone)), 0)...)
	case question.Prose:
		s.prose(d.Text)
	case question.Document:
		s.document(d.Text)
	case question.Item:
		s.add(row.Of("· ", row.Dim).And(row.Expand(d.Text), row.Plain).Wrap(s.width, row.Text("  "))...)
	case question.Output:
		s.add(row.Of(d.Name+":", row.Dim))
		s.lines(d.Text, func(line string) row.Row { return row.Of(line, row.Dim) })
	case question.Diff:
		s.diff(d.Text)
	case question.Contents:
		scanner := code.OfFile(d.Name).Scanner()
		s.lines(d.Text, func(line string) row.Row { return row.Of("+ ", row.Added).Join(scanner.Line(line)) })
	case question.Command:
		scanner := code.Named("sh").Scanner()
		s.lines(d.Text, func(line string) row.Row { return bright(scanner.Line(line)) })
	default:
		scanner := code.Named("json").Scanner()
		s.lines(d.Text, scanner.Line)
	}
}

// bright is a line of a command in which nothing is dim: what looks like a comment may be run.
func bright(r row.Row) row.Row {
	for i := range r {
		if r[i].Style == row.Comment {
			r[i].Style = row.Plain
		}
	}
	return r
}

// named adds words with a name. Further lines of theirs never begin where a name does.
func (s *writer) named(name, text string, style row.Style) {
	for i, line := range strings.Split(text, "\n") {
		line = row.Expand(line)
		r := row.Of("  ⏎ ", row.Dim).And(line, style)
		if i == 0 {
			r = row.Of(name+": ", row.Dim).And(line, style)
		}
		s.add(r.Wrap(s.width, row.Text("  "))...)
	}
}

// prose adds text of a model or a server.
func (s *writer) prose(text string) {
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		s.add(row.Text(row.Expand(line)).Wrap(s.width, nil)...)
	}
}

// lines adds lines that stay as they are.
func (s *writer) lines(text string, look func(string) row.Row) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		s.add(s.folded(look(code.Expand(line)), 2)...)
	}
}

// folded is a line that is continued in further rows, each with a mark at its beginning. The first has
// some columns free before it.
func (s *writer) folded(line row.Row, indent int) []row.Row {
	rows := line.FoldWords(s.width - row.Width(continued))
	for i, r := range rows {
		mark := row.Text("  "[:indent])
		if i > 0 {
			mark = row.Of(continued, row.Dim)
		}
		rows[i] = mark.Join(r)
	}
	return rows
}

// continued is before a row that continues the line above.
const continued = "↪ "

// diff adds a unified diff.
func (s *writer) diff(text string) {
	d := diff.Parse(text)
	for _, line := range d.Fold(s.width, 0, min(d.Len(), maxRows+1)) {
		s.add(line...)
	}
}

// document adds Markdown. Its code is folded, so that all of it can be read.
func (s *writer) document(text string) {
	for _, r := range markdown.Rows(text, s.width) {
		if r.Width() <= s.width {
			s.add(r)
			continue
		}
		s.add(s.folded(r, 0)...)
	}
}

// Whole is all of the question that is shown, in rows for the pager. The caller calls [Queue.Read]
// with it when the user has seen all of the rows.
func (q *Queue) Whole(width int) (asked *question.Question, title string, rows []row.Row) {
	e := q.front()
	if e == nil {
		return nil, "", nil
	}
	if e.form != nil && e.form.review != nil {
		e = e.form.review
	}
	s := &writer{width: width}
	s.prose(e.q.Heading)
	s.add(sheet(e, width, maxHeading, true, true).rows...)
	return e.q, e.q.Short(), s.rows
}

// Read says that the user has seen all rows of a question in the pager.
func (q *Queue) Read(asked *question.Question) {
	for _, e := range q.entries {
		switch {
		case e.q == asked:
			e.seen = true
		case e.form != nil && e.form.review != nil && e.form.review.q == asked:
			e.form.review.seen = true
		}
	}
}
