package front_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestAFailingProviderIsAskedAgainAndThenExplained(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Failure(500, "broken", "no luck"), modeltest.Failure(401, "bad", "wrong key"), say("Better."))
	d.says("hello")
	d.shows("retrying in", "try 2, for ", "✗ HTTP 401 bad: wrong key", "sidestick doctor")
	d.idle()
	d.says("again")
	d.shows("Better.")
	d.leave()
	if all := d.all(); strings.Count(all, "wrong key") != 1 || strings.Contains(all, "time=") || strings.Contains(all, "level=") {
		t.Errorf("the failure is not shown once:\n%s", all)
	}
}

// kill ends the program as nothing can be done against, and opens its session again.
func (d *desk) kill() {
	d.t.Helper()
	if err := d.cmd.Process.Kill(); err != nil {
		d.t.Fatal(err)
	}
	d.ends()
	d.start("--continue")
	d.shows("› Ask anything")
}

func TestAKilledProgramIsContinued(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		replies []modeltest.Reply
		before  func(d *desk)
		shows   []string
		after   func(d *desk)
	}{
		"idle": {nil, func(d *desk) { d.idle() }, []string{"› first", "Done."}, nil},
		"while the model answers": {
			[]modeltest.Reply{{Pieces: words(5000), Gap: 5 * time.Millisecond}},
			func(d *desk) { d.says("second"); d.shows("word9") },
			[]string{"› second", "interrupted"},
			nil,
		},
		"while a command runs": {
			[]modeltest.Reply{call("bash", `{"command":"echo begun; until [ -e go ]; do :; done","description":"Wait"}`)},
			func(d *desk) { d.says("second"); d.shows("    begun") },
			[]string{"› second", "echo begun", "interrupted"},
			nil,
		},
		"at a question": {
			[]modeltest.Reply{call("ask_user", `{"question":"Which colour?","choices":["red","blue"]}`), say("Blue.")},
			func(d *desk) { d.says("second"); d.asks("Which colour?") },
			[]string{"› second"},
			func(d *desk) { d.asks("Which colour?"); d.press("2", "enter"); d.shows("Blue."); d.idle() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t, append([]modeltest.Reply{say("Done.")}, tc.replies...)...)
			d.says("first")
			d.shows("Done.")
			tc.before(d)
			d.kill()
			d.shows(tc.shows...)
			if tc.after != nil {
				tc.after(d)
			}
			d.model.Add(say("Continued."))
			d.says("go on")
			d.shows("› go on", "Continued.")
			d.idle()
			d.leave()
		})
	}
}

// A question that is open when the program is asked to end, or when its terminal is closed, is asked again
// by the next one, as after kill -9, and its answer goes to the model.
func TestAnOpenQuestionSurvivesASignal(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP, "SIGQUIT": syscall.SIGQUIT} {
		for what, tc := range map[string]struct {
			call               modeltest.Reply
			keys, asks, answer string
		}{
			"a question":   {call("ask_user", `{"question":"Which colour?","choices":["red","blue"]}`), "2", "Which colour?", "blue"},
			"a plan":       {call("exit_plan_mode", `{"summary":"I paint it blue"}`), "1", "I paint it blue", "approved"},
			"a permission": {touch("painted"), "y", "run $ touch", "exited with exit code 0"},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				d := sit(t, tc.call, say("Done."))
				if what == "a plan" {
					d.press("shift+tab")
					d.shows("plan mode")
				}
				d.says("go")
				d.asks(tc.asks)
				if err := d.cmd.Process.Signal(with); err != nil {
					t.Fatal(err)
				}
				d.ends()
				d.start("--continue")
				d.asks(tc.asks)
				d.press(tc.keys, "enter")
				d.shows("Done.")
				d.idle()
				if got := d.model.Requests()[1].Last(); got.Role != "tool" || !strings.Contains(got.Content, tc.answer) {
					t.Errorf("the model read %q, want %q in it", got.Content, tc.answer)
				}
				if all := d.all(); strings.Contains(all, "interrupted") {
					t.Errorf("the session is shown as interrupted:\n%s", all)
				}
				d.leave()
			})
		}
	}
}

// A permission request outlives the process: it is asked again.
func TestAPermissionThatWaitedIsAskedAgain(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), say("Made."))
	d.says("make it")
	d.asks("run $ touch one")
	d.kill()
	d.asks("run $ touch one")
	d.press("y", "enter")
	d.shows("Made.")
	d.idle()
	if !d.made("one") {
		t.Error("the command did not run")
	}
	if all := d.all(); strings.Count(all, "› make it") != 1 {
		t.Errorf("what happened while the session was opened is shown twice:\n%s", all)
	}
	d.leave()
}

// Two processes cannot work in one session: the second one says why, and leaves the terminal alone.
func TestASecondTerminalIsTold(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Silent())
	d.says("first")
	d.asked(1)
	other := newDesk(t)
	other.home, other.folder, other.model = d.home, d.folder, d.model
	other.start("--continue")
	other.matches(`is\s+at\s+work\s+in\s+the\s+session`) // where it is wrapped depends on the paths
	if other.ends() == 0 {
		t.Error("the exit code is 0")
	}
	other.checkWritten()
	d.press("esc")
	d.shows("interrupted")
	d.idle()
	d.leave()
}
