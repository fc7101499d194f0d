package agentcmd

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// maxFindings bounds the printed findings. --json has all of them.
const maxFindings = 50

// printChecked prints the report of a check.
func printChecked(o *cli.Options, r *checked) error {
	look := terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)
	text := look.Bold("Answer") + "\n" + cli.Indented("  ", r.summary()) + "\n"
	rows := make([]cli.Check, 0, min(len(r.Findings), maxFindings))
	for _, f := range r.Findings[:min(len(r.Findings), maxFindings)] {
		rows = append(rows, f.row())
	}
	text += cli.Report(rows, look)
	if more := len(r.Findings) - len(rows); more > 0 {
		text += fmt.Sprintf("  and %d more: --json has all\n", more)
	}
	verdict := r.verdict()
	err := cli.Print(o.Sys.Stdout, text+"\n"+strings.ToUpper(verdict[:1])+verdict[1:]+".\n")
	return err
}

// summary is the size and the times of the answer.
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

// row is a finding as the report prints it.
func (f checkFinding) row() cli.Check {
	row := cli.Check{About: f.About, Is: f.Text, Next: f.Fix}
	if f.Line > 0 {
		row.About = fmt.Sprintf("line %d", f.Line)
	}
	if f.Rule > 0 {
		row.Is = fmt.Sprintf("%s (rule %d, %s)", strings.TrimSuffix(f.Text, "."), f.Rule, f.Name)
	}
	switch f.Severity {
	case isError:
		row.Grade = cli.Bad
	case isWarning:
		row.Grade = cli.Fair
	default:
		row.Grade = cli.Good
	}
	return row
}
