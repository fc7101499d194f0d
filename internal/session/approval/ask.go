package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Ask decides whether a tool call may act: by the rules or, where they do not decide, by the
// first decision of a client. It runs on the goroutine of the call. When ctx ends, the
// request is withdrawn and the result is [permit.Canceled], unless a client's decision came
// first.
func (p *Permissions) Ask(ctx context.Context, q permit.Request, c tool.Call) permit.Answer {
	type asked struct {
		decided *permit.Answer
		open    *request
	}
	expected := func() *request { return p.expectedFor(c) }
	run := p.whenNotSaving(p.session.Post, expected)
	// Without the context, because a request that is open must have a call that waits.
	now, err := withDisk(context.WithoutCancel(ctx), p, run, wantFor(q), func(d disk) (a asked, _ error) {
		a.decided, a.open = p.ask(d, ctx.Err() != nil, q, c)
		return a, nil
	})
	switch {
	case err != nil:
		return permit.Answer{Outcome: permit.Canceled}
	case now.decided != nil:
		return *now.decided
	}
	select {
	case a := <-now.open.answered:
		return a
	case <-ctx.Done():
		return p.withdraw(now.open)
	}
}

// expectedFor returns the request from before a resume for a call, nil if there is none.
func (p *Permissions) expectedFor(c tool.Call) *request {
	if c.AgentID != "" {
		return nil
	}
	return p.expected[c.ID]
}

// ask does the part of [Permissions.Ask] on the session's goroutine. It returns the
// decision, or the request that waits for one. A request from before a resume keeps its id,
// and its decision if it has one, provided that the call is unchanged.
func (p *Permissions) ask(d disk, canceled bool, q permit.Request, c tool.Call) (*permit.Answer, *request) {
	r := p.expectedFor(c)
	if r != nil {
		delete(p.expected, c.ID)
	}
	decided, why := p.decide(d, q)
	if r != nil && !sameRequest(r.asked.Data, p.event(d, r.id, q, c, why)) {
		if p.open[r.id] == r {
			p.end(r, permit.Answer{Outcome: permit.Canceled})
		}
		r = nil
	}
	if r != nil && len(r.answered) > 0 {
		return nil, r
	}
	decided = withHook(c.Hook, decided, why)
	switch {
	case canceled:
		if r != nil {
			delete(p.open, r.id)
		}
		return &permit.Answer{Outcome: permit.Canceled}, nil
	case decided != nil:
		if r != nil { // newer rules decide it
			p.end(r, *decided)
		}
		return decided, nil
	}
	return p.askClients(d, r, q, c, why)
}

// askClients sends a request to the clients; a request r from before a resume is sent again.
// If no attached client can decide, the call is denied immediately.
func (p *Permissions) askClients(d disk, r *request, q permit.Request, c tool.Call, why permit.Decision) (*permit.Answer, *request) {
	again := r != nil
	if !again {
		id := wire.NewID()
		if p.session.Record(c.AgentID, p.event(d, id, q, c, why)) != nil {
			return &permit.Answer{Outcome: permit.Canceled}, nil
		}
		r = p.newRequest(id, p.session.State().Permissions()[id])
	}
	r.about = &q
	switch {
	case !p.session.CanDecide():
		a := permit.Answer{Outcome: permit.Unanswerable, Why: why.Why}
		p.end(r, a)
		return &a, nil
	case again:
		p.repeat(r)
	}
	return nil, r
}

// event returns the event that requests a permission.
func (p *Permissions) event(d disk, id string, q permit.Request, c tool.Call, why permit.Decision) *wire.PermissionRequested {
	beyond := len(p.rules(d, q).Covering(q)) > 0 && len(why.Outside) == 0
	return newEvent(id, q, c, why, beyond)
}

// withdraw closes a request because its call was canceled, unless a client has decided it.
func (p *Permissions) withdraw(r *request) permit.Answer {
	a := permit.Answer{Outcome: permit.Canceled}
	// ctx has ended; the session itself ends the wait when it closes.
	_ = p.whenNotSaving(p.session.Post, func() *request { return r })(context.Background(), func() error {
		if p.open[r.id] != r {
			a = <-r.answered
			return nil
		}
		p.end(r, a)
		return nil
	})
	return a
}
