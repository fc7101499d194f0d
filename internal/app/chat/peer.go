package chat

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// terminalPeer is how a session asks the person at the terminal. Its calls come from
// goroutines of the session and are served one after the other by the [talk].
type terminalPeer struct {
	calls chan *peerCall
	left  chan struct{} // closed when nobody serves them any more
}

// peerCall is one question. Whoever takes it sends one reply.
type peerCall struct {
	ctx    context.Context // ends when the question is withdrawn
	method string
	params json.RawMessage
	reply  chan reply // capacity 1
}

type reply struct {
	value any
	err   error
}

var _ session.Peer = (*terminalPeer)(nil)

func newTerminalPeer() *terminalPeer {
	return &terminalPeer{calls: make(chan *peerCall), left: make(chan struct{})}
}

// Call implements [session.Peer].
func (p *terminalPeer) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fault.New(fault.Invalid, "terminal", method, "the parameters: %w", err)
	}
	c := &peerCall{ctx: ctx, method: method, params: raw, reply: make(chan reply, 1)}
	select {
	case p.calls <- c:
	case <-p.left:
		return gone(method)
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case r := <-c.reply:
		return r.decode(method, result)
	case <-p.left:
		return gone(method)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func gone(method string) error {
	return fault.New(fault.Unavailable, "terminal", method, "nobody is at the terminal any more")
}

// decode hands a reply over, as a connection would: through JSON.
func (r reply) decode(method string, result any) error {
	if r.err != nil || result == nil {
		return r.err
	}
	raw, err := json.Marshal(r.value)
	if err == nil {
		err = json.Unmarshal(raw, result)
	}
	if err != nil {
		return fault.New(fault.Internal, "terminal", method, "the answer: %w", err)
	}
	return nil
}
