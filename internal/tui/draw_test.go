package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
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
	if !strings.Contains(h.screenText(), "Esc to stop the command") {
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

// Texts that name a key name the one of the settings, and none if the action has no key.
func TestTextsNameTheKeysOfTheSettings(t *testing.T) {
	for key, tc := range map[string]struct{ history, held, reasoning, empty, running string }{
		"f2": {
			"the draft is in the history: F2 brings it back", "queued messages are held: F2 sends them, F2 takes the last one back",
			"reasoning from now on: hidden; F2 has it", "F2 for keys", "F2 to interrupt",
		},
		"": {"the draft is in the history", "queued messages are held", "reasoning from now on: hidden", "/help for keys", "thinking"},
	} {
		keys := map[string][]string{}
		for i, name := range []string{keymap.Older, keymap.HandOver, keymap.Up, keymap.Output, keymap.Keys, keymap.Interrupt} {
			keys[name] = []string{}
			if key != "" {
				keys[name] = []string{fmt.Sprint("f", i+2)}
			}
		}
		h := startWith(t, func(o *Options) {
			var err error
			if o.Keys, err = keymap.Default().With(keys); err != nil {
				t.Fatal(err)
			}
		})
		label := func(text string, name string) string { return strings.ReplaceAll(text, "F2", h.Keys.Key(name)) }
		h.write("a draft")
		h.press("ctrl+c")
		if want := label(tc.history, keymap.Older); h.notice.text != want {
			t.Errorf("%q, want %q", h.notice.text, want)
		}
		h.reason("hidden")
		if want := label(tc.reasoning, keymap.Output); h.notice.text != want {
			t.Errorf("%q, want %q", h.notice.text, want)
		}
		h.queue = Queue{Held: true, Items: []Queued{{Text: "later"}}}
		before, after, _ := strings.Cut(tc.held, ", ")
		want := label(before, keymap.HandOver)
		if after != "" {
			want += ", " + label(after, keymap.Up)
		}
		if got := h.waits(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got, want := h.screenText(), label(tc.empty, keymap.Keys); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
		h.happens("assistant.turn_start", nil)
		got := h.screenText()
		if want := label(tc.running, keymap.Interrupt); key != "" && !strings.Contains(got, want) || key == "" && strings.Contains(got, "to interrupt") {
			t.Errorf("%q:\n%s", want, got)
		}
	}
}
