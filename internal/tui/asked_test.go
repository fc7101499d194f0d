package tui

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	asking "github.com/sidestick-dev/sidestick/internal/tui/question"
)

// The heading of a question never leaves the screen, however long the text in the input box is.
func TestALongDraftLeavesRoomForTheQuestion(t *testing.T) {
	h := start(t)
	h.asks("r1", "make "+strings.Repeat("all ", 300))
	h.box.Paste(strings.Repeat("a line\n", 20))
	for height := 4; height < 40; height++ {
		rows, _ := h.live(60, height, time.Now())
		if all := text(rows); len(rows) > height-1 || !strings.Contains(all, "Allow: run $ make") && !strings.Contains(all, "make the window") {
			t.Errorf("height %d, %d rows:\n%s", height, len(rows), all)
		}
	}
}

// A question that the screen does not paint has not been shown.
func TestAQuestionBelowAnOverlayIsNotShown(t *testing.T) {
	h := start(t)
	h.asks("r1", "make")
	h.screen.Resized(time.Now())
	if err := h.paint(time.Now()); err != nil {
		t.Fatal(err)
	}
	if from, to := h.screen.Shown(); from != to {
		t.Errorf("rows %d to %d are shown while the size changes", from, to)
	}
	if err := h.paint(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if from, to := h.screen.Shown(); from != 0 || to == 0 {
		t.Errorf("rows %d to %d are shown afterwards", from, to)
	}
}

// Questions are shown in the order of their events, however long each takes to be made. One that
// ends meanwhile is not shown.
func TestQuestionsKeepTheirOrder(t *testing.T) {
	h := start(t)
	h.session.gates = map[string]chan struct{}{"r1": make(chan struct{})}
	for _, id := range []string{"r1", "r2", "r3"} {
		r, data := request(id, "make "+id)
		h.session.ask(id, question.OfPermission(r, "/src", approval.Offer{}))
		h.happens("permission.requested", data)
	}
	h.until("the later ones", func() bool { return h.questions.arrivals[1].show != nil && h.questions.arrivals[2].show != nil })
	if n := h.questions.Len(); n != 0 {
		t.Errorf("%d questions are shown before the first one", n)
	}
	h.happens("permission.completed", map[string]any{"requestId": "r3"})
	close(h.session.gates["r1"])
	h.until("the questions", func() bool { return h.questions.Len() > 0 })
	if all := h.screenText(); h.questions.Len() != 2 || !strings.Contains(all, "make r1") {
		t.Errorf("%d questions:\n%s", h.questions.Len(), all)
	}
}

// Keys that come in one read never give a yes.
func TestAYesInOneReadDoesNotCount(t *testing.T) {
	h := start(t)
	h.asks("r1", "make")
	at := time.Now().Add(5 * time.Second)
	for _, k := range []string{"y", "enter"} {
		h.key(pressed(k), at)
	}
	if h.questions.Len() != 1 {
		t.Error("the question was answered")
	}
}

// A jump to the end of the pager is not a reading of the question; paging through it is.
func TestAJumpInThePagerIsNoReading(t *testing.T) {
	for keys, want := range map[string]bool{"end": false, "pgdown pgdown pgdown pgdown pgdown pgdown pgdown pgdown": true} {
		h := start(t)
		h.asks("r1", strings.Repeat("true\n", 100)+"rm -rf ~")
		h.later(5*time.Second, "ctrl+o")
		for _, k := range append([]string{""}, strings.Fields(keys)...) {
			if k != "" {
				h.press(k)
			}
			if err := h.paint(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		h.press("q")
		h.screenText()
		h.later(20*time.Second, "y", "enter")
		if got := h.questions.Len() == 0; got != want {
			t.Errorf("after %s, answered: %v", keys, got)
		}
	}
}

// Requests that are settled leave nothing behind.
func TestSettledRequestsAreForgotten(t *testing.T) {
	h := start(t)
	h.asks("r0", "make")
	for _, id := range []string{"r0", "r1", "r2"} {
		h.happens("permission.completed", map[string]any{"requestId": id})
	}
	if q := &h.questions; len(q.arrivals)+len(q.takers)+q.Len() != 0 {
		t.Errorf("%d arrivals, %d takers and %d questions are left", len(q.arrivals), len(q.takers), q.Len())
	}
}

// After Ctrl-Z a key was meant for the shell until the question was painted again and no key came for
// a moment.
func TestAQuestionIsGuardedAfterCtrlZ(t *testing.T) {
	h := start(t)
	h.asks("r1", "make")
	h.later(5*time.Second, "y")
	h.press("ctrl+z")
	h.later(6*time.Second, "enter")
	if h.questions.Len() != 1 {
		t.Fatal("a mark from before Ctrl-Z and an Enter from after it approved")
	}
	h.screenText()
	h.later(asking.Settle+100*time.Millisecond, "y")
	h.later(asking.Settle+300*time.Millisecond, "enter")
	if h.questions.Len() != 1 {
		t.Error("the question took keys before a quiet moment")
	}
	h.done("send interactive: y")
}

// A call that was answered is not withdrawn when it ends.
func TestAnAnsweredCallEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		ctx, cancel := context.WithCancel(t.Context())
		replied := 0
		h.call(&Call{Ctx: ctx, Method: "userInput.request", Params: json.RawMessage(`{"question":"Why?"}`), Reply: func(any, error) { replied++ }})
		h.screenText()
		h.later(5*time.Second, "tab", "s", "o", "enter")
		cancel()
		synctest.Wait()
		for len(h.posts) > 0 {
			(<-h.posts)()
		}
		if said := text(h.talk.Take(80)); replied != 1 || strings.Contains(said, "no longer needs") {
			t.Errorf("%d replies; the user reads:\n%s", replied, said)
		}
	})
}

// Questions have the keys of the settings, also a sequence that moves to them.
func TestAQuestionHasTheKeysOfTheSettings(t *testing.T) {
	h := startWith(t, func(o *Options) {
		var err error
		if o.Keys, err = keymap.Default().With(map[string][]string{keymap.QuestionYes: {"o"}, keymap.Queue: {"ctrl+x t"}}); err != nil {
			t.Fatal(err)
		}
	})
	h.write("a draft")
	h.asks("r1", "make")
	if all := h.screenText(); !strings.Contains(all, "o  yes, once") || !strings.Contains(all, "Ctrl+X t to answer") {
		t.Errorf("the rows name other keys:\n%s", all)
	}
	h.questions.Resized()
	h.questions.Painted(time.Now().Add(-time.Minute))
	h.press("ctrl+x", "t")
	h.later(5*time.Second, "o")
	h.later(6*time.Second, "enter")
	h.done("yes r1")
}
