package obs

import (
	"context"
	"encoding"
	"fmt"
	"log/slog"
)

// Redact returns a handler that passes on to next what may be shown:
//
//   - a text whose key contains token, key, authorization, secret or password,
//     in any case, is [Redacted]; so is every text in a group of such a name.
//     Numbers, booleans and times stay: "inputTokens" is a count;
//   - known secrets are blanked in messages, texts, and in whatever else prints
//     as text with one inside, such as errors; the latter becomes that text.
//
// Attributes given to With are redacted at that moment, by what r knows then.
func Redact(next slog.Handler, r *Redactor) slog.Handler {
	return &redacting{next: next, redactor: r}
}

type redacting struct {
	next     slog.Handler
	redactor *Redactor
	blank    bool // we are inside a group with a telling name
}

func (h *redacting) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *redacting) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.redactor.Redact(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		clean.AddAttrs(h.attr(attr))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &redacting{next: h.next.WithAttrs(h.attrs(attrs)), redactor: h.redactor, blank: h.blank}
}

func (h *redacting) WithGroup(name string) slog.Handler {
	return &redacting{next: h.next.WithGroup(name), redactor: h.redactor, blank: h.blank || isTelling(name)}
}

func (h *redacting) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, attr := range attrs {
		clean[i] = h.attr(attr)
	}
	return clean
}

func (h *redacting) attr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	switch value.Kind() {
	case slog.KindGroup:
		value = h.group(attr.Key, value)
	case slog.KindString, slog.KindAny:
		value = h.text(attr.Key, value)
	}
	return slog.Attr{Key: attr.Key, Value: value}
}

func (h *redacting) group(key string, value slog.Value) slog.Value {
	inside := redacting{redactor: h.redactor, blank: h.blank || isTelling(key)}
	return slog.GroupValue(inside.attrs(value.Group())...)
}

// text returns the value itself where there is nothing to hide in it.
func (h *redacting) text(key string, value slog.Value) slog.Value {
	if h.blank || isTelling(key) {
		return slog.StringValue(Redacted)
	}
	shown := textOf(value.Any())
	if clean := h.redactor.Redact(shown); clean != shown {
		return slog.StringValue(clean)
	}
	return value
}

// textOf is how [slog.TextHandler] would show v.
func textOf(v any) (text string) {
	defer func() {
		if recover() != nil { // a MarshalText on a nil pointer; fmt survives those
			text = fmt.Sprintf("%+v", v)
		}
	}()
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case encoding.TextMarshaler:
		b, _ := v.MarshalText() // its error is shown by slog, in place of a text
		return string(b)
	}
	return fmt.Sprintf("%+v", v)
}
