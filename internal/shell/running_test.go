//go:build unix

package shell_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// A program of the user reports its output while it runs, and its exit status; what it has
// started ends with it.
func TestAProgramRuns(t *testing.T) {
	opts := marked(t)
	name, value, _ := strings.Cut(opts.Env[1], "=")
	for _, tc := range []struct {
		name, text string
		signal     shell.Signal
		signaled   bool
		code       int
	}{
		{"ends by itself", "echo up; sleep 1000 & exit 3", 0, false, 3},
		{"is terminated", "echo up; sleep 1000 & wait", shell.Terminate, true, 143},
		{"is interrupted", "trap 'exit 7' INT; echo up; sleep 1000 & wait", shell.Interrupt, true, 7},
		{"is killed", "trap '' TERM INT; setsid sh -c 'echo up; sleep 1000' & wait", shell.Kill, true, 137},
		{"is killed with a daemon", "(setsid sh -c 'echo up; sleep 1000' &); sleep 1000", shell.Kill, true, 137},
		{"leaves a daemon behind", "mkfifo p; (setsid sh -c 'echo up; echo > p; sleep 1000' &); read x < p; exit 3", 0, false, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			up := make(chan string, 10)
			r, err := shell.Start(os.Args[0], shell.Script{Text: tc.text, Dir: t.TempDir(), Env: map[string]string{name: value}}, func(text string) { up <- text })
			if err != nil {
				t.Fatal(err)
			}
			if got := <-up; got != "up\n" {
				t.Errorf("output %q", got)
			}
			if tc.signaled && !r.Signal(tc.signal) {
				t.Error("the signal was not sent")
			}
			if code := r.Wait(); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			if r.Signal(shell.Kill) {
				t.Error("a signal was sent to a program that has ended")
			}
			if left := living(t, opts); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

func TestAProgramThatCannotStart(t *testing.T) {
	for _, s := range []shell.Script{{Text: " ", Dir: t.TempDir()}, {Text: "true", Dir: "/nowhere/at/all"}} {
		if _, err := shell.Start(os.Args[0], s, func(string) {}); err == nil {
			t.Errorf("%+v was started", s)
		}
	}
}
