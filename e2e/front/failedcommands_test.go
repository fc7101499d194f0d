package front_test

import (
	"regexp"
	"strings"
	"testing"
)

// A command that failed has the mark and the exit code of a failure on the screen, however long its
// output is, whether the model or the user has run it; and the end of its output, which is where
// the reason is, is below it. The model reads the exit code of a command that the user has typed.
func TestFailedCommandsAreShownAsFailed(t *testing.T) {
	t.Parallel()
	d := newDesk(t,
		call("bash", `{"command":"echo no; (exit 3)","description":"d"}`),
		call("bash", `{"command":"seq 24000; (exit 3)","description":"d"}`),
		call("bash", `{"command":"seq 24000; sh -c 'kill -KILL $$'","description":"d"}`),
		call("bash", `{"command":"seq 24001","description":"d"}`),
		say("That was it."), say("I have seen it."),
	)
	d.start("--allow-all", "--no-sandbox")
	d.empty()
	d.says("run all")
	d.shows("That was it.")
	d.idle()
	d.press("!")
	d.write("seq 24002; exit 5\r")
	d.shows("    24002")
	d.idle()
	d.press("!")
	d.write("seq 24003; sh -c 'kill -TERM $$'\r")
	d.shows("    24003")
	d.idle()
	for _, want := range []string{
		`✗ \[1\] \$ echo no.*exit code 3\n    no\n`,
		`✗ \[2\] \$ seq 24000; \(exit 3\).*exit code 3( · [0-9.]+ s)?\n(    .*\n)+    24000\n`,
		`✗ \[3\] \$ seq 24000.*exit code 137( · [0-9.]+ s)?\n(    .*\n)+    24000\n`,
		`✓ \[4\] \$ seq 24001.*\n(    .*\n)+    24001\n`,
		`✗ \[5\] \$ seq 24002; exit 5.*exit code 5( · [0-9.]+ s)?\n(    .*\n)+    24002\n`,
		`✗ \[6\] \$ seq 24003.*exit code 143( · [0-9.]+ s)?\n(    .*\n)+    24003\n`,
	} {
		shown := regexp.MustCompile(want)
		d.until("shows "+want, func() bool { return shown.MatchString(d.all()) })
	}
	d.says("what did I do?")
	d.shows("I have seen it.")
	d.idle()
	requests := d.model.Requests()
	var read strings.Builder
	for _, m := range requests[len(requests)-1].Messages {
		read.WriteString(m.Content + "\n")
	}
	for _, want := range []string{"24002\n<exited with exit code 5>", "<exited with exit code 143>"} {
		if !strings.Contains(read.String(), want) {
			t.Errorf("the model has not read %q", want)
		}
	}
	d.leave()
	d.checkWritten()
}
