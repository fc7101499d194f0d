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
		if got := result("view", text, nil).Title; got != want {
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
		if got := strings.TrimSpace(result("bash", text, nil).Title); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// The output of a command that the sandbox has stopped ends with what the user can do.
func TestWhatTheUserCanDoAboutTheSandbox(t *testing.T) {
	row := result("bash", "no\n<exited with exit code 7>\n<the sandbox has refused this: a connection to a:443; its limits: it may write only in /w, and has no network; the user can allow the host (--allow-tool 'url(a)')>", nil)
	if want := "no\n[sandbox: you can allow the host (--allow-tool 'url(a)')]\n"; row.Body != want {
		t.Errorf("the output is %q, want %q", row.Body, want)
	}
}

// The exit code is that of the event, whatever the text says and whichever tool has ended the command:
// the line in the text may be missing, because a hook has replaced the text, or come from the command.
func TestTheExitCodeOfTheEventCounts(t *testing.T) {
	const large = "Output too large to read at once (97.7 KB). Saved to: /f\nhint\n\na\n\n[77.7 KB are left out here; they are in /f]\n\nz\n"
	for _, tc := range []struct {
		tool, text string
		code       int
		title      string
		failed     bool
	}{
		{"bash", "no\n<exited with exit code 3>", 3, "exit code 3, no", true},
		{"bash", large + "<exited with exit code 3>", 3, "exit code 3, 97.7 KB of output", true},
		{"bash", "what the hook has left of it", 3, "exit code 3, what the hook has left of it", true},
		{"bash", "<exited with exit code 0>", 3, "exit code 3", true},
		{"", "no", 3, "exit code 3, no", true},
		{"read_bash", "<still running, shellId: a>\n<exited with exit code 0>", 0, "<still running, shellId: a>", false},
		{"bash", "yes\n<exited with exit code 7>", 0, "yes", false},
	} {
		row := result(tc.tool, tc.text, &tc.code)
		if strings.TrimSpace(row.Title) != tc.title || row.Failed != tc.failed || *row.Exit != tc.code {
			t.Errorf("%s %q with exit code %d is shown as %q, failed %v", tc.tool, tc.text, tc.code, row.Title, row.Failed)
		}
	}
}

// Logs of earlier versions say the exit code only in the text of a command. The text of another tool
// may end in the same way.
func TestTheExitCodeOfAnOldLogIsRead(t *testing.T) {
	for tool, want := range map[string]bool{"bash": true, "read_bash": true, "view": false, "mine": false} {
		if row := result(tool, "a\n<exited with exit code 3>", nil); row.Failed != want || (row.Exit != nil && *row.Exit == 3) != want {
			t.Errorf("%s: failed %v, exit code %v", tool, row.Failed, row.Exit)
		}
	}
}
