package approval

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// request is an open permission request to the clients. The first decision ends it. Its
// fields belong to the session's goroutine.
type request struct {
	id       string
	asked    state.Request      // as it is in the log
	about    *permit.Request    // nil after a resume until the call runs again
	answered chan permit.Answer // capacity 1; the goroutine of the call receives from it
	// saving is closed when the approval that is being saved is stored or saving has failed;
	// nil if none is being saved. Until then that approval is the first decision.
	saving chan struct{}
}

// isSaving reports whether an approval is being saved.
func (r *request) isSaving() bool {
	select {
	case <-r.saving:
		r.saving = nil // saving ended in a panic
	default:
	}
	return r.saving != nil
}

// newRequest opens a request that is in the log.
func (p *Permissions) newRequest(id string, asked state.Request) *request {
	r := &request{id: id, asked: asked, answered: make(chan permit.Answer, 1)}
	p.open[id] = r
	return r
}

// Expect opens the requests from before a resume, so that clients can decide them before
// their calls run again. Call it on the session's goroutine, or before that starts.
func (p *Permissions) Expect() {
	for id, asked := range p.session.State().Main.Permissions {
		p.expected[asked.ToolCallID] = p.newRequest(id, asked)
	}
}

// Forget closes the requests of [Permissions.Expect] whose calls did not run again. Call it
// on the session's goroutine when the run has ended. A request whose approval is being saved
// closes when it is saved.
func (p *Permissions) Forget() {
	for _, r := range p.expected {
		if !r.isSaving() {
			delete(p.open, r.id)
		}
	}
	clear(p.expected)
}

// Waiting reports whether a request is open. Call it on the session's goroutine.
func (p *Permissions) Waiting() bool { return len(p.open) > 0 }

// Repeat sends the open requests again, as ephemeral events, for a client that has just
// attached and may be the only one that can decide. The other clients know the ids already.
// Call it on the session's goroutine.
func (p *Permissions) Repeat() {
	for _, r := range p.open {
		p.repeat(r)
	}
}

func (p *Permissions) repeat(r *request) {
	p.session.Emit(r.asked.AgentID, &wire.RawData{EventType: "permission.requested", Raw: r.asked.Data})
}

// HasPersonal reports whether a request is open that only the user may decide: the
// confirmation of a Copilot Extensions agent. Call it on the session's goroutine.
func (p *Permissions) HasPersonal() bool { return p.personal() != nil }

// WithdrawPersonal withdraws that request if it is open. Call it on the session's goroutine.
func (p *Permissions) WithdrawPersonal() error {
	if r := p.personal(); r != nil {
		return p.settle(r, permit.Answer{Outcome: permit.Canceled})
	}
	return nil
}

// personal returns the open request that only the user may decide. There is at most one.
func (p *Permissions) personal() *request {
	for _, r := range p.open {
		if parseRequest(wire.Raw(r.asked.Data)).Personal {
			return r
		}
	}
	return nil
}

// settle records a decision and passes it to the waiting call.
func (p *Permissions) settle(r *request, a permit.Answer) error {
	if err := p.session.Record(r.asked.AgentID, completed(r, a)); err != nil {
		return err
	}
	delete(p.open, r.id)
	r.answered <- a
	return nil
}

// end closes a request for which no call waits. The decision is sent to the clients even if
// it cannot be recorded.
func (p *Permissions) end(r *request, a permit.Answer) {
	delete(p.open, r.id)
	p.recordOrEmit(r.asked.AgentID, completed(r, a))
}

// completed returns the event that ends a request.
func completed(r *request, a permit.Answer) *wire.PermissionCompleted {
	return &wire.PermissionCompleted{RequestID: r.id, ToolCallID: &r.asked.ToolCallID, Result: Result(a)}
}

// reconsider completes the requests that the rules now decide, the oldest first. It skips
// requests from before a resume, which are decided when their calls run again, and requests
// whose approval is being saved.
func (p *Permissions) reconsider(d disk) {
	var asked []*request
	for _, r := range p.open {
		if r.about != nil && !r.isSaving() {
			asked = append(asked, r)
		}
	}
	slices.SortFunc(asked, func(a, b *request) int { return cmp.Compare(a.asked.Seq, b.asked.Seq) })
	for _, r := range asked {
		if decided, _ := p.decide(d, *r.about); decided != nil {
			_ = p.settle(r, *decided) // if it fails, the request stays open and a client can still answer it
		}
	}
}
