package tui

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Esc stops a command of the user, also when it comes before the command has begun.
func TestEscStopsTheCommandOfTheUser(t *testing.T) {
	h := start(t)
	h.session.shell = make(chan struct{})
	h.write("!make")
	h.press("enter", "esc") // the loop has taken nothing in between
	h.done("stopped make")
}

// Esc and Ctrl-C stop the command of the user first, then the agent, and leave the draft alone.
func TestTheCommandOfTheUserIsStoppedFirst(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		h := start(t)
		h.session.shell = make(chan struct{})
		h.happens("user.message", map[string]any{"content": "work"})
		h.write("!make")
		h.press("enter")
		h.write("draft")
		h.leaving = time.Now().Add(leaveTime) // Ctrl-C was pressed a moment ago
		h.press(key)
		h.done("stopped make")
		if h.session.did("interrupt") || h.box.Draft().Text != "draft" || h.quit {
			t.Errorf("%s: the session did %q, the box has %q, quit is %v", key, h.session.done, h.box.Draft().Text, h.quit)
		}
		h.leaving = time.Time{}
		h.press(key)
		h.done("interrupt")
	}
}

// Stopping the run from a question leaves the command of the user alone.
func TestAStopOfTheRunIsNotForTheCommand(t *testing.T) {
	h := start(t)
	h.session.shell = make(chan struct{})
	h.happens("user.message", map[string]any{"content": "work"})
	h.write("!make")
	h.press("enter")
	h.asks("r1", "ls")
	h.later(5*time.Second, "tab", "q", "enter")
	h.done("interrupt")
	if h.session.did("stopped make") {
		t.Error("the command of the user was stopped")
	}
	close(h.session.shell)
	h.until("the end of the command", func() bool { return len(h.own.stops) == 0 })
}

// A run that could not be interrupted goes on, and is not shown as one that ends.
func TestAnInterruptionThatFailsStopsNothing(t *testing.T) {
	h := start(t)
	h.session.stuck = errors.New("the server does not answer")
	h.happens("user.message", map[string]any{"content": "work"})
	h.press("esc")
	h.until("the error", func() bool { return strings.Contains(h.screenText(), "the server does not answer") })
	if strings.Contains(h.screenText(), "stopping") {
		t.Errorf("the screen:\n%s", h.screenText())
	}
}

// The status line says where a command has moved the shell, as long as that is not the folder of the
// session.
func TestTheFolderOfTheShellIsShown(t *testing.T) {
	h := start(t)
	for _, at := range []string{"~/src/pkg", "~/src"} {
		h.session.mu.Lock()
		h.session.at = at
		h.session.mu.Unlock()
		h.happens("tool.execution_complete", map[string]any{"toolCallId": "1", "success": true})
		h.until("the folder "+at, func() bool { return h.shellAt == at })
		if got, want := strings.Contains(h.screenText(), "~/src (shell in ~/src/pkg)"), at == "~/src/pkg"; got != want {
			t.Errorf("in %s:\n%s", at, h.screenText())
		}
	}
}
