package terminal

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Margin begins each row of text from elsewhere: of a model, a server, a tool, a provider, a file. What
// the program says and asks itself begins in the first column, and never with this. Text from elsewhere
// follows the margin, or a label of ours in the same row, and is broken before the terminal would break
// it, so it is never in the first column.
const Margin = "│ "

// Indent begins the further rows of a line of the program's own. Text from elsewhere that is quoted in the line
// is not in the first column there, either.
const Indent = "    "

// Quote is text from elsewhere in rows of at most width columns, each with [Margin]. It shows the
// characters that [timeline.Exposed] does as their numbers. Blank lines stay, without a margin.
func Quote(text string, width int) []string { return quoted(timeline.Exposed(text), width) }

// QuoteProse is [Quote] for text that is for readers: it replaces the characters that
// [timeline.Harmless] does.
func QuoteProse(text string, width int) []string { return quoted(timeline.Harmless(text), width) }

func quoted(text string, width int) []string {
	var rows []string
	text = strings.ReplaceAll(text, string(joiner), "")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, row := range timeline.Wrap(line, width-timeline.Width(Margin)) {
			rows = append(rows, strings.TrimRight(Margin+row, " "))
		}
	}
	return rows
}

// Labelled is a text that begins with a label of ours and may quote text from elsewhere, such as an
// error, in rows of at most width columns; 0 breaks no line. The first line begins with the label, and is continued
// with [Indent]; each row of the further lines begins with [Margin]. It shows the characters that [timeline.Exposed] does as their numbers.
func Labelled(text string, width int) string { return labelled(timeline.Exposed(text), width) }

// LabelledProse is [Labelled] for text that is for readers, as [QuoteProse].
func LabelledProse(text string, width int) string { return labelled(timeline.Harmless(text), width) }

func labelled(text string, width int) string {
	var rows []string
	if width > 0 {
		text = strings.ReplaceAll(text, string(joiner), "")
	}
	begin := Indent
	for line := range strings.SplitSeq(text, "\n") {
		parts := []string{line}
		if room := width - len(Indent); width > 0 && (timeline.Width(line) > room || strings.Contains(line, "\t")) {
			parts = timeline.Wrap(line, room) // otherwise its spaces may align columns
		}
		for _, row := range parts {
			if len(rows) > 0 && row != "" {
				row = begin + row
			}
			rows = append(rows, row)
		}
		begin = Margin
	}
	return strings.Join(rows, "\n")
}
