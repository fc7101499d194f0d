package front_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestTheFirstFrameIsTheNameTheInputBoxAndTheStatus(t *testing.T) {
	t.Parallel()
	d := sit(t, say("Hello, **Ann**."))
	d.shows("test-model")
	got := strings.Split(d.now(), "\n")
	if len(got) != 4 || !strings.HasPrefix(got[0], "Sidestick ") || got[1] != "" || !strings.HasPrefix(got[2], "› Ask anything") || !strings.HasPrefix(got[3], "test-model · ") {
		t.Errorf("the first frame is %q", got)
	}
	d.says("I am Ann.")
	d.shows("› I am Ann.", "Hello, Ann.")
	d.idle()
	d.leave()
	stays, _, goodbye := strings.Cut(d.all(), "\nto continue: sidestick --resume ")
	if !goodbye || !strings.HasSuffix(stays, "› I am Ann.\n\nHello, Ann.") {
		t.Errorf("the scrollback has:\n%s", stays)
	}
}

// words is a text of so many different words, in pieces.
func words(n int) (pieces []string) {
	for i := range n {
		pieces = append(pieces, fmt.Sprintf("word%d ", i))
	}
	return pieces
}

// Nothing that is typed while an answer arrives gets into it, and nothing of the answer gets into
// the input box.
func TestWhatIsTypedWhileTheModelAnswersStaysInTheBox(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Reply{Pieces: words(400), Gap: 2 * time.Millisecond}, say("Second."))
	d.says("tell")
	d.shows("word5")
	const typed = "QQ meanwhile"
	for _, r := range typed {
		d.press(string(r))
		d.press("left", "right")
	}
	d.shows("› "+typed, "word399")
	d.idle()
	all := d.all()
	if got := regexp.MustCompile(`word\d+`).FindAllString(all, -1); len(got) != 400 || got[0] != "word0" || got[399] != "word399" {
		t.Errorf("the answer has %d words:\n%s", len(got), all)
	}
	if strings.Count(all, "QQ") != 1 {
		t.Errorf("the typed text is in the output:\n%s", all)
	}
	d.press("enter")
	d.shows("Second.")
	d.leave()
}

func TestAQueuedMessageIsShownTakenBackAndSent(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Silent(), say("Done."), say("Done again."))
	d.says("first")
	d.asked(1)
	d.says("second")
	d.shows("queued: second", "1 queued")
	d.says("third")
	d.shows("queued: third", "2 queued")
	d.press("up")
	d.shows("› third")
	d.hides("queued: third")
	d.press("ctrl+u")
	d.empty()
	d.press("esc")
	d.shows("interrupted", "held: second", "Enter sends it now")
	glass.Pause(500 * time.Millisecond) // a hold that has just been shown takes no Enter
	d.press("enter")                    // on the empty box
	d.shows("› second", "Done.")
	d.hides("held")
	d.idle()
	d.leave()
	if got := len(d.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times; a message that was taken back was sent", got)
	}
}

func TestAHeldMessageIsTakenBack(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Silent(), say("Done."))
	d.says("first")
	d.asked(1)
	d.says("second")
	d.shows("queued: second")
	d.press("esc")
	d.shows("held: second")
	d.press("up")
	d.shows("› second")
	d.hides("held: second")
	d.press("!", "enter")
	d.shows("› second!", "Done.")
	d.leave()
}

func TestCtrlCInterruptsThenLeaves(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Silent())
	d.says("first")
	d.asked(1)
	d.press("ctrl+c")
	d.shows("interrupted", "Ctrl-C again to leave")
	d.press("ctrl+c")
	if code := d.ends(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	d.checkWritten()
}

func TestCtrlCEmptiesTheBoxAndKeepsTheDraft(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.types("half a thought")
	d.press("ctrl+c")
	d.empty()
	d.press("ctrl+p")
	d.shows("› half a thought")
	d.press("ctrl+c")
	d.empty()
	d.press("ctrl+d")
	if code := d.ends(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	d.checkWritten()
}

func TestACommandShowsItsOutputWhileItRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, call("bash", `{"command":"echo begun; until [ -e go ]; do :; done; echo over; false","description":"Wait for a file"}`), say("It failed."))
	d.start("--allow-all")
	d.empty()
	d.says("run it")
	d.shows("● [1] $ echo begun", "    begun", "calling bash")
	d.press("!")
	d.write("touch go")
	d.shows("! touch go")
	d.press("enter")
	d.shows("    over", "It failed.")
	d.matches(`✗ \[1\] \$ echo begun.*exit code 1`)
	d.idle()
	d.leave()
	if all := d.all(); strings.Count(all, "    begun") != 1 || strings.Count(all, "    over") != 1 {
		t.Errorf("the output is there more than once:\n%s", all)
	}
}

func TestNothingIsWrittenWhileNothingHappens(t *testing.T) {
	t.Parallel()
	d := sit(t, say("Done."))
	d.says("first")
	d.shows("Done.")
	d.idle()
	d.mu.Lock()
	changed := d.changed
	d.mu.Unlock()
	for quiet := false; !quiet; { // the last frames of the answer
		select {
		case <-changed:
			d.mu.Lock()
			changed = d.changed
			d.mu.Unlock()
		case <-time.After(5 * time.Second):
			quiet = true
		}
	}
	select {
	case <-changed:
		t.Errorf("something was written; the screen:\n%s", d.now())
	case <-time.After(3 * time.Second):
	}
	d.leave()
}
