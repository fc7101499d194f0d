package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// runAll runs the calls of one message side by side and returns when all have
// their results recorded. Calls that cannot run are answered first, before any
// other acts, so that an abort right after the first start finds them done.
// stop says that the run is to end here: a person rejected a call, or a tool
// that ends runs succeeded. The first rejection interrupts the other calls.
func (t *turn) runAll(ctx context.Context, calls []Unfinished) (stop bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var ready []func() ending
	var all []ending
	for _, u := range calls {
		run, refused := t.prepare(ctx, u)
		if refused != nil {
			all = append(all, t.refuse(u, *refused))
			continue
		}
		ready = append(ready, run)
	}
	ended := make(chan ending, len(ready))
	var wg sync.WaitGroup
	for _, run := range ready {
		wg.Go(func() { ended <- run() })
	}
	for range ready {
		e := <-ended
		if e.outcome == tool.Rejected {
			cancel()
		}
		all = append(all, e)
	}
	wg.Wait()
	for _, e := range all {
		stop = stop || e.outcome == tool.Rejected || e.terminal && e.outcome == tool.Success
		if err == nil {
			err = e.err
		}
	}
	return stop, err
}

// ending is how one call ended; err is set if that could not be recorded.
type ending struct {
	outcome  tool.Outcome
	terminal bool
	err      error
}

// prepare returns how to run a call, or the result of one that cannot run.
func (t *turn) prepare(ctx context.Context, u Unfinished) (func() ending, *tool.Result) {
	switch {
	case u.Tool != nil: // its arguments were checked before it began to wait
		c := tool.Call{ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(u.Call.Arguments)}
		return func() ending { return t.run(ctx, u.Tool, c, u.Started) }, nil
	case u.Started:
		return nil, interrupted()
	}
	offer, ok := t.prompt.Tools[u.Call.Name]
	if !ok {
		return nil, &tool.Result{Outcome: tool.Failure, Text: t.unknown(u.Call.Name)}
	}
	args, err := offer.Schema.Arguments(u.Call.Arguments)
	if err != nil {
		return nil, &tool.Result{
			Outcome: tool.Failure,
			Text:    fmt.Sprintf("Tool '%s' was not run: %v. Call it again with arguments that fit.", u.Call.Name, err),
		}
	}
	c := tool.Call{ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(wire.RepairSurrogates(args))}
	return func() ending { return t.run(ctx, offer.Tool, c, false) }, nil
}

// run asks for permission, records the start, runs the tool, records its end.
func (t *turn) run(ctx context.Context, tl tool.Tool, c tool.Call, started bool) ending {
	d := tl.Definition()
	if !started {
		if refused := denial(ctx, t.host.Ask(ctx, d, c)); refused != nil {
			return t.complete(c, *refused, t.start(c))
		}
		if err := t.host.Record(t.start(c)); err != nil {
			return ending{outcome: tool.Interrupted, err: err}
		}
	}
	res := runTool(ctx, tl, c)
	if res.Outcome == tool.Failure && res.Error != "" {
		t.host.CallFailed(c, res.Error)
	}
	e := t.complete(c, res, nil)
	e.terminal = d.Terminal
	return e
}

// runTool runs a tool and turns a panic into a result.
func runTool(ctx context.Context, tl tool.Tool, c tool.Call) (res tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = tool.Result{Outcome: tool.Failure, Text: Crashed(c), Error: panicked("tool "+c.Name, p).Error()}
		}
	}()
	if ctx.Err() != nil {
		return *interrupted()
	}
	return tl.Run(ctx, c)
}

// denial returns the result of a call that was not allowed, nil if it was.
func denial(ctx context.Context, a permit.Answer) *tool.Result {
	switch {
	case ctx.Err() != nil, a.Outcome == permit.Canceled:
		return interrupted()
	case a.Outcome == permit.Approved:
		return nil
	case a.Outcome == permit.Rejected:
		text := "The user rejected this tool call."
		if a.Feedback != "" {
			text += " Their reason: " + a.Feedback
		}
		return &tool.Result{Outcome: tool.Rejected, Text: text}
	}
	return &tool.Result{Outcome: tool.Denied, Text: tool.TextNoPermission}
}

// refuse records a call that never ran, as started and completed at once.
func (t *turn) refuse(u Unfinished, res tool.Result) ending {
	c := tool.Call{ID: u.Call.ID, Name: u.Call.Name}
	if u.Started {
		return t.complete(c, res, nil)
	}
	start := t.start(c)
	start.Arguments = RawArguments(u.Call.Arguments)
	return t.complete(c, res, start)
}

func (t *turn) start(c tool.Call) *wire.ToolStart {
	return &wire.ToolStart{
		ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments,
		TurnID: optional(t.prompt.TurnID), Model: optional(t.prompt.Request.Model),
	}
}

// complete records the end of a call, and its start with it if that is not
// recorded yet. What the model reads stands in result.content on success and in
// error.message otherwise.
func (t *turn) complete(c tool.Call, res tool.Result, start *wire.ToolStart) ending {
	done := &wire.ToolComplete{
		ToolCallID: c.ID, Success: res.Outcome == tool.Success, ToolTelemetry: res.Telemetry,
		TurnID: optional(t.prompt.TurnID), Model: optional(t.prompt.Request.Model),
	}
	if done.Success {
		done.Result = &wire.ToolResult{Content: res.Text, DetailedContent: optional(res.Detail)}
	} else {
		code := string(res.Outcome)
		done.Error = &wire.ToolError{Message: res.Text, Code: &code}
	}
	events := []wire.Data{done}
	if start != nil {
		events = []wire.Data{start, done}
	}
	err := t.host.Record(events...)
	if fault.KindOf(err) == fault.Invalid && err != nil && res.Text != textTooLong {
		// The log takes everything but what is too long: keep the call's end.
		return t.complete(c, tool.Result{Outcome: tool.Failure, Text: textTooLong}, start)
	}
	return ending{outcome: res.Outcome, err: err}
}

// textTooLong is what the model reads in place of a result that cannot be kept.
const textTooLong = "The tool's result is too long to be kept. Ask for less of it."

func interrupted() *tool.Result {
	return &tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
}

// unknown is what the model reads when it calls a tool that it was not offered.
func (t *turn) unknown(name string) string {
	text := fmt.Sprintf("Tool '%s' does not exist.", name)
	if len(t.prompt.Tools) == 0 {
		return text
	}
	names := make([]string, 0, len(t.prompt.Tools))
	for n := range t.prompt.Tools {
		names = append(names, n)
	}
	slices.Sort(names)
	return text + " Available tools that can be called are " + strings.Join(names, ", ") + "."
}

// Crashed is what the model reads when a tool's own code failed: that it did,
// not how, for an exception's text is written for the tool's author.
func Crashed(c tool.Call) string {
	return fmt.Sprintf("Failed to execute `%s` tool with arguments: %s due to error: Error: Tool execution failed", c.Name, c.Arguments)
}
