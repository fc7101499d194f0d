package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Bounds of the start of a server.
const (
	// StartTime is how long a server may take to connect and to list its tools. A program may
	// have to be downloaded first.
	StartTime = time.Minute
	// AwaitTime is how long a run waits for a server, from the server's start. The tools of a
	// server that takes longer are offered with the next call of the model.
	AwaitTime = 10 * time.Second
	// relistPause is the least time between two readings of the list of tools.
	relistPause = time.Second
)

// server is one server of a session. Its fields are guarded by the lock of its set.
type server struct {
	set  *Set
	name string

	config config
	ours   bool                                  // this program has added it
	find   func(context.Context) json.RawMessage // finds the configuration of such a server; nil for others
	status wire.MCPServerStatus
	why    string    // of a failure, in words for the user
	since  time.Time // when it got the status, or was started again
	at     int       // the number of its latest start
	// background says that no run waits for the server while it is starting: it had connected before, or a client wants that.
	background bool

	credentials *credentials // of a web service; nil until it is first connected to
	flow        *oauth.Flow  // the sign-in that waits for the user; nil: none
	// again says that a client has attached, since the server was started, that can give a token.
	again bool

	connection *connection        // nil unless it is connected, or is connected to again
	listing                       // of its tools; kept while it is connected to again, and after a failure that a call may mend
	revived    []time.Time        // when calls have started it
	cancel     context.CancelFunc // ends its goroutine; nil: it has none
	done       chan struct{}      // closed when its goroutine has ended
}

// start starts the goroutine of the server. The caller holds the lock, and the server has no
// goroutine.
func (v *server) start() {
	c := v.config
	if err := v.set.resolve(&c); err != nil {
		v.fail(err)
		return
	}
	ctx, cancel := context.WithCancel(v.set.context)
	v.at++
	v.background, v.again = false, false
	v.cancel, v.done = cancel, make(chan struct{})
	at, done := v.at, v.done
	v.become(wire.MCPPending, "")
	v.set.threads.Go(func() {
		defer close(done)
		defer cancel()
		if err := fault.Guard("mcp.server", func() error { return v.live(ctx, at, &c) }); err != nil {
			v.set.lock(func() { v.failed(at, err) })
		}
	})
}

// refresh reads the lists that have changed, and reports the changes to the clients.
func (v *server) refresh(at int, n *connection) error {
	changed := change(n.changed.Swap(0))
	var err error
	if changed&changedTools != 0 {
		var l listing
		if l, err = n.list(n.context, n.config); err == nil {
			v.set.lock(func() {
				if v.at == at && v.connection == n {
					v.listing = l
					v.set.changedLocked()
				}
			})
			v.set.opts.Host.Notify(&wire.MCPToolsListChanged{ServerName: v.name})
		}
	}
	if changed&changedResources != 0 {
		v.set.opts.Host.Notify(&wire.MCPResourcesListChanged{ServerName: v.name})
	}
	if changed&changedPrompts != 0 {
		v.set.opts.Host.Notify(&wire.MCPPromptsListChanged{ServerName: v.name})
	}
	return err
}

// connected notes that the server can be used, for the first time or again. The caller holds the lock.
func (v *server) connected(at int, n *connection, l listing) {
	if v.at != at || v.cancel == nil {
		return // it was stopped meanwhile
	}
	if had := v.listing.definitions; had != nil && !maps.Equal(had, l.definitions) {
		v.set.opts.Host.Notify(&wire.MCPToolsListChanged{ServerName: v.name})
	}
	v.connection, v.listing = n, l
	v.become(wire.MCPConnected, "")
	v.set.changedLocked()
}

// failed notes why the server cannot be used. Its tools stay if a call may start it again. The caller holds the lock.
func (v *server) failed(at int, err error) {
	if v.at != at || v.cancel == nil {
		return
	}
	if fault.KindOf(err) == fault.Denied || v.connection != nil && !v.connection.replaceable() {
		v.listing = listing{}
	}
	v.cancel, v.connection = nil, nil
	if fault.KindOf(err) == fault.Denied {
		v.become(wire.MCPNeedsAuth, fault.Message(err))
		if v.again && v.credentials.retry() {
			v.restart()
		}
		return
	}
	v.become(wire.MCPFailed, fault.Message(err))
}

// stop ends the server, and returns a channel that is closed when that has happened. The
// caller holds the lock.
func (v *server) stop(status wire.MCPServerStatus) <-chan struct{} {
	ended := v.end()
	if v.status != status {
		v.become(status, "")
	}
	return ended
}

// fail ends a server that cannot be started, and says why. The caller holds the lock.
func (v *server) fail(err error) {
	v.end()
	v.become(wire.MCPFailed, fault.Message(err))
}

// end ends the server, as stop does, and leaves its status as it is. The caller holds the lock.
func (v *server) end() <-chan struct{} {
	if v.cancel != nil {
		v.cancel()
	}
	v.cancel, v.connection, v.listing = nil, nil, listing{}
	if v.done == nil {
		v.done = make(chan struct{})
		close(v.done)
	}
	return v.done
}

// become sets the status and reports it to the clients. The caller holds the lock.
func (v *server) become(status wire.MCPServerStatus, why string) {
	why = v.set.opts.Host.Redact(why)
	same := v.status == status && v.why == why
	if v.status != status {
		v.since = time.Now()
	}
	v.status, v.why = status, why
	if same {
		return
	}
	v.set.opts.Host.Notify(&wire.MCPStatusChanged{ServerName: v.name, Status: status, Error: wire.Optional(why)})
	v.set.changedLocked()
}
