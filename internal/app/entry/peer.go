package entry

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// Peer is how a session asks the user at the terminal. Its calls come from goroutines of the session;
// the line mode or the terminal interface answers them.
type Peer struct {
	calls chan *Call
	left  chan struct{} // closed when the user has left
}

// Call is one question.
type Call struct {
	Ctx    context.Context // ends when the session withdraws the question
	Method string
	Params json.RawMessage
	Reply  func(value any, err error) // is called once, and does not wait
}

type reply struct {
	value any
	err   error
}

var _ session.Peer = (*Peer)(nil)

// NewPeer returns a peer whose user has not left.
func NewPeer() *Peer {
	return &Peer{calls: make(chan *Call), left: make(chan struct{})}
}

// Calls yields the questions.
func (p *Peer) Calls() <-chan *Call { return p.calls }

// Leave ends calls that are not answered, and those to come, with an error. It is called once.
func (p *Peer) Leave() { close(p.left) }

// Call implements [session.Peer].
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fault.New(fault.Invalid, "terminal", method, "the parameters: %w", err)
	}
	replies := make(chan reply, 1)
	c := &Call{Ctx: ctx, Method: method, Params: raw, Reply: func(value any, err error) { replies <- reply{value, err} }}
	select {
	case p.calls <- c:
	case <-p.left:
		return departed(method)
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case r := <-replies:
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
