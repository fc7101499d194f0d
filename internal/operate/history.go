package operate

import (
	"context"
	"errors"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Recap reads where the conversation of a session stands.
func Recap(ctx context.Context, s *session.Session) (*timeline.Recap, error) {
	return timeline.ReadRecap(s.History().All(ctx))
}

// AnswerOf is the Answer of a [Desk] from the events of a session.
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
