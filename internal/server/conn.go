package server

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/stack"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// conn is one client.
type conn struct {
	quota.Signs
	srv       *Server
	rpc       *jsonrpc.Conn
	ctx       context.Context                      // ends with the connection
	entrance  atomic.Pointer[gate.Entrance[*Home]] // nil: the client has not authenticated
	connected atomic.Bool                          // connect was called with success
	memory    *quota.Share                         // of Server.memory
	files     *quota.Share                         // of Server.files
	remote    bool                                 // the client is on another machine
	name      string                               // by which credentials belong to the client
	started   bool                                 // the client has started this process
	protocol  int                                  // the version that it speaks
	brought   brought                              // what it may read again
	relays    sync.WaitGroup                       // the goroutines that write notifications, or ask for a token

	carriage atomic.Pointer[carriage]         // nil: the client carries no model calls
	storage  atomic.Pointer[clientfs.Storage] // nil: the client keeps no sessions

	telemetry   atomic.Bool // the client wants usage events
	clientTasks atomic.Bool // the client knows tasks of clients

	filtered filterShare // what it has added to Server.filter, whose lock guards it

	waiting atomic.Int32 // calls of session.eventLog.read that wait

	large     chan struct{} // holds one for each large answer under way
	interests interests
	order     *ordering // of the commands that take effect in order

	hungUp func() bool   // whether the client has closed the connection, even if its end was not read yet; nil: unknown
	left   chan struct{} // closed when the client has left its sessions

	mu       sync.Mutex // guards the rest; never held across a call
	attached map[string]*attachment
}

func newConn(ctx context.Context, s *Server, rwc io.ReadWriteCloser) *conn {
	c := &conn{
		srv: s, ctx: ctx, remote: isRemote(rwc), name: wire.NewID(), order: newOrdering(),
		memory: s.memory.Share(ownMemory), files: s.files.Share(0),
		large: make(chan struct{}, largeAtOnce), attached: map[string]*attachment{}, left: make(chan struct{}),
	}
	if nc, ok := rwc.(syscall.Conn); ok {
		c.hungUp = func() bool { return hungUp(nc) }
	}
	return c
}

// home is the home that the client may use. Nothing but connect is answered before there is one.
func (c *conn) home() *Home { return c.entrance.Load().Home }

// redact hides the secrets of the client's home in a text.
func (c *conn) redact(text string) string {
	if e := c.entrance.Load(); e != nil && e.Home.Secrets != nil {
		return e.Home.Secrets.Redact(text)
	}
	return text
}

// authenticate admits the client with its credential. It is called before the first message is read, or on the
// reading goroutine. A further credential changes nothing, but it must be right.
func (c *conn) authenticate(ctx context.Context, credential string) error {
	entrance, err := c.srv.opts.Gate.Admit(ctx, credential)
	if err != nil || c.entrance.Load() != nil {
		return err
	}
	c.entrance.Store(&entrance)
	watch := entrance.Home.Sessions.Watch() // before the next request, so that nothing is missed
	c.relays.Go(func() {
		stack.Reserve()
		c.relayLifecycle(c.ctx, watch)
	})
	return nil
}

// owner is the owner of the credentials that the client brings.
func (c *conn) owner() model.Owner { return model.OfClient(c.name) }

// reader is the client as one that may be shown credentials, or not.
func (c *conn) reader() model.Reader {
	return model.Reader{Connection: c.name, Started: c.started, Everything: c.home().ShowKeys}
}

// largeAtOnce bounds the answers that contain pieces of a log. A client that requests
// them and never reads makes the server hold so many in memory.
const largeAtOnce = 4

// attachment is a session that the client has attached to.
type attachment struct {
	client *session.Client
	pages  *eventlog.Pager    // of session.eventLog.read
	stop   context.CancelFunc // ends its relay
	files  *holding

	relayed chan struct{} // closed when its relay has ended
}

// handle decides what to do with a message. It runs on the reading goroutine: what
// depends on the order of arrival happens here, the rest in the returned work.
func (c *conn) handle(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
	c.Sent(c.srv.guests.came.Load())
	m, ok := methods[req.Method]
	req.Params = argument(req.Params)
	switch {
	case c.entrance.Load() == nil && req.Method != "connect":
		return fail(&jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "AUTHENTICATION_FAILED: call connect with the connection token first"})
	case !ok && req.IsNotification():
		return nil
	case c.srv.down.Load() && !slices.Contains(afterShutdown, req.Method):
		return fail(&failure{req.Method, fault.New(fault.Unavailable, "", "", "the server is shutting down")})
	case !ok:
		return fail(unhandled(c.redact(req.Method)))
	case m.first:
		value, err := m.call(ctx, c, req)
		return func() (any, error) { return value, err }
	case m.waits != nil && m.waits(req.Params):
		return func() (any, error) { return m.call(ctx, c, req) }
	case m.enters && sessionID(req.Params) != "":
		return c.enterInTurn(ctx, m, req)
	case !m.ordered:
		req.Computes = true
		return func() (any, error) { return m.call(ctx, c, req) }
	}
	id := sessionID(req.Params)
	if m.byRequest {
		id = "request " + wire.Raw(req.Params).Get("requestId").Text() // at worst, a session of that name waits, too
	}
	command := c.order.add(id)
	return func() (any, error) {
		done := sync.OnceFunc(func() { c.order.end(id, command) })
		defer done()
		if strings.HasPrefix(req.Method, "session.") {
			var end func()
			ctx, end = c.lasting(ctx)
			defer end()
		}
		if err := command.wait(ctx); err != nil {
			return nil, err
		}
		if m.asks {
			done()
		}
		return m.call(ctx, c, req)
	}
}

// enterInTurn returns the work of a method that attaches the client to a session. One that waits for another takes no turn from those
// that compute.
func (c *conn) enterInTurn(ctx context.Context, m method, req *jsonrpc.Request) func() (any, error) {
	place := "entering " + sessionID(req.Params) // at worst, a session of that name waits, too
	turn := c.order.add(place)
	req.Computes = turn.before == nil
	return func() (any, error) {
		defer c.order.end(place, turn)
		if err := turn.wait(ctx); err != nil {
			return nil, err
		}
		return m.call(ctx, c, req)
	}
}

// lasting returns a context for a command to a session that was read completely: it is carried
// out although the connection has ended, for at most detachWait after that. The cancellation of the
// request, and the end of this program, count at once. The caller calls end.
func (c *conn) lasting(ctx context.Context) (lasting context.Context, end func()) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { // ends with the command
		if context.Cause(ctx) != context.Canceled { // but the reason why the connection ends
			select {
			case <-time.After(detachWait):
			case <-lasting.Done():
			}
		}
		cancel()
	})
	return lasting, func() { stop(); cancel() }
}

// afterShutdown are the methods that are still answered after runtime.shutdown: those with
// which a client leaves.
var afterShutdown = []string{"connect", "ping", "runtime.shutdown", "session.destroy", "session.detach"}

func fail(err error) func() (any, error) {
	return func() (any, error) { return nil, err }
}

// unhandled returns the error for a method that does not exist. Clients branch on the
// code and on the first words of the message.
func unhandled(method string) error {
	message := "Unhandled method " + fault.Bounded(method)
	if why := whyMissing(method); why != "" {
		message += ": " + why
	}
	return &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: message}
}

// sessionID returns the session id in the parameters, "" if there is none.
func sessionID(params json.RawMessage) string {
	return wire.Raw(params).Get("sessionId").Text() // the method itself reports an error
}

// attachment returns the client's attachment to a session.
func (c *conn) attachment(id string) (*attachment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.attached[id]; a != nil {
		return a, nil
	}
	if id == "" {
		return nil, missing("sessionId")
	}
	return nil, wire.SessionNotFound(id)
}

// current returns the client in a session, nil if it is not attached.
func (c *conn) current(id string) *session.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.attached[id]; a != nil {
		return a.client
	}
	return nil
}

// attach adds an attachment and starts to relay the session's events. files is what the session takes.
func (c *conn) attach(client *session.Client, files *holding) {
	ctx, stop := context.WithCancel(c.ctx)
	a := &attachment{client: client, pages: client.Pages(), stop: stop, files: files, relayed: make(chan struct{})}
	id := client.Session().ID()
	c.mu.Lock()
	old := c.attached[id]
	if old != nil {
		old.files.give()
	}
	c.attached[id] = a
	c.mu.Unlock()
	c.relays.Go(func() {
		defer stop()
		defer a.pages.Close()
		a.relay(ctx, c, old)
		select {
		case <-client.Session().Closed():
			c.forget(id, a)
			a.files.give()
		case <-ctx.Done(): // the client has detached, or detachAll detaches it
		}
	})
}

// relay relays the events of a session after those that an earlier attachment of the client, nil if there was none, has got and
// not yet sent.
func (a *attachment) relay(ctx context.Context, c *conn, earlier *attachment) {
	defer close(a.relayed)
	if earlier != nil {
		earlier.client.Tail().End()
		select {
		case <-earlier.relayed:
		case <-ctx.Done():
		}
		earlier.stop()
	}
	c.relayEvents(ctx, a.client)
}

// begin runs f on a goroutine that the end of the connection waits for; false if that has come.
func (c *conn) begin(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.left:
		return false
	default:
		c.relays.Go(f)
		return true
	}
}

// leave says that the client has left its sessions.
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.left)
}

// forget removes an attachment if it is still the one for its session.
func (c *conn) forget(id string, a *attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.attached[id] == a {
		delete(c.attached, id)
	}
}

// take removes and returns the attachment to a session, nil if there is none.
func (c *conn) take(id string) *attachment {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.attached[id]
	delete(c.attached, id)
	return a
}

// detachWait bounds how long detaching a client from its sessions may take.
const detachWait = 10 * time.Second

// detachAtOnce is how many sessions a client that has gone leaves at the same time: each waits for the disk.
const detachAtOnce = 16

// detachAll detaches the client from all its sessions, each within detachWait: a client may have thousands.
func (c *conn) detachAll() {
	c.mu.Lock()
	all := c.attached
	c.attached = map[string]*attachment{}
	c.mu.Unlock()
	var leaving sync.WaitGroup
	places := make(chan struct{}, detachAtOnce)
	for id, a := range all {
		a.stop()
		places <- struct{}{}
		leaving.Go(func() {
			defer func() { <-places }()
			c.lose(id, a)
		})
	}
	leaving.Wait()
}

// lose detaches the client, which has gone, from one session.
func (c *conn) lose(id string, a *attachment) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), detachWait)
	defer cancel()
	defer c.settle(a)
	err := fault.Guard("server.detach", func() error {
		a.pages.Close()
		return a.client.Lost(ctx)
	})
	if err != nil {
		c.srv.opts.Logger.Warn("a client was not detached cleanly", "session", id, "err", err)
	}
}

// gone reports whether the client has closed the connection, even if this program has not read
// everything that the client sent.
func (c *conn) gone() bool {
	select {
	case <-c.rpc.Done():
		return true
	default:
		return c.hungUp != nil && c.hungUp()
	}
}

// largeAnswer carries out a request whose answer may be large. It returns nil if work
// returns no result. At most largeAtOnce large answers of a client are being made or
// wait to be read; further requests wait for those. A client whose share of the memory is used up is refused.
func (c *conn) largeAnswer(ctx context.Context, work func() (any, error)) (any, error) {
	select {
	case c.large <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	sent := func() { <-c.large }
	free, err := c.reserve()
	if err != nil {
		sent()
		return nil, err
	}
	defer free()
	defer func() { // also after a panic
		if sent != nil {
			sent()
		}
	}()
	result, err := work()
	if result == nil || err != nil {
		return nil, err
	}
	a := jsonrpc.Answer{Result: result, Sent: sent}
	sent = nil
	return a, nil
}
