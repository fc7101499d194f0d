package operate

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Recap reads where the conversation of a session stands.
func Recap(ctx context.Context, s *session.Session) (*timeline.Recap, error) {
	r := &timeline.Recap{}
	for line, err := range s.History().All(ctx) {
		if err != nil {
			return nil, err
		}
		if e, err := wire.ParseEvent(line); err == nil {
			r.Add(e)
		}
	}
	return r, nil
}

// Export writes a session in a format of [export.Formats], "" for the first.
func Export(ctx context.Context, s *session.Session, format string, out io.Writer) error {
	title, err := s.Settings().Name(ctx)
	if err != nil {
		return err
	}
	if format == "" {
		format = export.Formats[0]
	}
	return export.Write(out, format, title, s.History().All(ctx))
}

// Answer returns the text of the last answer but n-1 of the model, as the model wrote it: 1 is the
// last one. The text is raw: pass it through [timeline.Harmless] before printing. [fault.NotFound] if there are fewer.
func Answer(ctx context.Context, s *session.Session, n int) (string, error) {
	return AnswerOf(events(ctx, s), n)
}

// events yields the events of a session that are part of its history, from the first.
func events(ctx context.Context, s *session.Session) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for line, err := range s.History().All(ctx) {
			if err != nil {
				yield(wire.Event{}, err)
				return
			}
			if e, err := wire.ParseEvent(line); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

// AnswerOf is Answer for the events of a session.
func AnswerOf(events iter.Seq2[wire.Event, error], n int) (string, error) {
	if n < 1 {
		return "", fault.New(fault.Invalid, "copy", "", "%d is not an answer number; 1 is the last", n)
	}
	var texts []string
	for e, err := range events {
		if err != nil {
			return "", err
		}
		if e.Type != "assistant.message" || e.AgentID != "" {
			continue
		}
		if text := wire.Raw(e.Data).Get("content").Text(); text != "" {
			if texts = append(texts, text); len(texts) > n {
				texts = texts[1:]
			}
		}
	}
	if len(texts) < n {
		return "", &fault.Error{Op: "copy", Kind: fault.NotFound, Err: errors.New("there is no such answer yet")}
	}
	return texts[0], nil
}
