// Package turn is the loop: call the model, run the tools that it calls, call the model
// again, until it calls none.
//
// One call of [Run] is one run of a session: everything from a user's message
// to the answer. Each iteration is one turn, and one turn is exactly one model
// call, bracketed by assistant.turn_start and assistant.turn_end; there are no
// hidden calls, so counting the brackets counts the calls.
//
//	assistant.turn_start
//	  deltas (ephemeral, when the session streams)
//	assistant.reasoning, assistant.message
//	assistant.usage, session.usage_info (ephemeral)
//	assistant.intent (ephemeral), if the model says what it is about to do
//	  hooks see each tool call, in order
//	  for each tool call, side by side:
//	  permission.requested, permission.completed   if the user must be asked
//	  tool.execution_start                         on disk before the tool acts
//	  tool.execution_complete
//	assistant.turn_end
//
// The package keeps no state between turns. Before each turn the [Host], which is the
// session, says what the model reads; what happens goes back to it as events. Text that
// streamed and was then cut off by an abort is recorded by the host with the abort; of an answer that
// a failure has cut off, nothing is recorded. Such an answer is asked for again in the same turn
// ([model.Request.OnBroken]), after assistant.turn_retry.
//
// Run never panics and never returns early: each call that was started has been
// completed, and each bracket closed, when it returns. A panic of the host or of a tool
// fails the call that it happened in or, outside of calls, the run.
package turn

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Host is the session, as a run needs it. Its methods are called from several
// goroutines at once while tools run.
type Host interface {
	// Prompt returns what the next turn sends. Messages that the user sent to
	// steer the run are part of it from then on. It is called once before each
	// turn.
	Prompt(ctx context.Context) (Prompt, error)
	// Begin records the start of a turn and returns its number in the session, from 0.
	// The number comes from here and not with the prompt, because other turns, of calls
	// for summaries, may have begun in between.
	Begin(model string) (turnID string, err error)
	// Record appends events, in order, and returns when they are stored. It
	// works after ctx of the run has ended.
	Record(events ...wire.Data) error
	// Emit sends clients an event that is not kept.
	Emit(wire.Data)
	// Delta sends clients a piece of an answer. name is the tool's, on the first piece
	// of a tool call.
	Delta(t wire.EventType, key, text, name string)
	// Progress reports how many bytes of the answer have arrived. The host passes some
	// of these reports on, and always the last of an answer.
	Progress(bytes int64, last bool)
	// Used reports what a call cost and how many bytes its request had.
	Used(u Usage)
	// Ask decides whether a call may do what q says. It asks the user if no rule decides.
	Ask(ctx context.Context, q *permit.Request, c *tool.Call) tool.Permission
	// Before lets hooks see a call before it is checked, whether or not its tool exists.
	// It is called for one call after the other, in their order.
	Before(ctx context.Context, c tool.Call) Hooked
	// After lets hooks see the result of a call, made or not, and returns the result
	// that the model reads.
	After(ctx context.Context, c tool.Call, res tool.Result) tool.Result
	// Repeats is called when the model has made the same calls with the same results in a row: once to tell it so, and
	// then, with Last, to ask whether the run goes on. It reports whether the run does.
	Repeats(ctx context.Context, r Repeated) (again bool, err error)
	// Stopping is called when the model calls no more tools. It reports whether the run
	// continues; the reason is then part of the conversation.
	Stopping(ctx context.Context) (again bool, err error)
	// CallFailed reports why a tool's own code failed, in words that the model does not
	// see.
	CallFailed(c tool.Call, why string)
}

// Hooked is the decision of hooks on a call. The zero value changes nothing.
type Hooked struct {
	// Arguments replace those of the model, in the conversation too; nil keeps them.
	Arguments json.RawMessage
	// Refused is the result of a call that is not to be made.
	Refused *tool.Result
	// Permission is "allow" to make the call without asking, "ask" to ask in any case.
	Permission string
}

// Model makes one model call.
type Model interface {
	Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error)
}

// Prompt has the request of one turn, and the tools for its calls.
type Prompt struct {
	// Stop ends the run before the model is called, and is the reason, such as a budget
	// that is used up; nil to go on.
	Stop error
	// AgentID is the sub-agent whose turn it is; "" is the main agent. Its tool calls
	// carry it.
	AgentID string
	// TurnID is the turn that Unfinished belongs to; a new turn gets its own from
	// [Host.Begin].
	TurnID string
	// MessageID is the message that the run answers; "" if there is none.
	MessageID string
	// Source is where the model is.
	Source Source
	// Request is complete, the system message included.
	Request model.Request
	// Waiting, if set, is told what the model call waits for, and how many tokens its prompt has, as an
	// estimate. It is called as [model.Request.OnWaiting] is.
	Waiting func(tokens int64, w model.Waiting)
	// WatchCalls has the run end if the model makes the same calls with the same results again and again.
	WatchCalls bool
	// Whole means that clients get no pieces of the answer, only all of it. The provider is asked
	// for a stream all the same, because a long answer that does not stream runs into the limits
	// on silence of everything in between.
	Whole bool
	// Tools are the tools that the model can call, by name: those that the request offers, and those that are deferred.
	Tools map[string]Offer
	// Similar returns names of deferred tools close to a name that no tool has; nil: there are none.
	Similar func(name string) []string
	// ContextTokens is the size of the model's context window, 0 if it has none, and ContextSource where
	// that is known from, in words.
	ContextTokens int64
	ContextSource string
	// BytesPerToken estimates tokens where the provider does not count them.
	BytesPerToken float64
	// Taped runs a tool through a recording of calls; nil runs it.
	Taped func(d tool.Definition, c tool.Call, run func() tool.Result) tool.Result
	// Unfinished are calls that an earlier run left open and that are to be
	// finished first; the turn they belong to is TurnID. Empty for a new turn.
	Unfinished []Unfinished
}

// Source describes where a model is, for the report of a call. The zero value is not known.
type Source struct {
	// API is the path of the protocol that it speaks.
	API wire.APIEndpoint
	// Own means that it is not the Copilot API, but a provider that the user has chosen.
	Own bool
	// Type is [wire.UsageMore.ProviderType], and DisplayName the name of the model for users, "" if it has none.
	Type, DisplayName string
	// Multiplier is what a call costs at the Copilot API; nil if that is not known.
	Multiplier *float64
}

// Offer is a tool with its compiled schema.
type Offer struct {
	Tool   tool.Tool
	Schema *tool.Schema
	// Deferred means that the request does not have the tool. A call of it is made all the same, and the next
	// request has it.
	Deferred bool
}

// Unfinished is a tool call without a result, from before a resume.
type Unfinished struct {
	Call model.ToolCall
	// Started calls may have acted; they are not run again.
	Started bool
	// Tool continues a call that waits for a client: for the answer to its permission
	// request or, if it was started, for its result. nil for a call that does not wait.
	Tool tool.Tool
	// Unfit is the result of a call that is not made, because its answer ended too early; nil for
	// others.
	Unfit *tool.Result
}

// Usage is the cost of one model call.
type Usage struct {
	Model        string
	Tokens       model.Usage
	RequestBytes int64 // as [Prompt.Bytes] counts them
	AnswerBytes  int64
	Milliseconds int64
	// Context is how full the context window was; nil if that is not known.
	Context *wire.SessionUsageInfo
	// Lost is set if the call gave no complete answer but may have cost tokens.
	Lost bool
}

// Outcome is how a run ended. The zero value is the good end.
type Outcome struct {
	// Err is the reason why the run failed; it becomes session.error.
	Err error
	// Aborted runs were stopped by ctx.
	Aborted bool
	// Stopped is [Prompt.Stop], if that ended the run.
	Stopped error
	// Incomplete says why the last answer of a run without Err is not complete, a sentence; "" if
	// it is complete.
	Incomplete string
}

// Run loops until the model calls no more tools, the user or a tool ends the run, a model
// call fails, or ctx ends.
func Run(ctx context.Context, h Host, m Model) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{Err: fault.Panicked("turn.Run", p)}
		}
	}()
	var row inARow
	for {
		t, err := prompted(ctx, h, &row)
		then := end
		if err == nil && t.prompt.Stop == nil {
			then, err = t.once(ctx, m)
		}
		if err == nil && then == stop && ctx.Err() == nil {
			var again bool
			if again, err = h.Stopping(ctx); again {
				then = more
			}
		}
		switch {
		case ctx.Err() != nil:
			return Outcome{Aborted: true}
		case err != nil:
			return Outcome{Err: err}
		case then != more:
			return Outcome{Stopped: t.prompt.Stop, Incomplete: row.incomplete}
		}
	}
}

// next says how a run continues after a turn.
type next uint8

const (
	stop next = iota // the model calls no more tools
	more             // call the model again
	end              // the user or a tool has ended the run
)

// prompted returns the next turn, which has not begun. A prompt is large: it is nowhere on the stack
// while the turn waits.
//
//go:noinline
func prompted(ctx context.Context, h Host, row *inARow) (*turn, error) {
	p, err := h.Prompt(ctx)
	return &turn{host: h, prompt: p, row: row, ended: len(p.Unfinished) == 0}, err // a turn with such calls has begun before
}

// once runs one turn, and closes it in every case.
func (t *turn) once(ctx context.Context, m Model) (then next, err error) {
	defer func() {
		if p := recover(); p != nil {
			then, err = end, errors.Join(fault.Panicked("turn.Run", p), t.end())
		}
	}()
	if len(t.prompt.Unfinished) > 0 { // whose first calls are not known
		t.row.same = sameRounds{}
		return t.act(ctx, t.prompt.Unfinished)
	}
	if t.prompt.TurnID, err = t.host.Begin(t.prompt.Request.Model); err != nil {
		return end, err
	}
	t.ended = false
	resp, err := t.ask(ctx, m)
	if err != nil {
		return end, errors.Join(err, t.end())
	}
	if len(resp.ToolCalls) == 0 {
		t.row.same = sameRounds{}
		return t.row.then(resp.FinishReason), t.end()
	}
	calls := make([]Unfinished, len(resp.ToolCalls))
	for i, c := range resp.ToolCalls {
		calls[i] = Unfinished{Call: c, Unfit: Unfit(resp.FinishReason, c, i == len(calls)-1)}
	}
	if then, err = t.act(ctx, calls); then == more {
		then = t.row.afterCalls(resp.FinishReason)
	}
	if then != more || err != nil {
		return then, err
	}
	return t.repeats(ctx)
}

// turn is one model call and the tool calls that it causes.
type turn struct {
	host   Host
	prompt Prompt
	row    *inARow
	round  round // its calls that have ended
	ended  bool  // assistant.turn_end is recorded, or there was no start

	received atomic.Int64 // bytes of the answer
}

// act runs the calls of a message and closes the turn.
func (t *turn) act(ctx context.Context, calls []Unfinished) (then next, err error) {
	ended, err := t.runAll(ctx, calls)
	if then = more; ended {
		then = end
	}
	return then, errors.Join(err, t.end())
}

// end records the end of the turn, if that has not happened.
func (t *turn) end() error {
	if t.ended {
		return nil
	}
	t.ended = true
	return t.host.Record(t.ending())
}

func (t *turn) ending() *wire.AssistantTurnEnd {
	return &wire.AssistantTurnEnd{TurnID: t.prompt.TurnID, Model: wire.Optional(t.prompt.Request.Model)}
}
