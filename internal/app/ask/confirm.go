package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Confirm asks for the confirmation that an agent wants. host is the host of the agent,
// "" if it is not known. Errors are those of [Asker.Permission], and a [TypedMessageError].
func (a *Asker) Confirm(ctx context.Context, host, title, message string) (permit.Answer, error) {
	answer, err := a.inLetters(ctx, question.OfConfirmation("", host, title, message), "confirm? › ")
	return answer.Permit, err
}

// inLetters asks a question whose answers are shown in one row, or with numbers if that is how the user answers.
func (a *Asker) inLetters(ctx context.Context, q *question.Question, prompt string) (question.Answer, error) {
	a.Discard()
	width, rows := a.Size()
	d := a.details(append(a.heading(q), a.layout(q, 1, false).rows...), width, rows)
	_, _ = io.WriteString(a, d.preview())
	options := func() { a.numbers(q, "", d.long()) }
	if !a.Numbered {
		options = func() {
			_, _ = io.WriteString(a, strings.Join(timeline.Wrap(letters(q, d.long()), width), "\n")+"\n")
		}
	}
	return a.answer(ctx, asking{q: q, d: d, options: options, prompt: prompt})
}

// letters is the answers of a question in one row. more adds the answer that shows all of it.
func letters(q *question.Question, more bool) string {
	options := ""
	for i, o := range q.Options {
		if i > 0 {
			options += "  "
		}
		options += "[" + o.Key + "] " + o.Text
	}
	if more {
		options += "  [v] view all of it"
	}
	return options
}
