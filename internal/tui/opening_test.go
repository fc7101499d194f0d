package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
)

// renewing is a harness whose /new waits until the test lets it go on, with what it returns then.
func renewing(t *testing.T) (h *harness, goOn func(e Effect, err error)) {
	t.Helper()
	h = start(t)
	type result struct {
		Effect
		error
	}
	results := make(chan result, 1)
	h.other.opens = func() (Effect, error) { r := <-results; return r.Effect, r.error }
	return h, func(e Effect, err error) { results <- result{e, err} }
}

// send types a message or a command and sends it.
func (h *harness) send(line string) {
	h.write(line)
	h.press("esc", "enter")
}

// A message that is sent after a command that opens another session is for that session, however long it takes to
// open: the present one gets none of it.
func TestWhatIsSentAfterNewIsForTheNewSession(t *testing.T) {
	h, goOn := renewing(t)
	h.send("/new")
	h.send("fix the tests")
	h.write("!")
	h.send("make")
	h.write("a draft")
	if shown := h.screenText(); !strings.Contains(shown, "when the session is open: fix the tests") || !strings.Contains(shown, "when the session is open: !make") {
		t.Errorf("what waits is not shown:\n%s", shown)
	}
	goOn(Effect{Session: h.other}, nil)
	h.until("the message", func() bool { return h.other.did("send interactive: fix the tests") && h.other.did("shell make") })
	if h.session.did("send interactive: fix the tests") || h.session.did("shell make") {
		t.Errorf("the earlier session did %q", h.session.done)
	}
	if got := h.box.Draft().Text; got != "a draft" || h.other.did("send interactive: a draft") {
		t.Errorf("the box has %q; the new session did %q", got, h.other.done)
	}
}

// If no session is opened, nothing is sent: the user meant another session than the present one.
func TestNothingIsSentIfNoSessionIsOpened(t *testing.T) {
	for name, fails := range map[string]func() (Effect, error){
		"error": func() (Effect, error) { return Effect{}, errors.New("the server is busy") },
		"panic": func() (Effect, error) { panic("a fault of the program") },
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			gate := make(chan struct{})
			h.other.opens = func() (Effect, error) { <-gate; return fails() }
			h.send("/new")
			h.send("first")
			h.send("second")
			close(gate)
			h.until("the end of it", func() bool { return h.isOpen() })
			if got := h.box.Draft().Text; got != "first\nsecond" {
				t.Errorf("the box has %q", got)
			}
			h.press("ctrl+c")
			h.send("third")
			h.done("send interactive: third")
			if h.session.did("send interactive: first") {
				t.Errorf("the earlier session did %q", h.session.done)
			}
		})
	}
}

// The command may find that the session is the one that is shown. The messages are for it then.
func TestTheSessionThatIsOpenAlreadyGetsTheMessages(t *testing.T) {
	h, goOn := renewing(t)
	h.send("/new")
	h.send("go on")
	goOn(Effect{Text: "this session is open already"}, nil)
	h.done("send interactive: go on")
}

// A message that waits for a session is taken back like one that is queued.
func TestAMessageThatWaitsForASessionIsTakenBack(t *testing.T) {
	h, goOn := renewing(t)
	h.send("/new")
	h.send("first")
	h.send("second")
	h.press("up")
	if got := h.box.Draft().Text; got != "second" {
		t.Errorf("the box has %q", got)
	}
	goOn(Effect{Session: h.other}, nil)
	h.until("the message", func() bool { return h.other.did("send interactive: first") })
	h.press("enter")
	h.until("the other message", func() bool { return h.other.did("send interactive: second") })
}

// A session that is chosen in a list is opened in the same way, also if the list is closed meanwhile.
func TestASessionIsChosenInAList(t *testing.T) {
	h := start(t)
	gate := make(chan struct{})
	l := list.New(list.Config{Title: "Sessions"})
	l.Set([]list.Item{{ID: "1", Title: "another"}})
	h.page = func() Effect {
		return Effect{Pick: &Picker{
			List: l, Opens: func(o list.Outcome) bool { return o.Action == keymap.ListChoose },
			Do: func(context.Context, list.Outcome) (Effect, error) {
				<-gate
				return Effect{Session: h.other, Close: true}, nil
			},
		}}
	}
	h.open("/page")
	h.until("the list", func() bool { return len(h.overlays) > 0 })
	h.press("enter")
	h.press("esc")
	h.until("the end of the list", func() bool { return len(h.overlays) == 0 })
	h.send("fix the tests")
	close(gate)
	h.until("the message", func() bool { return h.other.did("send interactive: fix the tests") })
	if h.session.did("send interactive: fix the tests") {
		t.Errorf("the earlier session did %q", h.session.done)
	}
}

// The commands that open a session are those of the table, by all their names.
func TestCommandsThatOpenASession(t *testing.T) {
	for line, want := range map[string]bool{
		"/new": true, "/clear": true, "/New": true, "/fork": true, "/fork a title": true, "/resume 01a2": true,
		"/resume": false, "/sessions": false, "/model x": false, "/rewind 2": false, "/nosuch": false,
	} {
		name, arg, _ := slash.Split(line)
		if got := slash.Replaces(name, arg); got != want {
			t.Errorf("%s opens a session: %v, want %v", line, got, want)
		}
	}
}
