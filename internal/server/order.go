package server

import (
	"context"
	"sync"
)

// ordering makes the commands of each session run one after the other, in the order
// in which they arrived. It is safe for concurrent use.
type ordering struct {
	mu   sync.Mutex         // guards the rest, and onward of every command
	last map[string]*queued // by session id: the newest command that has not ended
}

// queued is one command in the order of its session.
type queued struct {
	before *queued       // the command it waits for; nil for none
	ended  chan struct{} // closed when the command is done, or is cancelled before it began
	onward *queued       // of a command cancelled before it began: the one it waited for
}

func newOrdering() *ordering { return &ordering{last: map[string]*queued{}} }

// add puts a command behind the newest one of the session. The caller then calls wait
// once, and end in every case.
func (o *ordering) add(session string) *queued {
	o.mu.Lock()
	defer o.mu.Unlock()
	q := &queued{before: o.last[session], ended: make(chan struct{})}
	o.last[session] = q
	return q
}

// wait returns when every earlier command of the session has ended, or with the error
// of ctx when ctx ends first. A cancelled command ends at once, so a command that waits
// behind it goes on to wait for the one before.
func (q *queued) wait(ctx context.Context) error {
	for q.before != nil {
		select {
		case <-q.before.ended:
			q.before = q.before.onward
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end lets the commands behind q begin, unless q was cancelled while it waited: then
// they wait for the command that q waited for.
func (o *ordering) end(session string, q *queued) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q.onward = unended(q.before)
	q.before = nil
	close(q.ended)
	switch {
	case o.last[session] != q:
	case q.onward != nil:
		o.last[session] = q.onward
	default:
		delete(o.last, session)
	}
}

// unended is the newest command from q backwards that has not ended, nil if all have.
// The caller holds the mutex.
func unended(q *queued) *queued {
	for q != nil {
		select {
		case <-q.ended:
			q = q.onward
		default:
			return q
		}
	}
	return nil
}
