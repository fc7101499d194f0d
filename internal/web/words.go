package web

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// wentOn is why a permission is denied that a person has not decided on.
const wentOn = "The user did not decide on this and wrote a new message instead."

// answerOpen gives what is open its answer: a question that of the text, and a
// permission none, which denies it and ends its run. It reports whether the text was
// an answer.
func (s *seat) answerOpen(ctx context.Context, r *extension.Request, text string) (answered bool, err error) {
	denied := len(s.permissions) > 0
	for _, id := range append([]string{}, s.permissions...) {
		a := permit.Answer{Outcome: permit.Rejected, Feedback: wentOn}
		if _, err := s.client.Session().AnswerPermission(context.WithoutCancel(ctx), id, a); err != nil {
			return false, err
		}
	}
	switch {
	case denied:
		return false, s.rest(ctx)
	case len(s.questions) == 0:
		return false, nil
	case strings.TrimSpace(text) == "":
		return false, errEmpty
	}
	q, err := s.await(ctx, s.questions[0].start)
	if errors.Is(err, errSettled) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.enclose(ctx, r); err != nil {
		return false, err
	}
	return s.client.Session().AnswerUserInput(context.WithoutCancel(ctx), q.id, q.typed(text))
}

// enclose gives the run what a person refers to in an answer, which is a text alone. It
// reaches the model with the next call. What an editor adds by itself is left out.
func (s *seat) enclose(ctx context.Context, r *extension.Request) error {
	stated := slices.DeleteFunc(references(r, false), func(ref extension.Reference) bool { return ref.Implicit })
	attached := attachments(stated)
	if len(attached) == 0 {
		return nil
	}
	_, err := s.client.Session().Send(context.WithoutCancel(ctx), wire.Send{
		Prompt: "What my answer refers to:", Attachments: encode(attached), Mode: "immediate",
	})
	return err
}

var errEmpty = refused("empty", "The last message has no text, so there is nothing to answer.")
