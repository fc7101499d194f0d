package wiring

import (
	"context"
	"log/slog"
	"strings"
)

// onlyPanics passes on log records of panics, which are mistakes of this program: those that
// have an attribute "panic" or "stack", or one whose text has a stack. All other problems
// reach the user at a terminal as events, or as the error of the command.
type onlyPanics struct{ slog.Handler }

// OnlyPanics passes on log records of panics alone, for commands at a terminal: [Adjust.Log].
func OnlyPanics(h slog.Handler) slog.Handler { return onlyPanics{h} }

// Handle implements [slog.Handler].
func (h onlyPanics) Handle(ctx context.Context, r slog.Record) error {
	panicked := false
	r.Attrs(func(a slog.Attr) bool {
		panicked = a.Key == "panic" || a.Key == "stack" || strings.Contains(a.Value.String(), "\ngoroutine ")
		return !panicked
	})
	if !panicked {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h onlyPanics) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onlyPanics{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h onlyPanics) WithGroup(name string) slog.Handler { return onlyPanics{h.Handler.WithGroup(name)} }
