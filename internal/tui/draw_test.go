package tui

import (
	"strings"
	"testing"
	"time"
)

// One blank row is above the input box, whatever is above it, unless the window is low.
func TestABlankRowIsAboveTheBox(t *testing.T) {
	h := start(t)
	check := func(what string) {
		t.Helper()
		for height, want := range map[int]int{8: 0, 24: 1} {
			rows, cursor := h.live(80, height, time.Now())
			blank := 0
			for cursor.Row-blank-1 >= 0 && strings.TrimSpace(rows[cursor.Row-blank-1].String()) == "" {
				blank++
			}
			if blank != want {
				t.Errorf("%s, height %d: %d blank rows above the box, want %d:\n%s", what, height, blank, want, text(rows))
			}
		}
	}
	check("idle")
	h.session.shell = make(chan struct{})
	h.write("!make")
	h.press("enter")
	check("a command of the user")
	if !strings.Contains(h.screenText(), "esc to stop the command") {
		t.Errorf("nothing says how the command is stopped:\n%s", h.screenText())
	}
	h.happens("user.message", map[string]any{"content": "work"})
	check("the agent at work")
}

// A notice that is wider than the screen is wrapped, and the hint of the box is one that fits.
func TestNoticesAreWrapped(t *testing.T) {
	h := start(t)
	h.say("the message is in the history, and this notice is longer than the terminal is wide, to its END")
	for _, width := range []int{30, 40, 80} {
		rows, _ := h.live(width, 24, time.Now())
		all := text(rows)
		if !strings.Contains(all, "END") || strings.Contains(all, "…") {
			t.Errorf("%d columns:\n%s", width, all)
		}
		for _, r := range rows {
			if r.Width() >= width {
				t.Errorf("%d columns: %q reaches the edge", width, r.String())
			}
		}
	}
}

// The status line has the mode of the vi keys.
func TestTheModeOfViIsShown(t *testing.T) {
	h := start(t)
	h.box.Vi = true
	if all := h.screenText(); !strings.Contains(all, "INSERT") {
		t.Errorf("no mode:\n%s", all)
	}
	h.press("esc")
	if all := h.screenText(); !strings.Contains(all, "NORMAL") {
		t.Errorf("no mode of commands:\n%s", all)
	}
}

// That something is held does not hide what the status line says, such as that everything is allowed.
func TestAHoldIsShownBesideTheStatus(t *testing.T) {
	h := start(t)
	h.about.AllowAll = true
	h.session.holds(Queue{Items: []Queued{{ID: "1", Text: "first"}}, Held: true})
	h.happens("pending_messages.modified", nil)
	h.until("the hold", func() bool { return h.queue.holds() })
	if shown := h.screenText(); !strings.Contains(shown, "allow-all") || !strings.Contains(shown, "fake-model") || !strings.Contains(shown, "queued messages are held") {
		t.Errorf("the screen:\n%s", shown)
	}
}
