package session

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
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
			aside(state.SourceRepeats, toldOfRepeats(r)),
		)
	}
	text := r.Sentence() + " The run ends, because nobody could be asked whether it goes on."
	if asksAboutRepeats(ctx, t) {
		q := tool.Question{Text: r.Sentence() + " Should it go on?", Choices: []string{choiceStop, choiceGoOn}}
		switch a, err := t.s.questions.AskUser(ctx, tool.Call{ID: r.CallID}, q); {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case err == nil && a.Text == choiceGoOn:
			return true, nil
		case err == nil:
			text = r.Sentence() + " The run ends, because you have chosen that."
		}
	}
	text += " If these calls were wanted, set repeatedCalls to off."
	warning := &wire.SessionWarning{WarningType: wire.WarningRepeatedCalls, Message: text}
	return false, t.Record(wire.WithJSON(warning, wire.FieldFinish, wire.FinishRepeatedCalls))
}

// asksAboutRepeats reports whether the user is to be asked: not by a sub-agent, not in autopilot, which goes on without the user, and not where the client
// wants no questions.
func asksAboutRepeats(ctx context.Context, t *thread) bool {
	if t.sub != nil || t.mode() == modeAutopilot {
		return false
	}
	asks, err := mailbox.Ask(ctx, t.s.post, func() (bool, error) { return !t.s.config.noQuestions, nil })
	return asks && err == nil
}

// toldOfRepeats is what the model reads.
func toldOfRepeats(r turn.Repeated) string {
	what := "this call, and its result was"
	if len(r.Tools) > 1 {
		what = "these calls, and their results were"
	}
	return "<reminder>You have made " + what + " the same " + times(r.Times) + " in a row (" + strings.Join(r.Tools, ", ") +
		"). Another time will not change that. Do something else, or answer the user and say what is missing.</reminder>"
}
