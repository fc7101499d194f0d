package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// ForeignLog asks whether what the log of a session from elsewhere names takes effect. A yes counts only after
// all of it was shown. Errors are those of [terminal.TTY.ReadLine].
func (a *Asker) ForeignLog(ctx context.Context, w question.Wishes) (yes bool, err error) {
	a.Discard()
	width, rows := a.Size()
	q := question.OfForeignLog(w)
	d := a.details(append(a.heading(q), a.layout(q, 1, false).rows...), width, rows)
	_, _ = io.WriteString(a, d.preview())
	options := func() { a.numbers(q, "", d.long()) }
	if !a.Numbered {
		options = func() {
			_, _ = io.WriteString(a, strings.Join(timeline.Wrap(letters(q, d.long()), width), "\n")+"\n")
		}
	}
	answer, err := a.answer(ctx, asking{q: q, d: d, options: options, prompt: "use it? › "})
	return err == nil && answer.Permit.Outcome == permit.Approved, err
}
