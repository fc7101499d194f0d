package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// reconnects are the waits before the attempts to connect to a web service again.
var reconnects = [...]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}

// steady is how long a connection has to last to count as a good one, if no call was answered on it.
const steady = time.Minute

// live is the life of the server, from its start to its end, over all its connections. The error is why it failed;
// there is none if it was stopped.
func (v *server) live(ctx context.Context, at int, c *config) (err error) {
	var old sync.WaitGroup // the connections whose last calls are running
	defer old.Wait()
	defer func() {
		if ctx.Err() != nil {
			err = nil // its end is what hindered it
		}
	}()
	n, err := v.connect(ctx, at, c, []time.Duration{0, reconnects[0], reconnects[1]})
	if err != nil {
		return err
	}
	for used := 0; ; used++ {
		err := v.follow(ctx, at, n)
		if n.good() {
			used = 0
		}
		switch {
		case errors.Is(err, errUnheard) && used < len(reconnects):
		case errors.Is(err, errUnheard):
			n.warn("its stream of changes ends at once each time, so changes of its tools are not noticed")
			n.unheard = nil
			continue
		case err == nil || n.remote == nil || !n.replaceable() || fault.KindOf(err) == fault.Denied || used >= len(reconnects):
			n.close()
			return err
		}
		waits := reconnects[used:]
		switch {
		case errors.Is(err, errForgotten) || errors.Is(err, errHeaders):
			waits = append([]time.Duration{0}, waits...)
		case !errors.Is(err, errUnheard):
			v.set.lock(func() { v.reconnecting(at, err) })
		}
		last := n
		last.leave(err) // before calls can find out that it is being closed
		old.Go(func() { last.retire(ctx) })
		if n, err = v.connect(ctx, at, c, waits); err != nil {
			return err
		}
	}
}

// connect connects to the server and lists its tools. It tries as often as there are waits, each of
// which comes before an attempt, if what hinders it may pass.
func (v *server) connect(ctx context.Context, at int, c *config, waits []time.Duration) (*connection, error) {
	for i, wait := range waits {
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		n, err := v.open(ctx, at, c)
		if err == nil || i == len(waits)-1 || !passing(err) {
			return n, err
		}
		v.set.lock(func() { v.reconnecting(at, err) })
	}
	return nil, errEnded // cannot happen: there is a wait
}

// open makes one connection to the server, which is used from then on.
func (v *server) open(ctx context.Context, at int, c *config) (*connection, error) {
	n, err := v.dial(ctx, c)
	if err != nil {
		return nil, err
	}
	l, err := n.list(ctx, c)
	if err != nil {
		err = n.failure(err)
		n.close()
		return nil, err
	}
	v.set.lock(func() { v.connected(at, n, l) })
	return n, nil
}

// follow follows a connection to its end, and returns why it has ended; nil if the server was stopped.
func (v *server) follow(ctx context.Context, at int, n *connection) error {
	for failed := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-n.lost:
			return n.failure(nil)
		case <-n.down:
			return n.failure(n.why)
		case <-n.unheard:
			return errUnheard
		case <-n.wake:
		}
		if n.context.Err() != nil && ctx.Err() == nil { // it sent too much
			return n.failure(nil)
		}
		switch err := v.refresh(at, n); {
		case err == nil:
			failed = 0
		case ctx.Err() != nil || passing(err) && n.ended(): // nobody needs the list, or the next connection reads it
		case passing(err) && failed < maxRelists:
			failed++
			n.note(changedTools)
		default:
			failed = 0
			if away := (*outage)(nil); errors.As(err, &away) {
				err = away // without the words of the SDK around it
			}
			n.warn("its tools cannot be listed again: " + fault.Message(err))
		}
		n.pause(ctx)
	}
}

// pause waits before the lists are read again. The end of the connection ends it.
func (n *connection) pause(ctx context.Context) {
	pause := time.NewTimer(relistPause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-n.lost:
	case <-n.down:
	case <-ctx.Done():
	}
}

// maxRelists is how often the list of tools is read again after an answer that says that the server is busy.
const maxRelists = 5

// good reports whether the connection has answered a call, or has lasted.
func (n *connection) good() bool { return n.answered.Load() || time.Since(n.since) >= steady }

// replaceable reports whether this program has not ended the connection itself, because the server sent too much.
func (n *connection) replaceable() bool {
	cause := context.Cause(n.context)
	return cause == nil || errors.Is(cause, context.Canceled)
}

// leave notes that the connection is of no use any more, and why. Another one takes its place.
func (n *connection) leave(why error) {
	n.leaving.Do(func() {
		n.why = why
		close(n.down)
	})
}

// retire closes the connection when the calls that are running on it have ended: they may have reached the server.
func (n *connection) retire(ctx context.Context) {
	n.calls.Lock()
	n.retired = true
	if len(n.progress) == 0 {
		n.emptied()
	}
	n.calls.Unlock()
	select {
	case <-n.empty:
	case <-n.lost:
	case <-ctx.Done():
	}
	n.close()
}

// emptied notes that no call is running. The caller holds the lock of the calls.
func (n *connection) emptied() {
	select {
	case <-n.empty:
	default:
		close(n.empty)
	}
}

// reconnecting notes that there is another attempt to connect to the server later, and why. No run waits for one that had
// connected before. The caller holds the lock.
func (v *server) reconnecting(at int, err error) {
	if v.at == at && v.cancel != nil {
		v.background = v.connection != nil || v.background
		v.become(wire.MCPPending, fault.Message(err))
	}
}

// How often calls may start a failed server again.
const (
	maxRevivals = 3
	reviveTime  = 10 * time.Minute
)

// revive starts a server again that had connected and has failed, for a call of a tool that it has. The caller
// holds the lock.
func (v *server) revive() error {
	v.revived = slices.DeleteFunc(v.revived, func(t time.Time) bool { return time.Since(t) >= reviveTime })
	if len(v.revived) >= maxRevivals {
		return &fault.Error{
			Op: "mcp", On: v.name, Kind: fault.Unavailable, Err: errors.New(v.why),
			Hint: "calls have started it 3 times within 10 minutes, so they do not start it now; session.mcp.restartServer does",
		}
	}
	v.revived = append(v.revived, time.Now())
	kept := v.listing
	v.restart()
	if v.status == wire.MCPPending {
		v.listing, v.background = kept, true
		v.set.changedLocked()
	}
	return nil
}

// usable returns the connection to a server, with what the server says of its tools. It waits while the server is
// connected to again, and starts one again that has failed after it had connected. [fault.Unavailable] if it
// cannot be used. name is what the caller calls the server, for errors.
func (v *server) usable(ctx context.Context, name string) (*connection, listing, error) {
	for waited := false; ; waited = true {
		var n *connection
		var l listing
		var err error
		s := v.set
		s.mu.Lock()
		changed := s.next()
		switch {
		case s.closed:
			err = fault.New(fault.Unavailable, "mcp", v.name, "the session is closing")
		case v.connection != nil && !v.connection.ended():
			n, l = v.connection, v.listing
		case v.status == wire.MCPPending || v.connection != nil: // it is connected to again, or its end will be noticed
		case v.status == wire.MCPFailed && len(v.tools) > 0 && !waited:
			err = v.revive()
		default:
			err = v.unusable(name)
		}
		s.mu.Unlock()
		if n != nil || err != nil {
			return n, l, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, listing{}, context.Cause(ctx)
		}
	}
}

// unusable says why a server cannot be used. The caller holds the lock.
func (v *server) unusable(name string) error {
	why := ""
	if v.why != "" {
		why = ": " + v.why
	}
	return fault.New(fault.Unavailable, "mcp", name, "MCP server %q is not connected%s", name, why)
}

// ended reports whether another connection takes the place of this one, or none does.
func (n *connection) ended() bool {
	select {
	case <-n.down:
		return true
	case <-n.lost:
		return true
	default:
		return n.context.Err() != nil
	}
}
