package turn

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// runAll runs the calls of one message side by side and returns when all have
// their results recorded, the last of them together with the end of the turn.
// Calls that cannot run are answered first, before any other acts, so that an
// abort right after the first start finds them done. stop means that the run ends
// here: the user rejected a call, or a tool that ends runs succeeded.
//
// The other calls are interrupted as soon as the user rejects one, or a result cannot be
// recorded, because theirs could not be recorded either. A panic of the host or of a
// tool is the result of the call that it happened in.
func (t *turn) runAll(ctx context.Context, calls []Unfinished) (stop bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := len(calls)
	finish := func(e *ending) {
		left--
		t.round.add(e)
		if e.err == nil {
			e.err = t.finish(e, left == 0)
		}
		if err == nil {
			err = e.err
		}
		if e.err != nil || e.unwanted {
			cancel()
		}
		stop = stop || e.result.Outcome == tool.Rejected || e.terminal && e.result.Outcome == tool.Success
	}
	ready := t.admit(ctx, calls, finish)
	if len(ready) == 1 { // it needs no goroutine of its own
		finish(ready[0]())
		return stop, err
	}
	ended := make(chan *ending, len(ready))
	for _, run := range ready {
		go func() { ended <- run() }() // a run recovers: see turn.run
	}
	for range ready {
		finish(<-ended)
	}
	return stop, err
}

// admit lets hooks see the calls, in order, and then returns those that can run. The
// others are refused at once, by finish.
func (t *turn) admit(ctx context.Context, calls []Unfinished, finish func(*ending)) (ready []func() *ending) {
	hooked := make([]Hooked, len(calls))
	for i, u := range calls {
		if !u.Started && u.Unfit == nil { // also a call that waits: what hooks decided before a restart is not kept
			hooked[i] = t.before(ctx, t.sent(u))
		}
	}
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
	return ready
}

// sent is a call with the arguments that the model sent, or that hooks have changed.
func (t *turn) sent(u Unfinished) tool.Call {
	return tool.Call{AgentID: t.prompt.AgentID, ID: u.Call.ID, Name: u.Call.Name, Arguments: json.RawMessage(u.Call.Arguments)}
}

// ending is how one call ended. start is set if its start is not recorded yet. err is set
// if the start could not be recorded, so that the call never ran.
type ending struct {
	call     tool.Call
	result   tool.Result
	start    *wire.ToolStart
	key      [sha256.Size]byte // [keyOf] of the result before hooks have seen it; zero if it is not known
	underWay bool              // that result says that something goes on
	terminal bool
	unwanted bool // the user rejected it
	err      error
}

// prepare returns how to run a call, or the result of one that cannot run.
func (t *turn) prepare(ctx context.Context, u Unfinished, h Hooked) (run func() *ending, refused *tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			run, refused = nil, t.crashed(t.sent(u), p)
		}
	}()
	switch {
	case u.Unfit != nil:
		return nil, u.Unfit
	case h.Refused != nil:
		return nil, h.Refused
	case u.Tool != nil && (u.Started || h.Arguments == nil): // checked before it began to wait
		c := t.sent(u)
		return func() *ending { return t.run(ctx, u.Tool, &c, u.Started) }, nil
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
	c := t.sent(u)
	c.Arguments, c.Hook = json.RawMessage(wire.RepairSurrogates(args)), h.Permission
	return func() *ending { return t.run(ctx, offer.Tool, &c, false) }, nil
}

// run asks for permission, records the start, runs the tool. A panic fails the call.
func (t *turn) run(ctx context.Context, tl tool.Tool, c *tool.Call, started bool) (e *ending) {
	defer func() {
		if p := recover(); p != nil {
			e = &ending{call: *c, result: *t.crashed(*c, p)}
			if !started {
				e.start = t.start(c)
			}
		}
	}()
	// A call that was started before a restart is asked about again if its tool says what
	// it would do: that may not be what was allowed then.
	if _, asks := tl.(tool.Asker); asks || !started {
		if refused := t.permit(ctx, tl, c); refused != nil {
			e := t.ends(ctx, c, refused)
			e.unwanted = refused.Outcome == tool.Rejected
			if !started {
				e.start = t.start(c)
			}
			return e
		}
	}
	if !started {
		if err := t.host.Record(t.started(t.start(c))); err != nil {
			return &ending{call: *c, err: err}
		}
		started = true
	}
	return t.acts(ctx, tl, c)
}

// acts runs the tool of a call that is allowed.
func (t *turn) acts(ctx context.Context, tl tool.Tool, c *tool.Call) *ending {
	res := t.taped(tl, *c, func() tool.Result { return RunTool(ctx, tl, *c) })
	if res.StoppedBy != "" && c.Permitted != nil && ctx.Err() == nil {
		res = t.again(ctx, tl, *c, res)
	}
	if res.Outcome == tool.Failure && res.Error != "" {
		t.report(*c, res.Error)
	}
	e := t.ends(ctx, c, &res)
	d := tl.Definition()
	e.terminal, e.underWay = d.Terminal, t.prompt.WatchCalls && reports(&d, &res) && underWay(res.Text)
	return e
}

// taped runs a tool through the recording of calls, if there is one.
func (t *turn) taped(tl tool.Tool, c tool.Call, run func() tool.Result) tool.Result {
	if t.prompt.Taped == nil {
		return run()
	}
	return t.prompt.Taped(tl.Definition(), c, run)
}

// ends is the ending of a call, whose result hooks may change.
func (t *turn) ends(ctx context.Context, c *tool.Call, res *tool.Result) *ending {
	e := &ending{call: *c, result: *res}
	if t.prompt.WatchCalls {
		e.key = keyOf(c, res)
	}
	t.after(ctx, e)
	t.activates(e)
	return e
}

// permit asks whether a call may act, and returns the result of one that may not.
func (t *turn) permit(ctx context.Context, tl tool.Tool, c *tool.Call) *tool.Result {
	d := tl.Definition()
	q := &permit.Request{Kind: permit.CustomTool, Tool: d.Name, Description: d.Description, Args: c.Arguments, Trusted: d.Trusted}
	if asker, ok := tl.(tool.Asker); ok {
		var done *tool.Result
		if q, done = t.wants(ctx, asker, *c); done != nil {
			res := t.taped(tl, *c, func() tool.Result { return *done })
			return &res
		}
		c.Permitted = q
	}
	if q == nil {
		return nil
	}
	answer := t.host.Ask(ctx, q, c)
	c.Sandbox, c.Tries = answer.Sandbox, answer.Tries
	if refused, ok := tl.(tool.Refused); ok && ctx.Err() == nil && answer.Outcome != permit.Approved {
		res := refused.Refused(answer.Answer)
		return &res
	}
	res := denial(ctx, answer.Answer)
	if res != nil && answer.MustStayInside {
		res.Remedy = wire.ReviewSandbox
	}
	return res
}

// wants is what a call would do, or its result, which may be that the tool panicked.
func (t *turn) wants(ctx context.Context, tl tool.Asker, c tool.Call) (q *permit.Request, done *tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			q, done = nil, t.crashed(c, p)
		}
	}()
	return tl.Request(ctx, c)
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
	text := tool.TextNoPermission
	if a.Feedback != "" {
		text += ". " + a.Feedback
	}
	return &tool.Result{Outcome: tool.Denied, Text: text}
}

// refuse is the ending of a call that never ran.
func (t *turn) refuse(ctx context.Context, u Unfinished, res tool.Result) *ending {
	c := t.sent(u)
	e := t.ends(ctx, &c, &res)
	if !u.Started {
		e.start = t.start(&c)
		e.start.Arguments = RawArguments(u.Call.Arguments)
	}
	return e
}
