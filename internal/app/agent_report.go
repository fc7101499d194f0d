package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// maxFindings bounds what is printed for people. --json has all of them.
const maxFindings = 50

// printChecked prints a check for people.
func (o *options) printChecked(r *checked) error {
	look := terminal.PaintFor(o.sys.Stdout, o.sys.Getenv)
	text := look.Bold("Answer") + "\n" + wrap("  ", r.summary()) + "\n"
	rows := make([]finding, 0, min(len(r.Findings), maxFindings))
	for _, f := range r.Findings[:min(len(r.Findings), maxFindings)] {
		rows = append(rows, f.row())
	}
	text += checks(rows, look)
	if more := len(r.Findings) - len(rows); more > 0 {
		text += fmt.Sprintf("  and %d more: --json has all\n", more)
	}
	verdict := r.verdict()
	_, err := io.WriteString(o.sys.Stdout, text+"\n"+strings.ToUpper(verdict[:1])+verdict[1:]+".\n")
	return err
}

// summary is what came and when.
func (r *checked) summary() string {
	var parts []string
	if r.Status != 0 {
		kind := r.ContentType
		if kind == "" {
			kind = "no Content-Type"
		}
		parts = append(parts, fmt.Sprintf("%d, %s", r.Status, kind))
	}
	size := timeline.Count(int64(r.Bytes)) + " bytes"
	if r.called {
		size += fmt.Sprintf(" in %s ms, the first after %s ms", timeline.Count(r.Total), timeline.Count(r.FirstByte))
	}
	return r.On + ": " + strings.Join(append(parts, size), "; ")
}

// row is a finding as a person reads it.
func (f checkFinding) row() finding {
	row := finding{about: f.About, is: f.Text, next: f.Fix}
	if f.Line > 0 {
		row.about = fmt.Sprintf("line %d", f.Line)
	}
	if f.Rule > 0 {
		row.is = fmt.Sprintf("%s (rule %d, %s)", strings.TrimSuffix(f.Text, "."), f.Rule, f.Name)
	}
	switch f.Severity {
	case isError:
		row.grade = bad
	case isWarning:
		row.grade = fair
	default:
		row.grade = good
	}
	return row
}
