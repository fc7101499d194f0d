package chat

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// terminalPeer is how a session asks the user at the terminal. Its calls come from
// goroutines of the session; the [talk] answers them one after the other.
type terminalPeer struct {
	calls chan *peerCall
	left  chan struct{} // closed when the user has left
}

// peerCall is one question. Its receiver sends one reply.
type peerCall struct {
	ctx    context.Context // ends when the session withdraws the question
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
		return departed(method)
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case r := <-c.reply:
		return r.decode(method, result)
	case <-p.left:
		return departed(method)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func departed(method string) error {
	return fault.New(fault.Unavailable, "terminal", method, "the user has left the terminal")
}

// decode passes a reply on as a connection does, through JSON.
func (r reply) decode(method string, result any) error {
	if r.err != nil || result == nil {
		return r.err
	}
	raw, err := json.Marshal(r.value)
	if err == nil {
		err = fault.JSON(json.Unmarshal(raw, result))
	}
	if err != nil {
		return fault.New(fault.Internal, "terminal", method, "the answer: %w", err)
	}
	return nil
}
