package follow

import (
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Outcome is the result of a run so far.
type Outcome struct {
	Idle    bool // the run has ended
	Aborted bool // aborted before it was done; set with Idle
	// Failure is the last error of the run, nil if there was none.
	Failure *Failure
	// Dropped says that the message of the run was dropped before the model got it, as by a hook. The Failure says why.
	Dropped bool
	// Exhausted is the text of the warning that the run ended because its budget was used
	// up, "" if there was none.
	Exhausted string
	// Finish is why the last answer of the main agent is not complete, as in [wire.FieldFinish], ""
	// if it is complete; Incomplete is the text of the warning about it. If the answer was withheld,
	// there is a Failure and no Incomplete.
	Finish, Incomplete string
	// Unreported is the text of the warning that a run in autopilot has ended without a report that the task is done,
	// "" if there was none.
	Unreported string
	// Turns counts the model calls of the main agent.
	Turns int
	// Answers counts the model calls that were answered, those of sub-agents too.
	Answers int
	// TokensIn and TokensOut are the tokens of all model calls that the provider counted.
	TokensIn, TokensOut int64
	// CacheRead and CacheWritten are those of TokensIn that providers have taken from their caches, and written to
	// them.
	CacheRead, CacheWritten int64
	// Cost is what the model calls have cost, in US dollars, without the Unpriced ones: those
	// whose price is not known.
	Cost     float64
	Unpriced int
}

// Failure is a session.error, or why a message was dropped: then its type is that of the event that says so.
type Failure struct {
	Type, Message string // "" if the event has none
}

// withheld is the finish reason of an answer of which nothing is left, by the event of the failure;
// "" for other failures.
func withheld(e Event) string {
	switch {
	case e.Get("errorType").Text() != wire.ContentFilter:
		return ""
	case e.Get("errorCode").Text() == wire.FinishRefusal:
		return wire.FinishRefusal
	}
	return wire.ContentFilter
}

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
		read, written := timeline.CachedTokens(e.Event)
		o.CacheRead, o.CacheWritten = o.CacheRead+read, o.CacheWritten+written
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
		o.Finish, o.Incomplete = withheld(e), ""
	}
	switch e.Type {
	case "assistant.turn_start":
		o.Turns++
	case "session.warning":
		switch e.Get("warningType").Text() {
		case wire.WarningPolicyBlocked:
			if o.Dropped { // the warning has the reason of the hook
				o.Failure = &Failure{Type: wire.WarningPolicyBlocked, Message: e.Get("message").Text()}
			}
		case wire.WarningBudget:
			o.Exhausted = e.Get("message").Text()
		case wire.WarningUnreported:
			o.Unreported = e.Get("message").Text()
		case wire.WarningIncomplete:
			o.Incomplete = e.Get("message").Text()
		case wire.WarningRepeatedCalls:
			if o.Finish = e.Get(wire.FieldFinish).Text(); o.Finish != "" {
				o.Incomplete = e.Get("message").Text()
			}
		}
	case "assistant.message":
		o.Finish, o.Incomplete = e.Get(wire.FieldFinish).Text(), ""
	case "session.idle":
		o.Idle, o.Aborted = true, e.Get("aborted").True()
	}
}
