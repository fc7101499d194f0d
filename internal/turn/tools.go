package turn

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// runAll runs the calls of one message side by side and returns when all have
// their results recorded, the last of them together with the end of the turn.
// Calls that cannot run are answered first, before any other acts, so that an
// abort right after the first start finds them done. stop says that the run is to
// end here: a person rejected a call, or a tool that ends runs succeeded. The
// first refusal by a person interrupts the other calls, and so does a result that cannot be
// recorded: an answer to them could not be recorded either.
func (t *turn) runAll(ctx context.Context, calls []Unfinished) (stop bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := len(calls)
	finish := func(e ending) {
		left--
		if e.err == nil {
			e.err = t.complete(e, left == 0)
		}
		if err == nil {
			err = e.err
		}
		if e.err != nil || e.unwanted {
			cancel()
		}
		stop = stop || e.result.Outcome == tool.Rejected || e.terminal && e.result.Outcome == tool.Success
	}
	hooked := make([]Hooked, len(calls))
	for i, u := range calls {
		if !u.Started { // also one that waits: what hooks made of it before a restart is not kept
			hooked[i] = t.host.Before(ctx, tool.Call{ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(u.Call.Arguments)})
		}
	}
	var ready []func() ending
	for i, u := range calls {
		if changed := hooked[i].Arguments; changed != nil {
			u.Call.Arguments = string(changed)
		}
		if run, refused := t.prepare(ctx, u, hooked[i]); refused != nil {
			finish(t.refuse(ctx, u, *refused))
		} else {
			ready = append(ready, run)
		}
	}
	ended := make(chan ending, len(ready))
	for _, run := range ready {
		go func() { ended <- run() }()
	}
	for range ready {
		finish(<-ended)
	}
	return stop, err
}

// ending is how one call ended. start is set if its start is not recorded yet;
// err if that could not be done, so that the call never ran.
type ending struct {
	call     tool.Call
	result   tool.Result
	start    *wire.ToolStart
	terminal bool
	unwanted bool // a person refused it
	err      error
}

// prepare returns how to run a call, or the result of one that cannot run.
func (t *turn) prepare(ctx context.Context, u Unfinished, h Hooked) (func() ending, *tool.Result) {
	switch {
	case h.Refused != nil:
		return nil, h.Refused
	case u.Tool != nil && (u.Started || h.Arguments == nil): // checked before it began to wait
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
	c := tool.Call{ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(wire.RepairSurrogates(args)), Hook: h.Permission}
	return func() ending { return t.run(ctx, offer.Tool, c, false) }, nil
}

// run asks for permission, records the start, runs the tool.
func (t *turn) run(ctx context.Context, tl tool.Tool, c tool.Call, started bool) ending {
	// One that was started before a restart is asked about again if it says itself what
	// it would do: what it does may not be what it was allowed to do any more.
	if _, asks := tl.(tool.Asker); asks || !started {
		if refused := t.permit(ctx, tl, &c); refused != nil {
			e := ending{call: c, result: t.after(ctx, c, *refused), unwanted: refused.Outcome == tool.Rejected}
			if !started {
				e.start = t.start(c)
			}
			return e
		}
	}
	if !started {
		if err := t.host.Record(t.start(c)); err != nil {
			return ending{call: c, err: err}
		}
	}
	res := RunTool(ctx, tl, c)
	if res.Outcome == tool.Failure && res.Error != "" {
		t.host.CallFailed(c, res.Error)
	}
	return ending{call: c, result: t.after(ctx, c, res), terminal: tl.Definition().Terminal}
}

// after is a result as the host leaves it, whether or not the call was made. One that
// was cut off has none to speak of.
func (t *turn) after(ctx context.Context, c tool.Call, res tool.Result) tool.Result {
	if res.Outcome == tool.Interrupted {
		return res
	}
	return t.host.After(ctx, c, res)
}

// permit asks whether a call may act, and returns the result of one that may not.
func (t *turn) permit(ctx context.Context, tl tool.Tool, c *tool.Call) *tool.Result {
	d := tl.Definition()
	q := &permit.Request{Kind: permit.CustomTool, Tool: d.Name, Description: d.Description, Args: c.Arguments, Trusted: d.Trusted}
	if asker, ok := tl.(tool.Asker); ok {
		var done *tool.Result
		if q, done = wants(ctx, asker, *c); done != nil {
			return done
		}
		c.Permitted = q
	}
	if q == nil {
		return nil
	}
	answer := t.host.Ask(ctx, *q, *c)
	if refused, ok := tl.(tool.Refused); ok && ctx.Err() == nil && answer.Outcome != permit.Approved {
		res := refused.Refused(answer)
		return &res
	}
	return denial(ctx, answer)
}

// wants is what a call would do, or its result; a panic of the tool is one, too.
func wants(ctx context.Context, tl tool.Asker, c tool.Call) (q *permit.Request, done *tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			res := crashed(c, p)
			q, done = nil, &res
		}
	}()
	return tl.Request(ctx, c)
}

func crashed(c tool.Call, p any) tool.Result {
	return tool.Result{Outcome: tool.Failure, Text: Crashed(c), Error: panicked("tool "+c.Name, p).Error()}
}

// cancelGrace is how long a tool may go on after its run was aborted. A tool that
// takes longer, or never heard of it, is left to itself: the person who pressed
// stop is not made to wait for it.
const cancelGrace = 5 * time.Second

// RunTool runs a tool, at most until cancelGrace after ctx has ended. A panic of the
// tool is a result, too.
func RunTool(ctx context.Context, tl tool.Tool, c tool.Call) tool.Result {
	if ctx.Err() != nil {
		return *interrupted()
	}
	result := make(chan tool.Result, 1)
	go func() { result <- guarded(ctx, tl, c) }()
	select {
	case res := <-result:
		return res
	case <-ctx.Done():
	}
	grace := time.NewTimer(cancelGrace)
	defer grace.Stop()
	select {
	case res := <-result:
		return res
	case <-grace.C:
		return *interrupted()
	}
}

// guarded turns a panic of a tool into a result.
func guarded(ctx context.Context, tl tool.Tool, c tool.Call) (res tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = crashed(c, p)
		}
	}()
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
	case a.Outcome == permit.Forbidden:
		return &tool.Result{
			Outcome: tool.Denied,
			Text:    "Permission " + a.Why + ". Nobody was asked. Do not try it another way; go on without it, or say what you would need.",
		}
	}
	return &tool.Result{Outcome: tool.Denied, Text: tool.TextNoPermission}
}

// refuse is the ending of a call that never ran.
func (t *turn) refuse(ctx context.Context, u Unfinished, res tool.Result) ending {
	c := tool.Call{ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(u.Call.Arguments)}
	e := ending{call: c, result: t.after(ctx, c, res)}
	if !u.Started {
		e.start = t.start(c)
		e.start.Arguments = RawArguments(u.Call.Arguments)
	}
	return e
}

func (t *turn) start(c tool.Call) *wire.ToolStart {
	return &wire.ToolStart{
		ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments,
		TurnID: optional(t.prompt.TurnID), Model: optional(t.prompt.Request.Model),
	}
}

// complete records the end of a call, its start with it if that is not recorded
// yet, and the end of the turn with that of its last call: one append, so one wait
// for the disk. What the model reads stands in result.content on success and in
// error.message otherwise.
func (t *turn) complete(e ending, last bool) error {
	res := e.result
	done := &wire.ToolComplete{
		ToolCallID: e.call.ID, Success: res.Outcome == tool.Success, ToolTelemetry: res.Telemetry,
		TurnID: optional(t.prompt.TurnID), Model: optional(t.prompt.Request.Model),
	}
	if done.Success {
		done.Result = &wire.ToolResult{Content: res.Text, DetailedContent: optional(res.Detail), BinaryResultsForLlm: pictures(res.Images)}
	} else {
		code := string(res.Outcome)
		done.Error = &wire.ToolError{Message: res.Text, Code: &code}
	}
	var events []wire.Data
	if e.start != nil {
		events = append(events, e.start)
	}
	events = append(append(events, done), res.After...)
	if last {
		events = append(events, t.ending())
	}
	err := t.host.Record(events...)
	if err != nil && fault.KindOf(err) == fault.Invalid && res.Text != textTooLong {
		// The log takes everything but what is too long: keep the call's end.
		e.result = tool.Result{Outcome: tool.Failure, Text: textTooLong}
		return t.complete(e, last)
	}
	t.ended = last && err == nil
	return err
}

// pictures are images as the log keeps them.
func pictures(images []tool.Image) []wire.ToolBinary {
	var out []wire.ToolBinary
	for _, i := range images {
		out = append(out, &wire.ToolImage{
			Discriminator: "image", MIMEType: i.MediaType, Data: base64.StdEncoding.EncodeToString(i.Data), Description: &i.Path,
		})
	}
	return out
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
