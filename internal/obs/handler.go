package obs

import (
	"context"
	"encoding"
	"fmt"
	"log/slog"
)

// Redact returns a handler that removes secrets from records and passes them on to next:
//
//   - A text whose key names a secret (see NamesSecret) becomes [Redacted]; so does every text in a group with such a name. Numbers,
//     booleans and times stay: "inputTokens" is a count.
//   - Known secrets are replaced in messages, in texts, and in other values that contain
//     one when printed, such as errors; such a value becomes a text.
//
// Attributes given to With are redacted immediately, with the secrets that r knows then.
func Redact(next slog.Handler, r *Redactor) slog.Handler {
	return &redacting{next: next, redactor: r}
}

type redacting struct {
	next     slog.Handler
	redactor *Redactor
	blank    bool // inside a group with the name of a secret
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
	return &redacting{next: h.next.WithGroup(name), redactor: h.redactor, blank: h.blank || NamesSecret(name)}
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
	inside := redacting{redactor: h.redactor, blank: h.blank || NamesSecret(key)}
	return slog.GroupValue(inside.attrs(value.Group())...)
}

// text returns the value unchanged if it holds no secret.
func (h *redacting) text(key string, value slog.Value) slog.Value {
	if h.blank || NamesSecret(key) {
		return slog.StringValue(Redacted)
	}
	shown := textOf(value.Any())
	if clean := h.redactor.Redact(shown); clean != shown {
		return slog.StringValue(clean)
	}
	return value
}

// textOf returns v as [slog.TextHandler] would print it.
func textOf(v any) (text string) {
	defer func() {
		if recover() != nil { // MarshalText of a nil pointer, which fmt can print
			text = fmt.Sprintf("%+v", v)
		}
	}()
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case encoding.TextMarshaler:
		b, _ := v.MarshalText() // slog prints the error itself
		return string(b)
	}
	return fmt.Sprintf("%+v", v)
}
