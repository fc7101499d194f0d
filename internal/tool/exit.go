package tool

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// Exit is how a command has ended.
type Exit struct {
	Code  int    // 128 plus the signal's number if a signal ended it
	Shell string // the id of the shell in which it ran
}

// line is the line after the output, from which the model reads the exit code. Recorded
// conversations match it to the letter.
func (e Exit) line() string { return fmt.Sprintf("<exited with exit code %d>", e.Code) }

// SecondRun is the line before the result of a command that the sandbox had stopped, and that the
// user then allowed to run outside.
const SecondRun = "<the user has allowed it to run outside the sandbox; the second run:>"

// SecondRunInside is the same line for a command that runs again in the sandbox, after it was tried in the one
// for reading.
const SecondRunInside = "<the user has allowed it to run with more rights; the second run:>"

// exited is the result of a command that has ended.
func exited(r shell.Report) Result {
	e := Exit{r.Code, r.Shell}
	res := closing(r.Output, e.line())
	res.Exit = &e
	return res
}

// Output is the text without the line about the exit code.
func (r Result) Output() string {
	if r.Exit == nil {
		return r.Text
	}
	return strings.TrimSuffix(strings.TrimSuffix(r.Text, r.Exit.line()), "\n")
}
