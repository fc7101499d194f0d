package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// types lists event types, one a line, ephemeral ones indented.
func types(events []wire.Event) string {
	var b strings.Builder
	for _, e := range events {
		if e.Ephemeral {
			b.WriteString("  ")
		}
		b.WriteString(string(e.Type) + "\n")
	}
	return b.String()
}

// field returns a field of an event's data, by its path, as text.
func field(e wire.Event, path ...string) string {
	var v any
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return ""
	}
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// count counts the events of a type.
func count(events []wire.Event, t wire.EventType) (n int) {
	for _, e := range events {
		if e.Type == t {
			n++
		}
	}
	return n
}

// last returns the last event of a type.
func last(t *testing.T, events []wire.Event, kind wire.EventType) wire.Event {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == kind {
			return events[i]
		}
	}
	t.Fatalf("no %s in:\n%s", kind, types(events))
	return wire.Event{}
}
