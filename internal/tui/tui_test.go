package tui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestAMessageIsSent(t *testing.T) {
	h := start(t)
	h.write("hello there")
	h.press("enter")
	h.done("send interactive: hello there")
	if len(*h.history) != 1 || !h.box.Empty() {
		t.Errorf("the history is %q, the box %q", *h.history, h.box.Draft().Text)
	}
	h.press("shift+tab")
	h.write("now")
	h.press("enter")
	h.done("send plan: now")
}

// A message that the session did not take returns to the input box, unless the user has gone on.
func TestAMessageThatFailsComesBack(t *testing.T) {
	h := start(t)
	h.session.failed = errors.New("the disk is full")
	h.write("precious")
	h.press("enter")
	h.until("the draft", func() bool { return h.box.Draft().Text == "precious" })
	h.until("the error", func() bool { return strings.Contains(text(h.talk.Take(80)), "the disk is full") })
}

// The files that a message names go with it, each once.
func TestMentionedFilesAreAttached(t *testing.T) {
	h := start(t)
	h.Mentioned = func(Session, string) ([]composer.Attachment, string) {
		return []composer.Attachment{{Name: "cmd", Path: "/w/cmd", Folder: true}, {Name: "a", Path: "/a"}}, "not attached: @more"
	}
	h.box.Attach(composer.Attachment{Name: "a.txt", Path: "/a"})
	h.write("look")
	h.press("enter")
	h.done(`attached [{"type":"file","path":"/a","displayName":"a.txt"},{"type":"directory","path":"/w/cmd","displayName":"cmd"}]`)
	h.until("the warning", func() bool { return strings.Contains(text(h.talk.Take(80)), "not attached: @more") })
}

// A command works in the session that is shown, and so does the next one, in another session.
func TestACommandGetsTheSessionThatIsShown(t *testing.T) {
	h := start(t)
	h.command("", "note", "one")
	h.done("command one")
	h.command("", "other", "")
	h.until("the other session", func() bool { return h.joined.Session == h.other })
	h.command("", "note", "two")
	h.until("the command", func() bool { return h.other.did("command two") })
	if h.session.did("command two") || h.other.did("command one") {
		t.Errorf("the sessions did %q and %q", h.session.done, h.other.done)
	}
}

// A session is asked beside the interface for its text about a failure.
func TestAFailureIsExplained(t *testing.T) {
	h := start(t)
	data := []byte(`{"errorType":"network","message":"refused"}`)
	h.session.events <- follow.Event{Event: wire.Event{Header: wire.Header{ID: "e1", Type: "session.error"}, Data: data}}
	h.until("the failure", func() bool { return strings.Contains(text(h.talk.Take(80)), "refused: try again") })
}

func TestTheShellAndCommands(t *testing.T) {
	h := start(t)
	h.write("!make test")
	h.press("enter")
	h.done("shell make test")
	h.write("/hello")
	h.press("esc") // the completions
	h.write(" you")
	h.press("enter")
	h.until("the command below what was typed", func() bool { return strings.Contains(text(h.talk.Take(80)), "› /hello you\nhello you\n") })
	h.write("/note it")
	h.press("enter")
	h.done("command it")
	h.until("what was typed, though events say what comes of it", func() bool { return strings.Contains(text(h.talk.Take(80)), "› /note it\n") })
	h.write("/nosuch")
	h.press("enter")
	h.until("the error", func() bool { return strings.Contains(text(h.talk.Take(80)), "there is no command /nosuch") })
	if d := h.box.Take(); d.Text != "/nosuch" {
		t.Errorf("the input box has %q, and not what can be corrected", d.Text)
	}
	h.write("/quit")
	h.press("enter")
	h.until("the end", func() bool { return h.quit })
}

// A command enters another session; the first one is left, and its late answers change nothing.
func TestEnteringASession(t *testing.T) {
	h := start(t)
	h.write("/other")
	h.press("enter")
	h.until("the other session", func() bool { return h.joined.Session == Session(h.other) })
	h.done("leave")
	h.write("hi")
	h.press("enter")
	h.until("the message", func() bool { return h.other.did("send interactive: hi") })
}

// A log that is long, or far away, does not keep the interface from taking keys. A message that is sent
// meanwhile goes to the session that is being opened.
func TestKeysAreTakenWhileALogIsRead(t *testing.T) {
	h := start(t)
	h.other.log = make(chan wire.Event)
	h.write("/other")
	h.press("enter")
	h.until("the reading", func() bool { return !h.opening.IsZero() })
	h.write("hi")
	if text := h.screenText(); !strings.Contains(text, "› hi") || strings.Contains(text, "opening") {
		t.Errorf("at first:\n%s", text)
	}
	h.opening = h.opening.Add(-openingTime)
	if text := h.screenText(); !strings.Contains(text, "opening the session …") {
		t.Errorf("a moment later:\n%s", text)
	}
	h.press("enter")
	raw := json.RawMessage(`{"content":"an earlier message"}`)
	h.other.log <- wire.Event{Header: wire.Header{ID: "1", Type: "user.message"}, Data: raw}
	close(h.other.log)
	h.until("the message", func() bool { return h.other.did("send interactive: hi") })
	h.until("what fills the window", func() bool { return strings.Contains(h.screenText(), "context 38%") })
	if shown := text(h.talk.Take(80)); !strings.Contains(shown, "an earlier message") || !h.box.Empty() {
		t.Errorf("the conversation:\n%s\nthe box: %q", shown, h.box.Draft().Text)
	}
	h.done("leave")
}

// Orders that are given while a session is opened are carried out then, in their order, and a message is sent once.
func TestOrdersWaitForTheSession(t *testing.T) {
	h := start(t)
	h.other.log = make(chan wire.Event)
	h.write("/other")
	h.press("enter")
	h.until("the reading", func() bool { return !h.opening.IsZero() })
	h.press("alt+p")
	h.write("hi")
	h.press("enter", "enter")
	if h.notice.text != "the session is being opened …" {
		t.Errorf("the status line says %q", h.notice.text)
	}
	h.press("ctrl+x", "q")
	close(h.other.log)
	h.until("the message", func() bool { return h.other.did("send interactive: hi") })
	h.until("the list", func() bool { return len(h.overlays) > 0 })
	h.other.mu.Lock()
	defer h.other.mu.Unlock()
	if len(h.other.done) != 1 {
		t.Errorf("the session did %q", h.other.done)
	}
	if len(h.waiting) > 0 {
		t.Error("something seems to wait")
	}
}

// Of two sessions that are opened at once, the later one is shown.
func TestTheLaterSessionIsShown(t *testing.T) {
	h := start(t)
	slow := newFake()
	slow.log = make(chan wire.Event)
	h.enter(slow, func() { t.Error("the earlier one was entered") })
	h.enter(h.other, func() {})
	h.until("the other session", func() bool { return h.joined.Session == Session(h.other) })
	close(slow.log)
	h.until("the end of the earlier one", func() bool { return slow.did("leave") })
	if h.joined.Session != Session(h.other) {
		t.Error("the earlier one is shown")
	}
}

// Ctrl-C interrupts the agent, then empties the box, and twice leaves.
func TestCtrlC(t *testing.T) {
	h := start(t)
	h.happens("user.message", map[string]any{"content": "work"})
	h.write("draft")
	h.press("ctrl+c")
	h.done("interrupt")
	h.happens("session.idle", map[string]any{"aborted": true})
	h.press("ctrl+c")
	if !h.box.Empty() || len(*h.history) != 1 || h.quit {
		t.Errorf("box %q, history %q, quit %v", h.box.Draft().Text, *h.history, h.quit)
	}
	h.leaving = time.Time{} // two seconds later
	h.press("ctrl+c")
	if h.quit || !strings.Contains(h.screenText(), "press Ctrl-C again to leave") {
		t.Errorf("quit %v; the screen:\n%s", h.quit, h.screenText())
	}
	h.press("a", "backspace", "ctrl+c")
	if h.quit {
		t.Error("a key between two Ctrl-C does not count")
	}
	h.press("ctrl+c")
	if !h.quit {
		t.Error("two Ctrl-C do not leave")
	}
}

func TestTheQueue(t *testing.T) {
	h := start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "1", Text: "first"}, {ID: "2", Text: "second"}}, Held: true})
	h.happens("pending_messages.modified", nil)
	h.until("the queue", func() bool { return strings.Contains(h.screenText(), "held: second") })
	h.later(time.Second, "enter")
	h.done("hand over")
	h.press("up")
	h.done("unqueue 2")
	h.until("the message", func() bool { return h.box.Draft().Text == "second" })
}

func request(id, command string) (timeline.Request, map[string]any) {
	r := timeline.Request{ID: id, Kind: "shell", Command: command, ToolCallID: "call"}
	return r, map[string]any{"requestId": id, "permissionRequest": map[string]any{"kind": "shell", "fullCommandText": command, "toolCallId": "call"}}
}

// asks has the session ask whether a command may run, and waits until the question takes keys.
func (h *harness) asks(id, command string) {
	h.t.Helper()
	r, data := request(id, command)
	h.session.ask(id, question.OfPermission(r, "/src", approval.Offer{}))
	h.happens("permission.requested", data)
	h.until("the question", func() bool { return h.questions.Len() > 0 })
	h.screenText()
}

// later presses keys at a time after now.
func (h *harness) later(after time.Duration, keys ...string) {
	now := time.Now().Add(after)
	for i, k := range keys {
		h.key(pressed(k), now.Add(time.Duration(i)*200*time.Millisecond))
	}
}

// A message that a command puts into the input box replaces no text there: it is in the history then.
func TestADraftReplacesNoText(t *testing.T) {
	h := start(t)
	h.write("my text")
	h.apply(Effect{Draft: "go on"})
	if d := h.box.Draft(); d.Text != "my text" || h.notice.text != "the message is in the history: Ctrl+P brings it back" {
		t.Errorf("the box has %q; the status line says %q", d.Text, h.notice.text)
	}
	h.press("ctrl+p")
	if d := h.box.Draft(); d.Text != "go on" {
		t.Errorf("Ctrl-P brings %q", d.Text)
	}
}

// The text about a session whose events end depends on why they have ended.
func TestTheEventsEnd(t *testing.T) {
	for why, err := range map[string]error{"the session was closed; /resume": nil, "is not shown any more; /resume": errors.New("the log is damaged")} {
		h := start(t)
		h.take(received{err: err}, err != nil)
		var said string
		h.until("the warning", func() bool {
			said += text(h.talk.Take(80))
			return strings.Contains(oneLine(said), why)
		})
		if err != nil && !strings.Contains(said, "the log is damaged") {
			t.Errorf("%v: the user reads:\n%s", err, said)
		}
	}
}

func TestAQuestionIsAnswered(t *testing.T) {
	h := start(t)
	h.happens("user.message", map[string]any{"content": "work"})
	h.asks("r1", "make")
	h.press("y", "enter") // at once: not an answer, but a message
	h.done("send interactive: y")
	h.later(5*time.Second, "tab", "y", "enter")
	h.done("yes r1")
	if h.questions.Len() != 0 {
		t.Error("the question is still there")
	}
}

// A denial with words ends the run, and the words are the next message.
func TestACorrection(t *testing.T) {
	h := start(t)
	h.session.ends = true
	h.happens("user.message", map[string]any{"content": "work"})
	h.asks("r1", "rm -r x")
	h.later(5*time.Second, "n")
	h.later(7*time.Second, "n", "o", "enter")
	h.done("no r1: no")
	if h.session.did("send interactive: no") {
		t.Error("the correction went before the end of the run")
	}
	h.until("the answer", func() bool { return h.questions.correction != "" })
	h.happens("session.idle", nil)
	h.done("send interactive: no")
}

// A question that another client has answered, or that the session takes back, leaves the screen.
func TestAQuestionIsWithdrawn(t *testing.T) {
	h := start(t)
	h.asks("r1", "make")
	h.happens("permission.completed", map[string]any{"requestId": "r1", "result": map[string]any{"kind": "approved"}})
	if h.questions.Len() != 0 {
		t.Error("the question that was answered elsewhere is still there")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var failed error
	h.call(&Call{Ctx: ctx, Method: "userInput.request", Params: json.RawMessage(`{"question":"Why?"}`), Reply: func(_ any, err error) { failed = err }})
	if h.questions.Len() != 1 {
		t.Fatal("the call asks nothing")
	}
	cancel()
	h.until("the withdrawal", func() bool { return h.questions.Len() == 0 })
	h.call(&Call{Ctx: t.Context(), Method: "hooks.invoke", Reply: func(_ any, err error) { failed = err }})
	if failed == nil {
		t.Error("a call that a terminal does not answer was not refused")
	}
}

// A permission request that is answered while its question is being made is not asked.
func TestAQuestionThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		h.session.ask("r1", &question.Question{ID: "r1", Heading: "Allow: run"})
		made := make(chan struct{})
		h.session.late = made
		h.happens("permission.requested", map[string]any{"requestId": "r1", "permissionRequest": map[string]any{"kind": "shell"}})
		h.happens("permission.completed", map[string]any{"requestId": "r1", "result": map[string]any{"kind": "approved"}})
		close(made)
		synctest.Wait()
		for len(h.posts) > 0 {
			(<-h.posts)()
		}
		if h.questions.Len() != 0 {
			t.Error("a question is shown that nobody waits for")
		}
	})
}

// Keys that are pressed one after the other are one action, and nothing of them is typed.
func TestKeySequences(t *testing.T) {
	h := start(t)
	h.write("text")
	h.press("ctrl+x", "ctrl+e")
	if got := h.box.Draft().Text; got != "text edited" {
		t.Errorf("the editor has left %q", got)
	}
	h.press("ctrl+x", "q")
	if got := h.box.Draft().Text; got != "text edited" {
		t.Errorf("a sequence that does not exist has typed: %q", got)
	}
}

// The status line says that nothing is asked, for as long as that holds.
func TestAllowAllIsShown(t *testing.T) {
	h := start(t)
	for _, free := range []bool{true, false} {
		h.session.mu.Lock()
		h.session.free = free
		h.session.mu.Unlock()
		h.happens("session.permissions_changed", map[string]any{"mode": "any"})
		h.until("the status line", func() bool { return strings.Contains(h.screenText(), "allow-all") == free })
	}
}
