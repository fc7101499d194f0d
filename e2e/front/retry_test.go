package front_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// texts are the messages of the user and of the model that the model got with its last request.
func (d *desk) texts() string {
	d.t.Helper()
	requests := d.model.Requests()
	var list []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "system" {
			continue
		}
		lines := strings.Split(m.Content, "\n")
		list = append(list, lines[len(lines)-1])
	}
	return strings.Join(list, ", ")
}

// After a run that failed or was interrupted, what was queued is held and shown. Enter and /retry continue:
// the model reads each message once.
func TestARunThatFailedOrWasInterruptedIsContinued(t *testing.T) {
	t.Parallel()
	const retry, enter = "/retry", ""
	for name, tc := range map[string]struct {
		fails bool // otherwise the user presses Esc
		how   string
	}{
		"a failed run, with Enter":        {true, enter},
		"a failed run, with /retry":       {true, retry},
		"an interrupted run, with /retry": {false, retry},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			broken := modeltest.Silent()
			if tc.fails {
				broken = modeltest.Failure(401, "bad", "wrong key")
				broken.When = func(*modeltest.Request) bool { <-gate; return true }
			}
			d := sit(t, broken, say("Better."), say("Second better."))
			fail := sync.OnceFunc(func() { close(gate) })
			t.Cleanup(fail)
			d.says("/retry")
			d.shows("there is nothing to retry")
			d.says("first")
			d.shows("Esc to interrupt")
			d.says("second")
			d.shows("queued: second")
			fail()
			if tc.fails {
				d.shows("wrong key", "the last run did not finish: Enter continues it and sends the held messages")
			} else {
				d.press("esc")
			}
			d.shows("held: second")
			glass.Pause(1200 * time.Millisecond) // the Enter before this one is not held down any more
			if got := len(d.model.Requests()); got != 1 {
				t.Errorf("the model was asked %d times before the user has continued", got)
			}
			if tc.how == retry {
				d.says(retry)
			} else {
				d.press("enter")
			}
			d.shows("Better.", "› second", "Second better.")
			d.hides("held")
			d.idle()
			if got, want := d.texts(), "first, Better., second"; got != want || len(d.model.Requests()) != 3 {
				t.Errorf("the model read %q with request %d, want %q", got, len(d.model.Requests()), want)
			}
			d.leave()
			if all := d.all(); strings.Count(all, "› first") != 1 || strings.Count(all, "› second") != 1 {
				t.Errorf("a message is not shown once:\n%s", all)
			}
		})
	}
}

// Of an answer that breaks off and is asked for again, the screen keeps the text and says so. The answer follows whole.
func TestAnAnswerThatBreaksOffIsShownAsBroken(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Reply{Text: "Once upon a time.", Piece: 5, CutAfter: 3}, say("Whole."))
	d.says("tell")
	d.shows("Once upon", "the answer broke off, and is asked for again", "Whole.")
	d.idle()
	d.leave()
	if all := d.all(); strings.Count(all, "broke off") != 1 || strings.Count(all, "Whole.") != 1 || strings.Count(all, "› tell") != 1 {
		t.Errorf("the screen has:\n%s", all)
	}
}

// A session in which a plan was approved on autopilot is opened again in the mode that the user has chosen
// since, but never in autopilot, and no turn runs that nobody asked for.
func TestASessionThatWasOnAutopilotIsOpenedAgain(t *testing.T) {
	t.Parallel()
	for times, mode := range []string{"interactive", "interactive", "plan"} {
		t.Run(fmt.Sprintf("after Shift-Tab %d times", times), func(t *testing.T) {
			t.Parallel()
			d := sit(t, call("exit_plan_mode", `{"summary":"I paint it blue","actions":["interactive","autopilot"],"recommendedAction":"autopilot"}`),
				call("task_complete", `{"summary":"Painted."}`))
			d.press("shift+tab")
			d.shows("plan mode")
			d.says("paint")
			d.asks("I paint it blue")
			d.press("2", "enter")
			d.shows("Painted.", "· autopilot")
			d.idle()
			for i := range times {
				d.press("shift+tab")
				d.shows([]string{"interactive", "plan"}[i] + " mode")
			}
			d.leave()
			asked := len(d.model.Requests())
			d.start("--continue")
			d.shows("Painted.", "› Ask anything", "test-model")
			d.model.Add(modeltest.Reply{Text: "Fine.", Repeat: true})
			d.says("go on")
			d.shows("Fine.")
			d.idle()
			if got := len(d.model.Requests()) - asked; got != 1 {
				t.Errorf("the model was asked %d times, want once", got)
			}
			if now := d.now(); strings.Contains(now, "test-model · autopilot") || strings.Contains(now, "test-model · plan") != (mode == "plan") {
				t.Errorf("the session is not in the mode %s:\n%s", mode, now)
			}
			d.leave()
		})
	}
}
