package approval

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Requests are the open permission requests of one session. They ask the policy for a
// decision first, and the clients if the policy has none. Call every method on the session's
// goroutine, except for [Requests.Ask].
type Requests struct {
	session Session
	policy  *policy
	files   *files

	// The fields below belong to the session's goroutine.
	open map[string]*request // by request id
	// expected are requests from before the resume whose calls have not run again yet, by
	// tool call id. All are of the main agent: those of sub-agents end with the process.
	expected map[string]*request
}

func newRequests(s Session, p *policy, f *files) *Requests {
	return &Requests{session: s, policy: p, files: f}
}

// request is an open permission request to the clients. The first decision ends it. Its
// fields belong to the session's goroutine.
type request struct {
	id       string
	asked    state.Request      // as it is in the log
	about    *permit.Request    // nil after a resume until the call runs again
	hook     string             // what the hooks decided about the call: "allow", "ask" or ""
	placed   permit.Placed      // where the command runs
	sandbox  *sandbox.Policy    // of the sandbox in which it runs; nil: outside
	answered chan permit.Answer // capacity 1; the goroutine of the call receives from it
	repeated bool               // it was sent again, after a resume
	absent   bool               // since then a client has said that nobody is there to decide
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

// parsed returns the request with the fields that approvals need.
func (r *request) parsed() *permit.Request { return parseRequest(wire.Raw(r.asked.Data)) }

// find returns an open request, nil if it is not open.
func (o *Requests) find(id string) *request { return o.open[id] }

// newRequest opens a request that is in the log.
func (o *Requests) newRequest(id string, asked state.Request) *request {
	r := &request{id: id, asked: asked, answered: make(chan permit.Answer, 1)}
	if o.open == nil { // most sessions have no open request most of the time
		o.open = map[string]*request{}
	}
	o.open[id] = r
	return r
}

// Expect opens the requests from before a resume, so that clients can decide them before
// their calls run again. It may be called before the session's goroutine starts.
func (o *Requests) Expect() {
	o.expected = map[string]*request{}
	for id, asked := range o.session.State().Main.Permissions {
		o.expected[asked.ToolCallID] = o.newRequest(id, asked)
	}
}

// Forget closes the requests of [Requests.Expect] whose calls did not run again. Call it
// when the run has ended. A request whose approval is being saved closes when it is saved.
func (o *Requests) Forget() {
	for _, r := range o.expected {
		if !r.isSaving() {
			delete(o.open, r.id)
		}
	}
	clear(o.expected)
}

// Waiting reports whether a request is open.
func (o *Requests) Waiting() bool { return len(o.open) > 0 }

// Repeat sends the open requests again, as ephemeral events, for a client that has just
// attached and may be the only one that can decide. The other clients know the ids already.
func (o *Requests) Repeat() {
	for _, r := range o.open {
		o.repeat(r)
	}
}

func (o *Requests) repeat(r *request) {
	r.repeated = true
	o.session.Emit(r.asked.AgentID, &wire.RawData{EventType: "permission.requested", Raw: r.asked.Data})
}

// HasPersonal reports whether a request is open that only the user may decide: the
// confirmation of a Copilot Extensions agent.
func (o *Requests) HasPersonal() bool { return o.personal() != nil }

// WithdrawPersonal withdraws that request if it is open.
func (o *Requests) WithdrawPersonal() error {
	if r := o.personal(); r != nil {
		return o.settle(r, permit.Answer{Outcome: permit.Canceled})
	}
	return nil
}

// personal returns the open request that only the user may decide. There is at most one.
func (o *Requests) personal() *request {
	for _, r := range o.open {
		if r.parsed().Personal {
			return r
		}
	}
	return nil
}

// Listed lists the requests that wait for a client, the oldest first; nil if there are none.
func (o *Requests) Listed() (list []state.Question) {
	open := slices.Collect(maps.Values(o.open))
	slices.SortFunc(open, func(a, b *request) int { return cmp.Compare(a.asked.Seq, b.asked.Seq) })
	for _, r := range open {
		list = append(list, state.Question{ID: r.id, AgentID: r.asked.AgentID, Event: "permission.requested", Tool: r.asked.Tool})
	}
	return list
}

// pending lists the requests that are open in the log, the oldest first.
func (o *Requests) pending() (list wire.PendingPermissions) {
	open := o.session.State().Permissions()
	ids := slices.Collect(maps.Keys(open))
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(open[a].Seq, open[b].Seq) })
	for _, id := range ids {
		data := wire.Raw(open[id].Data)
		prompt := data.Get("promptRequest")
		if prompt == nil { // the log is from another runtime
			prompt = data.Get("permissionRequest")
		}
		list.Items = append(list.Items, wire.PendingPermission{RequestID: id, Request: json.RawMessage(slices.Clone(prompt))})
	}
	return list
}
