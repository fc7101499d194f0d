package turn

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// How many answers in a row may be incomplete before a run ends. An empty answer is asked for once
// more, because that often helps. An answer that the provider has paused goes on. After a call that
// was cut off at a limit, the model can make a shorter one.
const (
	maxEmpty  = 1
	maxPaused = 8
	maxCut    = 3
	maxRepeat = 1 // in a run, not in a row: a model that fell into a loop twice does so again
)

// inARow counts the incomplete answers since the last complete one. The zero value has none.
type inARow struct {
	empty, paused, cut int
	same               sameRounds
	repeated           int    // answers of the run that repeated themselves
	incomplete         string // why the last answer is not complete, "" if it is
}

// then says how a run continues after an answer without calls that has ended so.
func (r *inARow) then(f model.Finish) next {
	switch f {
	case model.FinishEmpty:
		if r.empty++; r.empty <= maxEmpty {
			return more
		}
	case model.FinishPaused:
		if r.paused++; r.paused <= maxPaused {
			return more
		}
	case model.FinishRepetition:
		if r.repeated++; r.repeated <= maxRepeat {
			return more
		}
		return end // also in autopilot
	}
	return stop
}

// afterCalls is then for an answer with calls, whose results the model reads next.
func (r *inARow) afterCalls(f model.Finish) next {
	switch {
	case f.Complete():
		return more
	case f.Blocked():
		return end
	case f == model.FinishRepetition:
		if r.repeated++; r.repeated > maxRepeat {
			return end
		}
		return more
	}
	if r.cut++; r.cut >= maxCut {
		return end
	}
	return more
}

// answered notes how an answer has ended.
func (r *inARow) answered(resp *model.Response) {
	r.incomplete = resp.Incomplete()
	if r.incomplete == "" {
		*r = inARow{repeated: r.repeated, same: r.same}
	}
}

// finished adds to a message how it ended, if it is not complete.
func (t *turn) finished(message wire.Data, resp *model.Response) wire.Data {
	t.row.answered(resp)
	if resp.FinishReason.Complete() {
		return message
	}
	return wire.WithJSON(message, wire.FieldFinish, resp.FinishReason)
}

// incomplete warns of an answer that is not complete, and says what can be done; nil if it is.
func (t *turn) incomplete(resp *model.Response) wire.Data {
	text := resp.Incomplete()
	if text == "" {
		return nil
	}
	if t.prompt.Request.Format != nil {
		text += " It is not the JSON that was asked for."
	}
	return wire.WithJSON(&wire.SessionWarning{WarningType: wire.WarningIncomplete, Message: text + " " + t.remedy(resp)}, wire.FieldFinish, resp.FinishReason)
}

// remedy says what happens next, or what the user can do.
func (t *turn) remedy(resp *model.Response) string {
	f, calls := resp.FinishReason, len(resp.ToolCalls) > 0
	switch {
	case f.Blocked() && calls:
		return "Its tool calls were not run. Ask in another way, or use another model."
	case f.Blocked():
		return "Go back to before the question and ask in another way, or use another model."
	case f == model.FinishRepetition && t.row.repeated < maxRepeat:
		return "The model is told so, and goes on once."
	case f == model.FinishRepetition:
		return "The run ends, because that happened before. Ask in another way, or use another model. If the repetition was wanted, set repeatedAnswers to off."
	case calls && t.row.cut+1 < maxCut:
		return "A call that is not whole is not run, and the model is told so."
	case calls:
		return "The run ends, because that happened again and again. Ask for smaller steps."
	case f == model.FinishEmpty && t.row.empty < maxEmpty, f == model.FinishPaused && t.row.paused < maxPaused:
		return "The model is asked once more."
	case f == model.FinishLength:
		return "Ask it to continue, ask for less, or raise the limit (outputTokens of the model in models.json, maxOutputTokens of a program)."
	case f == model.FinishWindow:
		return "Compact the conversation and ask it to continue, or use a model with a larger context window."
	}
	return "Ask it to continue, or ask again."
}

// Unfit returns the result of a call that must not be made, because its answer ended for the
// reason f: a call of an answer that was blocked, and the last call of one that was cut off, if its
// arguments are not whole. It returns nil for other calls.
func Unfit(f model.Finish, c model.ToolCall, last bool) *tool.Result {
	var object map[string]json.RawMessage
	switch {
	case f.Complete():
		return nil
	case f.Blocked():
		return &tool.Result{Outcome: tool.Failure, Text: "Not run: the answer that made this call was stopped before it was complete."}
	case !last || json.Unmarshal([]byte(c.Arguments), &object) == nil && object != nil:
		return nil
	}
	text := "Not run: your answer ended before the arguments of this call were complete."
	switch f {
	case model.FinishLength:
		text = "Not run: your answer reached its token limit before the arguments of this call were complete. Make the call again with less in it, in several steps if needed: for example, write a long file in parts."
	case model.FinishRepetition:
		text = "Not run: the arguments of this call were repeating themselves, and your answer was stopped. Make the call again with less in it, or in another way."
	case model.FinishWindow:
		text = "Not run: the context window was full before the arguments of this call were complete. Make a shorter call."
	}
	return &tool.Result{Outcome: tool.Failure, Text: text}
}
