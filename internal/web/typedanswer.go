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

// deniedByMessage is the reason for which a permission is denied when the user writes a
// new message instead of deciding.
const deniedByMessage = "The user did not decide on this and wrote a new message instead."

// answerOpen applies a new message to the open questions: it denies open permissions,
// which ends their run, or answers the oldest question in words. It reports whether the
// message was an answer.
func (s *openSession) answerOpen(ctx context.Context, r *extension.Request, text string) (answered bool, err error) {
	denied := len(s.permissions) > 0
	for _, id := range append([]string{}, s.permissions...) {
		a := permit.Answer{Outcome: permit.Rejected, Feedback: deniedByMessage}
		if _, err := s.client.Session().Permissions().Answer(context.WithoutCancel(ctx), id, a); err != nil {
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
	if err := s.attachToAnswer(ctx, r); err != nil {
		return false, err
	}
	return s.client.Session().Questions().AnswerUserInput(context.WithoutCancel(ctx), q.id, q.typed(text))
}

// attachToAnswer sends the references of an answer to the run, because an answer itself
// is only text. They reach the model with its next call. References that an editor adds
// by itself are left out.
func (s *openSession) attachToAnswer(ctx context.Context, r *extension.Request) error {
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
