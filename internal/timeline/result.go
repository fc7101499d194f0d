package timeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// result is the row of a tool's result. tool is "" if the call is not known. exit is the exit code
// of a command, nil if the event has none.
func result(tool, text string, exit *int) Row {
	row := Row{Kind: Result, Body: text, Exit: exit}
	kind := fact.Of(tool).Result
	if exit != nil {
		kind = fact.OfCommand
	}
	switch kind {
	case fact.FirstOf:
		anything(&row, text)
	case fact.OfCommand:
		exited(&row, text)
	case fact.NumberedRows:
		row.Title = counted(withoutEmptyEnd(text), "line")
	case fact.CountedLines:
		row.Title = counted(text, "line")
	case fact.CountedFiles:
		row.Title = counted(text, "file")
	case fact.Diff, fact.Nothing: // a failure has a row of its own
	}
	return row
}

// withoutEmptyEnd removes the number of a line after the last line feed of a file. The model gets
// it, as the protocol has it; for the user it is no line.
func withoutEmptyEnd(text string) string {
	end, numbered := strings.CutSuffix(text, ". ")
	digits := end[strings.LastIndexByte(end, '\n')+1:]
	if !numbered || digits == "" || len(digits) == len(end) || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	return end[:len(end)-len(digits)-1]
}

// counted is the number of lines of a result, or the line itself if there is only one: it
// may be the remark that nothing was found.
func counted(text, thing string) string {
	if n := lines(text); n > 1 {
		return Plural(n, thing)
	}
	return text
}

// exitMarker ends the output of a command that has ended. Remarks about the sandbox can follow.
// Source: docs/protocol.md and conformance 2.5, and internal/tool/confined.go.
var exitMarker = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`\n?<exited with exit code (-?\d+)>\s*((?:<(?:the (?:sandbox|user)|nothing listens) [^\n]*>\s*)*)$`)
}}

// refusedMarker is the remark that the sandbox was the reason of a failure: whether that is
// certain, what it refused, and what the user can do.
var refusedMarker = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^<the sandbox (seems to have|has) refused this: ([^;\n]*)(?:[^\n]*; the user can ([^\n]*)>)?`)
}}

// ending matches an expression with the end of a text, if that has the words that every match has,
// and ends as one does: to try the expression at every place of the output takes 100 times as long.
func ending(text, words string, x *lazy.Value[*regexp.Regexp]) []string {
	end := text[max(len(text)-maxMarker, 0):]
	at := strings.Index(end, words)
	if at < 0 || !strings.HasSuffix(strings.TrimRight(end, "\t\n\f\r "), ">") {
		return nil
	}
	begin := strings.LastIndexByte(end[:at], '\n')
	return x.Get().FindStringSubmatch(end[max(begin, 0):])
}

// The words of the markers.
const (
	exitWords  = "<exited with exit code "
	shellWords = "shellId: "
)

// maxMarker bounds the exit marker with the remarks, in bytes.
const maxMarker = 8 << 10

// SecondRun is the line before the output of a command that the sandbox had stopped and that
// the user then allowed to run outside. Source: tool.SecondRun.
const SecondRun = "<the user has allowed it to run outside the sandbox; the second run:>\n"

// secondRunInside is the same line for a second run in the sandbox. Source: tool.SecondRunInside.
const secondRunInside = "<the user has allowed it to run with more rights; the second run:>\n"

// LastRun returns the output of the second run of a command, or all of it if there was none.
func LastRun(output string) string {
	for _, line := range []string{SecondRun, secondRunInside} {
		if i := strings.LastIndex(output, line); i >= 0 {
			output = output[i+len(line):]
		}
	}
	return output
}

// exited is the result of a command: its exit code if that is not 0, and its output
// without the marker. Only for the logs of earlier versions, which have no other, the marker also
// says the exit code.
func exited(row *Row, text string) {
	remarks := ""
	if m := ending(text, exitWords, &exitMarker); m != nil {
		row.Body, remarks = text[:len(text)-len(m[0])], m[2]
		if m[0][0] == '\n' {
			row.Body += "\n"
		}
		if code, err := strconv.Atoi(m[1]); row.Exit == nil && err == nil {
			row.Exit = &code
		}
	}
	if row.Exit == nil {
		continues(row, text)
		return
	}
	output := LastRun(row.Body)
	if *row.Exit != 0 {
		row.Failed = true
		row.Title = "exit code " + strconv.Itoa(*row.Exit) + stoppedBySandbox(row, remarks) + after(", ", amount(output))
		return
	}
	anything(row, output)
	if row.Title == "" {
		row.Title = "no output"
	}
	row.Title += stoppedBySandbox(row, remarks)
	row.Stopped = false // it has succeeded
	if strings.Contains(remarks, onlyRead) {
		row.Title += ", could only read"
	}
	if m := notKept.Get().FindStringSubmatch(remarks); m != nil {
		row.Body += "[sandbox: not kept: " + m[1] + "]\n"
	}
}

// onlyRead begins the remark that a command may have been kept from writing without a sign of it. Source: tool.tried.
const onlyRead = "<the sandbox only let it read;"

// notKept is the remark that a sandbox has not kept what a command has written or set.
var notKept = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`<the sandbox has not kept: ([^\n]*)>`) }}

// amount is how much a command has printed: its lines, the line itself if there is only one, or the
// size of an output of which the result has only the beginning and the end.
func amount(output string) string {
	if rest, ok := strings.CutPrefix(output, tooLarge); ok {
		size, _, _ := strings.Cut(rest, ")")
		return OneLine(size, 20) + " of output"
	}
	return counted(output, "line")
}

// tooLarge begins a result that is too long for the model. Source: internal/tool/spill.go.
const tooLarge = "Output too large to read at once ("

// stoppedBySandbox says from the remarks after an exit code whether the sandbox was the reason
// of the failure, and what it refused.
func stoppedBySandbox(row *Row, remarks string) string {
	m := refusedMarker.Get().FindStringSubmatch(remarks)
	if m == nil {
		return ""
	}
	row.Stopped = true
	if m[3] != "" {
		row.Body += "[sandbox: you can " + m[3] + "]\n"
	}
	if m[1] == "has" {
		return ", stopped by the sandbox (" + m[2] + ")"
	}
	return ", probably stopped by the sandbox (" + m[2] + ")"
}

// anything is the first line of a result, and the number of further lines.
func anything(row *Row, text string) {
	first, more := firstLine(text)
	row.Title = first
	if more {
		row.Title = Cut(first, 200) + " … " + Plural(lines(strings.TrimSpace(text))-1, "more line")
	}
}

// shellMarker ends the output of a command that has not ended, or that was stopped. Source:
// internal/tool/bash.go.
var shellMarker = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\n)<(still running|running|no new output|stopped)[^\n]*?shellId: ([^\s;,>]+)[^\n]*>\s*$`)
}}

// continues is the result of a command that has not ended, without the remark for the model.
func continues(row *Row, text string) {
	m := ending(text, shellWords, &shellMarker)
	if m == nil {
		anything(row, text)
		return
	}
	row.Body = text[:len(text)-len(m[0])]
	anything(row, row.Body)
	state := "continues in shell " + m[2]
	if m[1] == "stopped" {
		state = "stopped shell " + m[2]
	}
	row.Title = state + after(": ", row.Title)
}

// shellAfter is the shell that a result is about, and whether its command continues; "" if the
// result is about none. exit is the exit code of the command, nil if it has not ended.
func shellAfter(c call, text string, exit *int) (shell string, running bool) {
	if does := fact.Of(c.tool).Does; does != fact.Shell && does != fact.Console {
		return "", false
	}
	if exit != nil {
		return line(c.shell), false
	}
	if m := ending(text, shellWords, &shellMarker); m != nil {
		return line(m[2]), m[1] != "stopped"
	}
	return "", false
}

// Hidden says how much comes before the rows of a result that are shown: its lines, and what the tool itself has left out
// between them, such as "472 lines and 77.7 KB".
func Hidden(lines []string) string {
	n, more := len(lines), ""
	for _, l := range lines {
		if amount, _, ok := strings.Cut(l, " left out here;"); ok && strings.HasPrefix(amount, "[") {
			n--
			more = " and " + strings.TrimSuffix(amount[1:], " are")
		}
	}
	unit := "lines"
	if n == 1 {
		unit = "line"
	}
	return fmt.Sprintf("%d %s%s", n, unit, more)
}
