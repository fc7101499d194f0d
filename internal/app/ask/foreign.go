package ask

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
)

// ForeignLog asks whether what the log of a session from elsewhere names takes effect. A yes counts only after
// all of it was shown. Errors are those of [terminal.TTY.ReadLine].
func (a *Asker) ForeignLog(ctx context.Context, w question.Wishes) (yes bool, err error) {
	answer, err := a.inLetters(ctx, question.OfForeignLog(w), "use it? › ")
	return err == nil && answer.Permit.Outcome == permit.Approved, err
}
