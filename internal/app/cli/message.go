package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Message is an error as the user reads it: what it concerns, the reason, and what to
// do next. It leaves out the name of the function that failed, which is for logs.
func Message(err error) string {
	var e *fault.Error
	text := fault.ForClient(err, "")
	if errors.As(err, &e) && err.Error() == e.Error() { // no caller has added to it
		text = fault.Message(e)
		if e.On != "" {
			text = e.On + ": " + text
		}
	}
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == os.Stdout.Name() {
		text = strings.Replace(text, p.Error(), "the output cannot be written to stdout: "+p.Err.Error(), 1)
	}
	return strings.TrimSpace(text)
}

// ForScreen is text that begins with a label of ours and may quote providers, servers and files, such as
// an error: as [terminal.Labelled], also for a pipe, which may end at a terminal. It breaks text between
// words if out is a terminal.
func ForScreen(out io.Writer, text string) string {
	width := 0
	if terminal.Is(out) {
		width = Width(out)
	}
	return terminal.Labelled(text, width)
}

// Print prints a report or a table of a command, as [terminal.Fit]: whatever is quoted in it cannot
// control the terminal, and is not in the first column unless the command has put it there.
func Print(out io.Writer, text string) error {
	width := 0
	if terminal.Is(out) {
		width = Width(out)
	}
	_, err := io.WriteString(out, terminal.Fit(text, width))
	return err
}

// Printf is [Print] with a format.
func Printf(out io.Writer, format string, args ...any) error {
	return Print(out, fmt.Sprintf(format, args...))
}

// Own is an error whose text is that of the program alone, which has the first column to itself.
type Own interface {
	error
	OwnWords()
}

// PrintError prints the error that a command has ended with, as [ForScreen], and that of an [Own] without
// margins. text is its message, without secrets.
func PrintError(out io.Writer, err error, text string) {
	var own Own
	if !errors.As(err, &own) {
		_, _ = io.WriteString(out, ForScreen(out, text)+"\n")
		return
	}
	if text = timeline.Exposed(text); terminal.Is(out) {
		text = Wrapped(text, Width(out))
	}
	_, _ = io.WriteString(out, text+"\n")
}

// Wrapped breaks the lines of text that are longer than width, in columns.
func Wrapped(text string, width int) string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		if timeline.Width(line) > width {
			rows = append(rows, timeline.Wrap(line, width)...)
		} else {
			rows = append(rows, line) // its spaces may align columns
		}
	}
	return strings.Join(rows, "\n")
}

// Indented lays text out after a prefix, in lines of at most [terminal.Columns]
// columns. The lines after the first are indented by the width of the prefix. The
// result ends with a line feed.
func Indented(prefix, text string) string {
	var b strings.Builder
	indent := len([]rune(prefix))
	b.WriteString(prefix)
	used := indent
	for i, word := range strings.Fields(timeline.Harmless(text)) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case used+1+n > terminal.Columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String() + "\n"
}

// Width is the width of a stream, in columns; [terminal.Columns] if it is not a terminal.
func Width(stream any) int {
	w, _ := terminal.Size(stream)
	return w
}
