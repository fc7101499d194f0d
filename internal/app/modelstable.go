package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// legend explains the last column.
const legend = "i reads images, p PDFs, r reasons; prices in $ for a million tokens, in and out"

// figures is the width of the columns after the name, and its mark.
const figures = 42

// table lists the models in 80 columns. A name that is too long for its column has a line of its
// own, because a name that is cut cannot be used.
func (s *survey) table(offers []offer) string {
	look := terminal.PaintFor(s.o.Sys.Stdout, s.o.Sys.Getenv)
	name := len("MODEL")
	found := 0
	for _, f := range offers {
		for i := range f.rows {
			found++
			if w := timeline.Width(f.rows[i].Model); w <= 80-figures {
				name = max(name, w)
			}
		}
	}
	var b strings.Builder
	if found > 0 {
		b.WriteString(look.Dim(strings.TrimRight("   "+timeline.Pad("MODEL", name)+columns("CONTEXT", "OUTPUT", "IN $", "OUT $", ""), " ")) + "\n")
	}
	for _, f := range offers {
		if len(offers) > 1 {
			b.WriteString(heading(f, look))
		}
		for i := range f.rows {
			b.WriteString(line(&f.rows[i], name))
		}
	}
	if found > 0 {
		b.WriteString(look.Dim(legend) + "\n")
	}
	for _, f := range offers {
		for i := range f.rows {
			if r := &f.rows[i]; r.Selected && r.ContextSource != "" {
				b.WriteString(look.Dim("CONTEXT of *: "+timeline.OneLine(r.ContextSource, terminal.Columns)) + "\n")
			}
		}
	}
	return b.String()
}

// heading is the line of a provider, with its failure.
func heading(f offer, look terminal.Paint) string {
	title := f.name
	var about []string
	if f.address != "" && f.address != f.name {
		about = append(about, f.address)
	}
	if f.local {
		about = append(about, "found on this machine")
	}
	if len(about) > 0 {
		title += " (" + strings.Join(about, ", ") + ")"
	}
	text := look.Bold(timeline.OneLine(title, terminal.Columns)) + "\n"
	switch {
	case f.err != nil:
		text += cli.Indented("   ", timeline.OneLine(fault.Message(f.err), 4*terminal.Columns))
	case f.listed == 0 && f.address != "":
		text += "   it lists no models; a run can still name one\n"
	case len(f.rows) == 0:
		text += fmt.Sprintf("   none of its %s models has these words in its name\n", timeline.Count(int64(f.listed)))
	}
	return text
}

func line(r *modelRow, width int) string {
	mark := "   "
	if r.Selected {
		mark = "*  "
	}
	name := mark + timeline.Pad(timeline.OneLine(r.Model, 4*terminal.Columns), width)
	in, out := "", ""
	if r.Price != nil {
		in, out = strconv.FormatFloat(r.Price.Input, 'f', -1, 64), strconv.FormatFloat(r.Price.Output, 'f', -1, 64)
	}
	context := r.ContextTokens
	if context == 0 {
		context = r.PromptTokens
	}
	rest := strings.TrimRight(columns(timeline.ShortCount(context), timeline.ShortCount(r.OutputTokens), in, out, abilities(r)), " ")
	if timeline.Width(r.Model) > width && rest != "" {
		name += "\n   " + strings.Repeat(" ", width)
	}
	return strings.TrimRight(name+rest, " ") + "\n"
}

// columns are the figures of a model, at least 39 columns wide.
func columns(context, output, in, out, can string) string {
	return fmt.Sprintf("  %7s  %6s  %6s  %6s  %s", context, output, in, out, can)
}

// abilities are letters for what a model can do.
func abilities(r *modelRow) string {
	text := ""
	for _, a := range []struct {
		is     bool
		letter string
	}{
		{r.Vision, "i"}, {r.PDFs != nil && *r.PDFs, "p"}, {r.Reasoning != nil && *r.Reasoning || len(r.ReasoningEfforts) > 0, "r"},
	} {
		if a.is {
			text += a.letter
		}
	}
	return text
}
