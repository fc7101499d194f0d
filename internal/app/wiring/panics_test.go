package wiring

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Of the log, only panics reach the terminal: a full disk is the error of the command.
func TestOnlyPanics(t *testing.T) {
	var b strings.Builder
	log := slog.New(OnlyPanics(slog.NewTextHandler(&b, nil))).With("session", "s1")
	log.Error("the session's log cannot be written", "err", errors.New("no space left on device"))
	log.Warn("a model call is tried again", "attempt", 1)
	if b.Len() > 0 {
		t.Errorf("printed %q", b.String())
	}
	panicked := fault.Guard("run", func() error { panic("index out of range") })
	for _, report := range []func(){
		func() { log.Error("a run panicked", "panic", "index out of range", "stack", "goroutine 1") },
		func() { log.Error("a goroutine panicked", "err", panicked) },
		func() { log.Warn("a tool failed", "why", panicked.Error()) },
	} {
		b.Reset()
		report()
		if !strings.Contains(b.String(), "index out of range") || !strings.Contains(b.String(), "session=s1") {
			t.Errorf("printed %q of a panic", b.String())
		}
	}
}
