package follow

import "github.com/sidestick-dev/sidestick/internal/timeline"

// Outcome is the result of a run so far.
type Outcome struct {
	Idle    bool // the run has ended
	Aborted bool // aborted before it was done; set with Idle
	// Failure is the last error of the run, nil if there was none.
	Failure *Failure
	// Exhausted is the text of the warning that the run ended because its budget was used
	// up, "" if there was none.
	Exhausted string
	// Turns counts the model calls of the main agent.
	Turns int
	// Answers counts the model calls that were answered, those of sub-agents too.
	Answers int
	// TokensIn and TokensOut are the tokens of all model calls that the provider counted.
	TokensIn, TokensOut int64
	// Cost is what the model calls have cost, in US dollars, without the Unpriced ones: those
	// whose price is not known.
	Cost     float64
	Unpriced int
}

// Failure is a session.error.
type Failure struct {
	Type, Message string // "" if the event has none
}

// BudgetExhausted is the type of the warning that a run has ended because its budget is
// used up.
const BudgetExhausted = "budget_exhausted"

// FailureOf is the failure of a run of the main agent that an event reports.
func FailureOf(e Event) (f Failure, ok bool) {
	if e.Type != "session.error" || e.AgentID != "" {
		return f, false
	}
	return Failure{Type: e.Get("errorType").Text(), Message: e.Get("message").Text()}, true
}

func (o *Outcome) learn(e Event) {
	if e.Type == "assistant.usage" { // the tokens of sub-agents count too
		o.Answers++
		in, out := timeline.Tokens(e.Event)
		o.TokensIn, o.TokensOut = o.TokensIn+in, o.TokensOut+out
		if cost, ok := timeline.Cost(e.Event); ok {
			o.Cost += cost
		} else {
			o.Unpriced++
		}
	}
	if e.AgentID != "" {
		return
	}
	if f, ok := FailureOf(e); ok {
		o.Failure = &f
	}
	switch e.Type {
	case "assistant.turn_start":
		o.Turns++
	case "session.warning":
		if e.Get("warningType").Text() == BudgetExhausted {
			o.Exhausted = e.Get("message").Text()
		}
	case "session.idle":
		o.Idle, o.Aborted = true, e.Get("aborted").True()
	}
}
