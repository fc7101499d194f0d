package session

import (
	"context"
	"errors"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The choices of the question whether a run goes on that repeats its calls.
const (
	choiceStop = "Stop"
	choiceGoOn = "Go on"
)

// Repeats implements [turn.Host]: the model is told once that it repeats its calls; then the user decides whether the run
// goes on. Where nobody can be asked, the run ends. So does that of a sub-agent, whose asker then reads why.
func (t *thread) Repeats(ctx context.Context, r turn.Repeated) (again bool, err error) {
	if !r.Last {
		return true, t.Record(
			&wire.SessionWarning{WarningType: wire.WarningRepeatedCalls, Message: r.Sentence() + " It is told so."},
			queue.Aside(state.SourceRepeats, r.Told()),
		)
	}
	choice, err := t.askAboutRepeats(ctx, r)
	text := r.Sentence() + " The run ends, because "
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case choice == choiceGoOn:
		return true, nil
	case choice == choiceStop:
		text += "you have chosen that."
	case err != nil && !errors.Is(err, tool.ErrNobody):
		t.s.log.Logger().Warn("the user could not be asked whether a run goes on that repeats its calls", "err", err)
		text += "asking you whether it goes on has failed: " + fault.Bounded(strings.TrimSuffix(err.Error(), ".")) + "." + wanted
	default:
		text += "nobody could be asked whether it goes on." + wanted
	}
	warning := &wire.SessionWarning{WarningType: wire.WarningRepeatedCalls, Message: text}
	return false, t.Record(wire.WithJSON(warning, wire.FieldFinish, wire.FinishRepeatedCalls))
}

// wanted is what a warning says to those who were not asked.
const wanted = " If these calls were wanted, set repeatedCalls to off."

// askAboutRepeats asks the user whether the run goes on, and returns the choice. It is "" with the error if that has
// failed, and without one if the user is not to be asked: not by a sub-agent, not in autopilot, which goes on without
// the user, and not where the client wants no questions.
func (t *thread) askAboutRepeats(ctx context.Context, r turn.Repeated) (choice string, err error) {
	if t.sub != nil || t.mode() == modeAutopilot {
		return "", nil
	}
	asks, err := mailbox.Ask(ctx, t.s.log.Post, func() (bool, error) { return !t.s.config.noQuestions, nil })
	if err != nil || !asks {
		return "", err
	}
	q := tool.Question{Text: r.Sentence() + " Should it go on?", Choices: []string{choiceStop, choiceGoOn}}
	a, err := t.s.questions.AskUser(ctx, tool.Call{ID: r.CallID}, q)
	if err != nil {
		return "", err
	}
	return a.Text, nil
}
