package tui

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// top is the text of the list or page that is shown.
func (h *harness) top() string {
	if len(h.overlays) == 0 {
		return ""
	}
	rows, _ := h.overlays[len(h.overlays)-1].rows(80, 24)
	return text(rows)
}

func (h *harness) shows(what string) {
	h.t.Helper()
	h.until(what, func() bool { return strings.Contains(h.top(), what) })
}

// open runs a slash command.
func (h *harness) open(command string) {
	h.write(command)
	h.press("esc", "enter")
}

// A queued message is moved, sent, dropped with two presses, and taken back with its attachments.
func TestTheQueueIsArranged(t *testing.T) {
	h := start(t)
	h.sent.add(composer.Draft{Text: "see [image 1: shot.png]", Attachments: []composer.Attachment{{Name: "shot.png", Image: true, Label: "[image 1: shot.png]"}}})
	h.session.holds(Queue{Items: []Queued{{ID: "a", Text: "first"}, {ID: "b", Text: "see [image 1: shot.png]"}}})
	h.open("/queue")
	h.shows("1 attachment")
	h.press("shift+down")
	h.done("move a to 1")
	h.until("the end of it", func() bool { return !h.overlays[0].(*listPage).busy })
	h.press("alt+enter")
	h.done("send now a")
	h.until("the end of it", func() bool { return !h.overlays[0].(*listPage).busy })
	h.press("ctrl+x")
	if h.session.did("unqueue a") {
		t.Error("one press drops a message")
	}
	h.press("down", "enter")
	h.until("the draft", func() bool { return len(h.box.Draft().Attachments) == 1 })
	if len(h.overlays) > 0 || !h.session.did("unqueue b") {
		t.Errorf("%d lists are open; the session did %q", len(h.overlays), h.session.done)
	}
}

// The queue is dropped by the second press.
func TestAQueuedMessageIsDropped(t *testing.T) {
	h := start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "a", Text: "first"}}})
	h.open("/queue")
	h.shows("first")
	h.press("ctrl+x", "ctrl+x")
	h.done("unqueue a")
	h.shows("Nothing is queued")
}

// The up key takes the last message back as it was, with its attachments.
func TestTheLastMessageIsTakenBackWhole(t *testing.T) {
	h := start(t)
	long := strings.Repeat("a long line\n", 500) + "[file 1: a.txt]"
	h.sent.add(composer.Draft{Text: long, Attachments: []composer.Attachment{{Name: "a.txt", Path: "/a.txt", Label: "[file 1: a.txt]"}}})
	h.session.holds(Queue{Items: []Queued{{ID: "a", Text: long}}})
	h.queue = h.session.queue
	h.press("up")
	h.until("the draft", func() bool { return h.box.Draft().Text == long && len(h.box.Draft().Attachments) == 1 })
}

// Each further press takes one more message back, before those that the box holds; none is lost.
func TestSeveralMessagesAreTakenBack(t *testing.T) {
	h := start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "c", Text: "/compact", Command: true}, {ID: "x", Text: "one"}, {ID: "y", Text: "two"}, {ID: "z", Text: "three"}}})
	h.queue = h.session.queue
	h.press("up", "up", "up") // faster than the session
	h.until("the last one", func() bool { return h.box.Draft().Text == "three" && len(h.queue.Items) == 3 })
	h.press("up")
	h.until("the one before", func() bool { return h.box.Draft().Text == "two\nthree" && len(h.queue.Items) == 2 })
	h.press("up", "up")
	h.until("the first message", func() bool { return h.box.Draft().Text == "one\ntwo\nthree" && len(h.queue.Items) == 1 })
	h.press("up", "up", "up")
	if h.box.Draft().Text != "one\ntwo\nthree" || h.session.did("unqueue c") || h.recalling {
		t.Errorf("the box holds %q, and the session did %q", h.box.Draft().Text, h.session.done)
	}
}

// A message that another process has queued is taken back without attachments.
func TestDraftsAreBounded(t *testing.T) {
	var d drafts
	for range maxDrafts + 5 {
		d.add(composer.Draft{Text: "x"})
	}
	if len(d) != maxDrafts || d.draft("y").Text != "y" {
		t.Errorf("%d drafts", len(d))
	}
}

func TestEarlierInputIsChosen(t *testing.T) {
	h := start(t)
	h.history.Add("make it fast")
	h.history.Add("make it right")
	h.open("/history")
	h.shows("make it fast")
	h.press("f", "a", "s", "t", "enter")
	h.until("the draft", func() bool { return h.box.Draft().Text == "make it fast" && len(h.overlays) == 0 })
}

func TestTheModeIsChosen(t *testing.T) {
	h := start(t)
	h.open("/mode")
	h.shows("✓ interactive")
	h.press("down", "enter")
	h.until("the mode", func() bool { return h.mode == "plan" && len(h.overlays) == 0 })
}

// The key shows more, then nothing, then a row again; the command names a way.
func TestReasoningIsShownOrHidden(t *testing.T) {
	h := start(t)
	for _, want := range []string{"full", "hidden", "collapsed"} {
		if h.press("alt+r"); h.Cells.Reasoning != want {
			t.Errorf("reasoning is %s, want %s", h.Cells.Reasoning, want)
		}
	}
	h.open("/reasoning hidden")
	h.until("it", func() bool { return h.Cells.Reasoning == "hidden" })
}

// Each command that the interface carries out has a key, or help says of it.
func TestDoes(t *testing.T) {
	for name, want := range map[string]bool{"queue": true, "history": true, "reasoning": true, "editor": true, "model": false, "nosuch": false} {
		if Does(name) != want {
			t.Errorf("/%s: %v", name, !want)
		}
	}
}

// The first argument of a command is completed.
func TestArgumentsAreCompleted(t *testing.T) {
	h := start(t)
	h.until("the lists", func() bool { return h.box.Arguments != nil })
	h.write("/hello wo")
	if popup := text(h.box.Popup(80)); !strings.Contains(popup, "world") {
		t.Errorf("offered: %q", popup)
	}
	h.press("tab")
	if got := h.box.Draft().Text; got != "/hello world " {
		t.Errorf("completed: %q", got)
	}
	if h.completing() {
		t.Error("a second argument is completed")
	}
}

// An empty argument is offered only with Tab, so that Enter runs the command.
func TestACommandWithoutItsArgumentRuns(t *testing.T) {
	h := start(t)
	h.until("the lists", func() bool { return h.box.Arguments != nil })
	h.write("/hello ")
	if h.completing() {
		t.Error("the arguments are open")
	}
	h.press("tab")
	if !h.completing() {
		t.Error("Tab does not open them")
	}
}

// A list is told of events, and its preview opens in the pager.
func TestThePreviewOpensInThePager(t *testing.T) {
	h := start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "a", Text: "first\nline"}}})
	h.open("/queue")
	h.shows("first")
	h.press("ctrl+o")
	if _, ok := h.overlays[len(h.overlays)-1].(*pagerPage); !ok || len(h.overlays) != 2 {
		t.Errorf("%d pages are open", len(h.overlays))
	}
	h.press("q")
	h.session.holds(Queue{Items: []Queued{{ID: "c", Text: "another"}}})
	h.happens("pending_messages.modified", nil)
	h.shows("another")
}

func TestNoticesAsTheUserWants(t *testing.T) {
	for _, tc := range []struct {
		when    string
		focused bool
		want    bool
	}{{"unfocused", true, false}, {"unfocused", false, true}, {"always", true, true}, {"off", false, false}} {
		h := start(t)
		h.Notify, h.focused = tc.when, tc.focused
		if got := h.wantsNotice(); got != tc.want {
			t.Errorf("%s, focused %v: %v", tc.when, tc.focused, got)
		}
	}
}

// The user learns that a message could not be sent at once.
func TestAMessageThatNoRunCanTakeStays(t *testing.T) {
	h := start(t)
	h.session.tooLate = true
	h.session.holds(Queue{Items: []Queued{{ID: "a", Text: "first"}}})
	h.open("/queue")
	h.shows("first")
	h.press("alt+enter")
	h.shows("the message stays in the queue")
}
