package ask

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// layout is text in rows for a screen. It shows characters that control the screen or cannot be
// seen as their numbers, so that text of a model looks like what it is.
type layout struct {
	rows  []string
	width int
	look  terminal.Paint
}

// layout has the details of a question, below a heading of as many rows.
func (a *Asker) layout(q *question.Question, headingRows int, cut bool) *layout {
	width, _ := a.Size()
	s := &layout{width: width, look: a.Look}
	for i := range q.Details {
		if d := &q.Details[i]; d.Shown(headingRows, cut) {
			s.detail(d)
		}
	}
	return s
}

// detail adds one detail.
func (s *layout) detail(d *question.Detail) {
	switch d.Shape {
	case question.Note:
		s.note(d.Name, d.Text, s.tone(d.Tone))
	case question.Exact:
		s.exact(d.Name, d.Text, s.tone(d.Tone))
	case question.Diff:
		s.change(d.Text)
	case question.Contents:
		s.code(d.Text, func(row string) string { return s.look.Green("+ " + row) })
	case question.Prose, question.Document:
		for line := range strings.Lines(d.Text) {
			for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), s.width-4) {
				s.add(below + row)
			}
		}
	case question.Item:
		s.item(d.Text)
	case question.Output:
		s.add("  " + d.Name + ":")
		s.code(d.Text, s.tone(d.Tone))
	default:
		s.code(d.Text, s.tone(d.Tone))
	}
}

// tone is how text of a tone looks, nil for as it is.
func (s *layout) tone(t question.Tone) func(string) string {
	switch t {
	case question.Quiet:
		return s.look.Dim
	case question.Caution:
		return s.look.Yellow
	case question.Address:
		return s.look.Cyan
	}
	return nil
}

// maxRows bounds a layout, in rows. A last row says that the rest was left out.
const maxRows = 50_000

// note adds a named remark; nothing if text is "".
func (s *layout) note(name, text string, look func(string) string) {
	text = strings.TrimSpace(timeline.Exposed(text))
	if text == "" {
		return
	}
	if look == nil {
		look = func(s string) string { return s }
	}
	label := "  "
	for line := range strings.Lines(timeline.Exposed(name) + ": " + text) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), s.width-4) {
			s.add(label + look(row))
			label = below
		}
	}
}

// below begins the rows of text from elsewhere below a question, so that they do not look like the
// named rows of the program.
const below = "  " + terminal.Margin

// item adds an entry of a list.
func (s *layout) item(text string) {
	for i, row := range timeline.Wrap(text, s.width-4) {
		mark := "  · "
		if i > 0 {
			mark = below
		}
		s.add(mark + row)
	}
}

// code adds text whose lines must stay as they are. A line that is too long is cut at
// the width and continued in the next row.
func (s *layout) code(text string, look func(line string) string) {
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
		for _, row := range timeline.Fold(line, s.width-4) {
			if look != nil {
				row = look(row)
			}
			s.add(below + row)
		}
	}
}

// exact adds a named path or address. Its spaces stay as they are.
func (s *layout) exact(name, text string, look func(string) string) {
	label := "  "
	for _, row := range timeline.Fold(name+": "+text, s.width-4) {
		if look != nil {
			row = look(row)
		}
		s.add(label + row)
		label = below
	}
}

func (s *layout) add(row string) {
	switch {
	case len(s.rows) < maxRows:
		s.rows = append(s.rows, row)
	case len(s.rows) == maxRows:
		s.rows = append(s.rows, s.look.Yellow("  … the rest is too long to be shown"))
	}
}

// change adds a unified diff.
func (s *layout) change(diff string) {
	inside := false
	for line := range strings.Lines(diff) {
		look := s.look.Dim
		switch {
		case strings.HasPrefix(line, "@@"):
			inside, look = true, s.look.Cyan
		case !inside:
			continue // the names of the files, which another row shows
		case strings.HasPrefix(line, "+"):
			look = s.look.Green
		case strings.HasPrefix(line, "-"):
			look = s.look.Red
		}
		s.code(line, look)
	}
	if !inside {
		s.code(diff, nil)
	}
}
