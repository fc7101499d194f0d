package timeline

import (
	"strings"
	"testing"
)

// The last line feed of a file does not begin a line for the user, as it does for the model.
func TestLinesOfAView(t *testing.T) {
	for text, want := range map[string]string{
		"1. a\n2. b\n3. ": "2 lines",
		"1. a\n2. b":      "2 lines",
		"1. a\n2. ":       "1. a",
		"1. ":             "1. ",
	} {
		if got := result("view", text).Title; got != want {
			t.Errorf("the view %q is shown as %q, want %q", text, got, want)
		}
	}
}

// A command that the sandbox has stopped is a failure with the reason, and a second run is
// reported as one, with its own output.
func TestResultsOfTheSandbox(t *testing.T) {
	const stopped = "cat: x: No such file\n<exited with exit code 1>\n<the sandbox seems to have refused this: reading your home folder; its limits: it may write only in /w>"
	for text, want := range map[string]string{
		stopped: "exit code 1, probably stopped by the sandbox (reading your home folder), cat: x: No such file",
		stopped + "\n<the user did not allow it to run outside the sandbox; their reason: no>":            "exit code 1, probably stopped by the sandbox (reading your home folder), cat: x: No such file",
		stopped + "\n" + SecondRun + "my secret\n<exited with exit code 0>":                               "my secret",
		stopped + "\n" + SecondRun + "<exited with exit code 0>":                                          "no output",
		stopped + "\n" + SecondRun + "a\nb\n<exited with exit code 2>":                                    "exit code 2, 2 lines",
		"<exited with exit code 7>\n<nothing listens on localhost:1 of the sandbox; the user can x>":      "exit code 7",
		"<exited with exit code 7>\n<the sandbox has refused this: a connection to a:443; its limits: x>": "exit code 7, stopped by the sandbox (a connection to a:443)",
	} {
		if got := strings.TrimSpace(result("bash", text).Title); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// The output of a command that the sandbox has stopped ends with what the user can do.
func TestWhatTheUserCanDoAboutTheSandbox(t *testing.T) {
	row := result("bash", "no\n<exited with exit code 7>\n<the sandbox has refused this: a connection to a:443; its limits: it may write only in /w, and has no network; the user can allow the host (--allow-tool 'url(a)')>")
	if want := "no\n[sandbox: you can allow the host (--allow-tool 'url(a)')]\n"; row.Body != want {
		t.Errorf("the output is %q, want %q", row.Body, want)
	}
}
