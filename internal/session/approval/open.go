package approval

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// request is an open permission request to the clients. The first answer counts, and
// ends it. Its fields belong to the session's goroutine.
type request struct {
	id       string
	asked    state.Request      // as the log holds it
	about    *permit.Request    // nil as long as the run has not come to it after a resume
	answered chan permit.Answer // capacity 1; the goroutine of the call receives from it
	// saving is closed when the approval of a client, which is being saved now, is saved
	// or could not be; nil if none is. Until then that approval is the first answer.
	saving chan struct{}
}

// isSaving reports whether an approval is being saved now.
func (r *request) isSaving() bool {
	select {
	case <-r.saving:
		r.saving = nil // saving ended in a panic
	default:
	}
	return r.saving != nil
}

// newRequest opens a request that the log holds.
func (p *Permissions) newRequest(id string, asked state.Request) *request {
	r := &request{id: id, asked: asked, answered: make(chan permit.Answer, 1)}
	p.open[id] = r
	return r
}

// Expect opens the requests of before a resume, so that clients can answer them before
// the resumed run comes to them. It is for the session's goroutine, or is called before
// that begins.
func (p *Permissions) Expect() {
	for id, asked := range p.session.State().Main.Permissions {
		p.expected[asked.ToolCallID] = p.newRequest(id, asked)
	}
}

// Forget closes the requests of [Permissions.Expect] that the run did not come to, which
// has ended. One whose approval is being saved closes when it is saved. It is for the
// session's goroutine.
func (p *Permissions) Forget() {
	for _, r := range p.expected {
		if !r.isSaving() {
			delete(p.open, r.id)
		}
	}
	clear(p.expected)
}

// Waiting reports whether a request is open. It is for the session's goroutine.
func (p *Permissions) Waiting() bool { return len(p.open) > 0 }

// Repeat sends the open requests again, as ephemeral events, for a client that has just
// attached: it may be the one that can answer. The others know the ids already. It is
// for the session's goroutine.
func (p *Permissions) Repeat() {
	for _, r := range p.open {
		p.repeat(r)
	}
}

func (p *Permissions) repeat(r *request) {
	p.session.Emit(r.asked.AgentID, &wire.RawData{EventType: "permission.requested", Raw: r.asked.Data})
}

// HasPersonal reports whether a request is open that only a person decides, which is the
// confirmation that an extension asks for. It is for the session's goroutine.
func (p *Permissions) HasPersonal() bool { return p.personal() != nil }

// WithdrawPersonal withdraws that request, if one is open. It is for the session's
// goroutine.
func (p *Permissions) WithdrawPersonal() error {
	if r := p.personal(); r != nil {
		return p.settle(r, permit.Answer{Outcome: permit.Canceled})
	}
	return nil
}

// personal is the open request that only a person decides, of which there is one at most.
func (p *Permissions) personal() *request {
	for _, r := range p.open {
		if parseRequest(wire.Raw(r.asked.Data)).Personal {
			return r
		}
	}
	return nil
}

// settle records an answer and gives it to the call that waits.
func (p *Permissions) settle(r *request, a permit.Answer) error {
	if err := p.session.Record(r.asked.AgentID, completed(r, a)); err != nil {
		return err
	}
	delete(p.open, r.id)
	r.answered <- a
	return nil
}

// end closes a request for which no call waits. Its answer reaches the clients even if it
// cannot be recorded.
func (p *Permissions) end(r *request, a permit.Answer) {
	delete(p.open, r.id)
	p.recordOrEmit(r.asked.AgentID, completed(r, a))
}

// completed is the event that ends a request.
func completed(r *request, a permit.Answer) *wire.PermissionCompleted {
	return &wire.PermissionCompleted{RequestID: r.id, ToolCallID: &r.asked.ToolCallID, Result: Result(a)}
}

// reconsider answers the requests that the rules now decide, the oldest first. Those of
// before a resume are decided when the run comes to them, those whose approval is being
// saved have their answer.
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
