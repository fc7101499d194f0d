// Package turn is the loop: ask the model, run the tools it wants, ask again,
// until it wants none.
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
//	  for each tool call, side by side:
//	  permission.requested, permission.completed   if a person must be asked
//	  tool.execution_start                         on disk before the tool acts
//	  tool.execution_complete
//	assistant.turn_end
//
// The package keeps no state between turns. What the model is to see comes from
// the [Host], which is the session, before each turn; what happens goes back to
// it as events. Text that streamed and was then cut off is not recorded: the
// next request sees a conversation in which the turn never answered.
//
// Run never panics and never returns early: each call that was started has been
// completed, and each bracket closed, when it returns.
package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

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
	// Record appends events, in order, and returns when they are stored. It
	// works after ctx of the run has ended.
	Record(events ...wire.Data) error
	// Emit tells who is listening; nothing is kept.
	Emit(wire.Data)
	// Delta tells who is listening of a piece of an answer. name is the tool's,
	// on the first piece of a tool call.
	Delta(t wire.EventType, key, text, name string)
	// Progress tells how many bytes of the answer have arrived. The host thins it
	// out, all but the last of an answer.
	Progress(bytes int64, last bool)
	// Used reports what a call cost and how many bytes its request had.
	Used(u Usage)
	// Ask decides whether a call may do what q says, asking a person if no rule does.
	Ask(ctx context.Context, q permit.Request, c tool.Call) permit.Answer
	// CallFailed is told why a tool's own code failed, in words the model does
	// not see.
	CallFailed(c tool.Call, why string)
}

// Model makes one model call.
type Model interface {
	Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error)
}

// Prompt is what one turn sends, and with what it can answer tool calls.
type Prompt struct {
	// TurnID is the number of the turn in its session, from 0.
	TurnID string
	// Request is complete, the system message included.
	Request model.Request
	// Tools are the tools that the request offers, by name.
	Tools map[string]Offer
	// ContextTokens is the size of the model's context window.
	ContextTokens int64
	// BytesPerToken estimates tokens where the provider does not count them.
	BytesPerToken float64
	// Unfinished are calls that an earlier run left open and that are to be
	// finished first; the turn they belong to is TurnID. Empty for a new turn.
	Unfinished []Unfinished
}

// Offer is a tool with its compiled schema.
type Offer struct {
	Tool   tool.Tool
	Schema *tool.Schema
}

// Unfinished is a tool call without a result, from before a resume.
type Unfinished struct {
	Call model.ToolCall
	// Started calls may have acted; they are not run again.
	Started bool
	// Tool is how to go on with a call that waits for a client: for the answer to
	// its permission request, or, if it was started, for its result. nil for one
	// that does not wait.
	Tool tool.Tool
}

// Usage is what one model call cost.
type Usage struct {
	Model        string
	Tokens       model.Usage
	RequestBytes int64
	Milliseconds int64
}

// Outcome is how a run ended. The zero value is the good end.
type Outcome struct {
	// Err is why the run failed; it becomes session.error.
	Err error
	// Aborted runs were stopped by ctx.
	Aborted bool
}

// Run loops until the model asks for no more tools, a person or a tool ends the
// run, a model call fails, or ctx ends.
func Run(ctx context.Context, h Host, m Model) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.Err = fault.New(fault.Internal, "turn.Run", "", "panic: %v\n%s", p, debug.Stack())
		}
	}()
	for {
		more, err := once(ctx, h, m)
		switch {
		case ctx.Err() != nil:
			return Outcome{Aborted: true}
		case err != nil:
			return Outcome{Err: err}
		case !more:
			return Outcome{}
		}
	}
}

// once runs one turn and reports whether the model is to be asked again.
func once(ctx context.Context, h Host, m Model) (more bool, err error) {
	p, err := h.Prompt(ctx)
	if err != nil {
		return false, err
	}
	t := &turn{host: h, prompt: p}
	if len(p.Unfinished) > 0 {
		return t.finish(ctx)
	}
	if err := h.Record(&wire.AssistantTurnStart{TurnID: p.TurnID, Model: optional(p.Request.Model)}); err != nil {
		return false, err
	}
	resp, err := t.ask(ctx, m)
	if err != nil {
		return false, errors.Join(err, t.end())
	}
	return t.act(ctx, resp.ToolCalls)
}

// turn is one model call and what follows from it.
type turn struct {
	host   Host
	prompt Prompt
	ended  bool // assistant.turn_end is recorded
}

// act runs the calls of a message and closes the turn.
func (t *turn) act(ctx context.Context, calls []model.ToolCall) (more bool, err error) {
	pending := make([]Unfinished, len(calls))
	for i, c := range calls {
		pending[i].Call = c
	}
	stop, err := t.runAll(ctx, pending)
	return len(calls) > 0 && !stop, errors.Join(err, t.end())
}

// finish completes the calls that an earlier run left open.
func (t *turn) finish(ctx context.Context) (more bool, err error) {
	stop, err := t.runAll(ctx, t.prompt.Unfinished)
	return !stop, errors.Join(err, t.end())
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
	return &wire.AssistantTurnEnd{TurnID: t.prompt.TurnID, Model: optional(t.prompt.Request.Model)}
}

// optional returns a pointer to v, or nil if v is zero: how the SDK's types mark
// a field that is absent.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// panicked makes an error of what recover returned.
func panicked(op string, p any) error {
	return fault.New(fault.Internal, op, "", "%w", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}
