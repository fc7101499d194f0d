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

// The modes that this package acts on.
const (
	modeInteractive = "interactive"
	modePlan        = "plan"
	modeAutopilot   = "autopilot"
)

// maxBlocks is how many times in a row hooks may keep an agent from stopping: a hook
// that always blocks would never let the run end.
const maxBlocks = 10

// defaultNudges is how many times a run in autopilot asks the model to continue.
// Source: what the reference runtime was seen to do.
const defaultNudges = 5

// nudge is what the model reads when it stops in autopilot without having reported that
// the task is done.
const nudge = "You are in autopilot mode and have not called task_complete. If part of the task is left, continue with it now. " +
	"If all of it is done and checked, or cannot be done, call task_complete and say so in its summary."

// Stopping implements [turn.Host]: hooks may have the agent continue, and in autopilot
// the agent continues until it calls task_complete. A Copilot Extensions agent is never
// asked to continue: the user decides what to send to it.
func (t *thread) Stopping(ctx context.Context) (again bool, err error) {
	switch {
	case t.endpoint.IsExtension():
		return false, nil // it is done when it sends nothing more
	case t.sub != nil:
		return t.sub.Continues(ctx), nil
	}
	if reason := t.blocked(ctx); reason != "" {
		return true, t.Record(queue.Aside(state.SourceHook, reason))
	}
	if t.mode() != modeAutopilot || t.s.agents.WaitedFor(ctx) || ctx.Err() != nil {
		return false, nil
	}
	if on := t.autopilot.Continues; on != nil && !*on {
		return false, nil // the client sees to it
	}
	most := int64(t.s.home.nudges())
	if t.autopilot.MaxContinues != nil {
		most = *t.autopilot.MaxContinues
	}
	if int64(t.nudges) >= most {
		return false, t.Record(turn.Unreported(t.nudges))
	}
	t.nudges++
	t.Emit(&wire.AssistantIdle{})
	yes, mode, source := true, wire.AgentMode(modeAutopilot), state.SourceAutopilot
	return true, t.Record(&wire.UserMessage{Content: nudge, IsAutopilotContinuation: &yes, AgentMode: &mode, Source: &source})
}

// blocked returns why agentStop hooks want the agent to continue, "" if it may stop.
func (t *thread) blocked(ctx context.Context) (reason string) {
	if t.blocks >= maxBlocks {
		return ""
	}
	reason = t.s.hooks.Stop(ctx, t.s.storage.path("events.jsonl"), t.blocks > 0)
	if reason != "" {
		t.blocks++
	}
	return reason
}

func (h *Home) nudges() int {
	if h.Nudges == 0 {
		return defaultNudges
	}
	return max(h.Nudges, 0)
}

// mode is the agent mode of the run: that of its message, else the session's.
func (t *thread) mode() string {
	mode := modeInteractive
	_ = t.s.log.Post(context.Background(), func() error { mode = t.s.log.State().ModeNow(); return nil })
	return mode
}

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
