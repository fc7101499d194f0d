package tui

import (
	"strings"
	"testing"
	"time"
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
