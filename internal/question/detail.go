package question

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Detail is a part of what a question is about. Its text is safe to print.
type Detail struct {
	Shape Shape
	Name  string // what the text is, such as "touches"; "" if it needs no name
	Text  string
	Tone  Tone
	When  When
}

// Shape says how a text is shown.
type Shape uint8

// The shapes of details.
const (
	Note     Shape = iota // words with a name before them; broken between words
	Exact                 // a path or an address with a name: one line, whose spaces stay
	Command               // the command: lines that stay as they are
	Output                // what a command has printed, below its name; lines that stay as they are
	Data                  // JSON: lines that stay as they are
	Diff                  // a change as a unified diff
	Contents              // all lines of a new file, whose name is Name
	Prose                 // text of a model or a server
	Document              // Markdown of a model
	Item                  // an entry of a list
)

// Tone says how much a detail matters.
type Tone uint8

// The tones.
const (
	Normal  Tone = iota
	Quiet        // the user knows it already, or can leave it unread
	Caution      // the reason to think twice
	Address      // a page to visit
)

// When says on which screens a detail is shown. A screen that shows all of the heading need not
// repeat it.
type When uint8

// The conditions.
const (
	Always    When = iota
	IfWrapped      // only if the heading takes more than one row
	IfCut          // only if the heading is cut
)

// Shown reports whether a detail is shown below a heading that takes as many rows, and whether the
// heading was cut.
func (d *Detail) Shown(headingRows int, cut bool) bool {
	switch d.When {
	case IfWrapped:
		return cut || headingRows > 1
	case IfCut:
		return cut
	}
	return true
}

// add appends a detail, unless its text is empty.
func (q *Question) add(d Detail) {
	d.Name, d.Text = exposed(d.Name), strings.ToValidUTF8(d.Text, "\ufffd") // JSON may have any bytes
	switch d.Shape {
	case Note:
		d.Text = strings.TrimSpace(timeline.Exposed(d.Text))
	case Exact:
		d.Text = unbroken(d.Text)
	case Prose, Document:
		d.Text = timeline.Harmless(d.Text)
	case Item:
		d.Text = strings.Join(strings.Fields(timeline.Exposed(d.Text)), " ")
	default:
		d.Text = timeline.Exposed(d.Text)
	}
	if d.Text != "" {
		q.Details = append(q.Details, d)
	}
}

func (q *Question) note(name, text string, tone Tone) {
	q.add(Detail{Shape: Note, Name: name, Text: text, Tone: tone})
}

func (q *Question) exact(name, text string, tone Tone) {
	q.add(Detail{Shape: Exact, Name: name, Text: text, Tone: tone})
}
