package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Ask decides whether a tool call may act: by the rules or, where they do not decide, by the
// first decision of a client. Call it on the goroutine of the call. When ctx ends, the
// request is withdrawn and the result is [permit.Canceled], unless a client's decision came
// first.
func (o *Requests) Ask(ctx context.Context, q *permit.Request, c *tool.Call) tool.Permission {
	type asked struct {
		decided *tool.Permission
		open    *request
	}
	expected := func() *request { return o.expectedFor(c) }
	run := whenNotSaving(o.session.Post, expected)
	// Without the context, because a request that is open must have a call that waits.
	now, err := withDisk(context.WithoutCancel(ctx), o.files, run, wantFor(q), func(d disk) (a asked, _ error) {
		a.decided, a.open = o.ask(d, ctx.Err() != nil, q, c)
		return a, nil
	})
	switch {
	case err != nil:
		return tool.Permission{Answer: permit.Answer{Outcome: permit.Canceled}}
	case now.decided != nil:
		return *now.decided
	}
	select {
	case a := <-now.open.answered:
		return tool.Permission{Answer: a, Sandbox: now.open.sandbox}
	case <-ctx.Done():
		return tool.Permission{Answer: o.withdraw(now.open), Sandbox: now.open.sandbox}
	}
}

// expectedFor returns the request from before a resume for a call, nil if there is none.
func (o *Requests) expectedFor(c *tool.Call) *request {
	if c.AgentID != "" {
		return nil
	}
	return o.expected[c.ID]
}

// ask does the part of [Requests.Ask] on the session's goroutine. It returns the decision, or
// the request that waits for one. A request from before a resume keeps its id, and its
// decision if it has one, provided that the call is unchanged.
func (o *Requests) ask(d disk, canceled bool, q *permit.Request, c *tool.Call) (*tool.Permission, *request) {
	r := o.expectedFor(c)
	if r != nil {
		delete(o.expected, c.ID)
	}
	if q.Kind == permit.Shell {
		o.announce(d)
	}
	if c.Hook != "" && !q.NoTry { // what a hook has decided is not tried first
		hooked := *q
		hooked.NoTry = true
		q = &hooked
	}
	decided, why := o.policy.decide(d, q)
	if r != nil && !sameRequest(r.asked.Data, why.event(r.id, q, c)) {
		if o.open[r.id] == r {
			o.end(r, permit.Answer{Outcome: permit.Canceled})
		}
		r = nil
	}
	if r != nil && len(r.answered) > 0 {
		return nil, r
	}
	decided = withMode(o.session.ModeOf(c.AgentID), q, withHook(c.Hook, decided, &why.Decision))
	switch {
	case canceled:
		if r != nil {
			delete(o.open, r.id)
		}
		return &tool.Permission{Answer: permit.Answer{Outcome: permit.Canceled}}, nil
	case decided != nil:
		if r != nil { // newer rules decide it
			o.end(r, *decided)
		}
		return &tool.Permission{Answer: *decided, Sandbox: why.sandbox, MustStayInside: why.MustStayInside, Tries: why.Tries}, nil
	case (q.Bypass != "" || q.Again != "") && c.Replayed == nil && o.policy.refusedOutside[q.Command.Text],
		q.Bypass != "" && c.Replayed == nil && !o.session.CanDecide(): // a command that was only tried has not been allowed, so it is denied for all to see
		return &tool.Permission{Answer: permit.Answer{Outcome: permit.Unanswerable, Why: why.Why}}, nil
	}
	return o.askClients(r, q, c, why)
}

// announce records how well the sandbox works, before the first command runs. A failure is
// that of the next event, too.
func (o *Requests) announce(d disk) {
	for _, e := range []wire.Data{o.policy.decision(d), o.policy.warning(d)} {
		if e != nil {
			_ = o.session.Record("", e)
		}
	}
}

// askClients sends a request to the clients; a request r from before a resume is sent again.
// If no attached client can decide, the call is denied immediately.
func (o *Requests) askClients(r *request, q *permit.Request, c *tool.Call, why *ruling) (*tool.Permission, *request) {
	again := r != nil
	if !again {
		id := wire.NewID()
		if o.session.Record(c.AgentID, why.recorded(id, q, c)) != nil {
			return &tool.Permission{Answer: permit.Answer{Outcome: permit.Canceled}}, nil
		}
		r = o.newRequest(id, o.session.State().Permissions()[id])
	}
	r.about, r.hook, r.placed, r.sandbox = q, c.Hook, why.Placed, why.sandbox
	if q.Kind == permit.Shell { // newer rules may decide it, but it is asked about now
		untried := *q
		untried.NoTry = true
		r.about = &untried
	}
	switch {
	case c.Replayed != nil:
		o.end(r, *c.Replayed)
		return &tool.Permission{Answer: *c.Replayed, Sandbox: why.sandbox}, nil
	case !o.session.CanDecide():
		a := permit.Answer{Outcome: permit.Unanswerable, Why: why.Why}
		o.end(r, a)
		return &tool.Permission{Answer: a}, nil
	case again:
		o.repeat(r)
	}
	return nil, r
}

// withdraw closes a request because its call was canceled, unless a client has decided it.
func (o *Requests) withdraw(r *request) permit.Answer {
	a := permit.Answer{Outcome: permit.Canceled}
	// ctx has ended; the session itself ends the wait when it closes.
	_ = whenNotSaving(o.session.Post, func() *request { return r })(context.Background(), func() error {
		if o.open[r.id] != r {
			a = <-r.answered
			return nil
		}
		o.end(r, a)
		return nil
	})
	return a
}
