package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/shellword"
)

// connection is one connection to a server, from its start to its end.
type connection struct {
	confined string // a hint for the user, if the server of a project runs in a sandbox; set before it starts
	server   *server
	config   *config
	client   *sdk.ClientSession
	child    *child                   // nil for a web service
	remote   *remote                  // nil for a program
	era      era                      // what is known of its protocol before it is asked
	probe    atomic.Pointer[patience] // of the question for its protocol, while it is asked
	probed   bool                     // it was asked
	exited   bool                     // the server ended the connection before it was made
	receive  sdk.MethodHandler        // handles what the server asks; set before it starts
	verdict  error                    // why it does not get the older handshake; nil: it may
	late     *time.Timer              // ends a connection that is not made in time
	context  context.Context
	cancel   context.CancelCauseFunc // ends everything that uses the connection
	lost     chan struct{}           // closed when it has ended
	threads  sync.WaitGroup

	since    time.Time   // when it was made
	answered atomic.Bool // a call on it was answered
	leaving  sync.Once
	down     chan struct{} // closed when another connection is to take its place; why says why
	why      error
	unheard  chan struct{} // closed when the server tells of no changes any more
	tasks    onlyTasks
	orders   orders        // of the properties in the schemas of the server
	empty    chan struct{} // closed when it is retired and no call is running

	sampled   atomic.Int64 // how many requests for a model there were
	samplings atomic.Int32 // how many are open

	changed atomic.Uint32 // which lists have changed: a set of change
	wake    chan struct{} // has room for one: changed was set

	calls    sync.Mutex // guards the rest
	retired  bool       // it is closed when no call is running
	flood    meter
	token    int64
	progress map[int64]*call // the calls that are running
	warned   []string        // what was warned of
}

// change is a list of a server that has changed.
type change uint32

const (
	changedTools change = 1 << iota
	changedResources
	changedPrompts
)

// dial connects to a server. ctx bounds the connection, not only its start. A program that ends when it is asked
// for its version is started again and gets the older handshake, and so does a web service whose answer is none.
func (v *server) dial(ctx context.Context, c *config) (*connection, error) {
	eras := v.set.opts.Eras
	is := eras.of(c)
	n, err := v.dialAs(ctx, c, is)
	if err != nil && is == eraUnknown && n.probed && n.exited && n.verdict == nil && ctx.Err() == nil {
		n, err = v.dialAs(ctx, c, eraLegacy)
	}
	switch {
	case err != nil:
		eras.note(c, eraUnknown)
		return nil, err
	case n.client.InitializeResult().ProtocolVersion >= modernVersion:
		eras.note(c, eraModern)
	default:
		eras.note(c, eraLegacy)
	}
	return n, nil
}

// dialAs connects to a server of which is is known. After an error, the connection has ended.
func (v *server) dialAs(ctx context.Context, c *config, is era) (*connection, error) {
	n := &connection{
		server: v, config: c, era: is, since: time.Now(), lost: make(chan struct{}), down: make(chan struct{}), unheard: make(chan struct{}), empty: make(chan struct{}),
		wake: make(chan struct{}, 1), progress: map[int64]*call{},
	}
	n.context, n.cancel = context.WithCancelCause(ctx)
	n.late = time.AfterFunc(StartTime, func() { n.cancel(fmt.Errorf("it did not connect within %v", StartTime)) })
	defer n.late.Stop()
	transport, err := n.transport(c)
	if err == nil {
		o := &sdk.ClientSessionOptions{}
		if is == eraLegacy {
			o.ProtocolVersion = protocolVersion
		}
		n.client, err = n.newClient().Connect(n.context, transport, o)
	}
	if err != nil {
		if n.child != nil && ctx.Err() != nil {
			n.child.program.Kill() // it is stopped while it starts, so it has nothing to finish
		}
		n.exited = n.remote != nil && errors.Is(err, sdk.ErrConnectionClosed)
		err = n.failure(cmp.Or(n.verdict, err))
		if n.child != nil {
			select {
			case <-n.child.ended:
				n.exited = true
			default:
			}
		}
		close(n.lost)
		n.close()
		return n, err
	}
	n.threads.Go(func() {
		defer close(n.lost)
		_ = fault.Guard("mcp.Wait", n.client.Wait) // why it ended is found out by failure
	})
	return n, nil
}

// transport starts the server if it is a program, and returns the way to it.
func (n *connection) transport(c *config) (transport sdk.Transport, err error) {
	if made := n.server.set.opts.Transport; made != nil { // a test
		if transport = made(n.server.name); transport != nil {
			return transport, nil
		}
	}
	if !c.local() {
		if err := n.dialRemote(c); err != nil {
			return nil, err
		}
		return n.remote.transport(c), nil
	}
	l := launch{keeper: n.server.set.opts.Keeper, dir: n.server.set.opts.Host.Cwd(), environ: n.server.set.opts.inherited()}
	if l.boxes, l.policy, err = n.server.set.opts.Host.Sandbox(n.context, c.ofProject(n.server.name)); err != nil {
		return nil, err
	}
	if l.policy != nil && c.ofProject("") != nil {
		n.confined = "it runs in a sandbox, with the network and the folders that you grant it: sidestick mcp grant " + shellword.Quote(n.server.name) + " --help"
		if downloads(c.command) {
			n.confined += "; " + filepath.Base(c.command) + " downloads programs, so it needs --outside, or --host with the host of its registry"
		}
	}
	if n.child, err = l.begin(c); err != nil {
		return nil, err
	}
	return n.child.transport(func(err error) { n.cancel(err) }, n.hear), nil
}

// newClient returns the client of the SDK.
func (n *connection) newClient() *sdk.Client {
	o := &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                &sdk.ClientCapabilities{}, // nil would offer folders (roots) to every server; see offersRoots
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { n.note(changedTools) },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { n.note(changedResources) },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { n.note(changedPrompts) },
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true}, // see rounds
		ProgressNotificationHandler: func(_ context.Context, q *sdk.ProgressNotificationClientRequest) { n.progressed(q.Params) },
	}
	if n.server.set.opts.Apps {
		o.Capabilities.Extensions = map[string]any{"io.modelcontextprotocol/ui": map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}}
	}
	n.askable(o)
	client := sdk.NewClient(&sdk.Implementation{Name: "sidestick", Version: n.server.set.opts.Version}, o)
	client.AddReceivingMiddleware(n.bounded, n.listsRoots)
	client.AddSendingMiddleware(n.negotiated, n.rounds, allListed, offersRoots)
	return client
}

// bounded ends the connection to a server that sends too much.
func (n *connection) bounded(next sdk.MethodHandler) sdk.MethodHandler {
	n.receive = func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		n.calls.Lock()
		err := n.flood.counts(0)
		n.calls.Unlock()
		if err != nil {
			n.cancel(err)
			n.interrupt()
			return nil, err
		}
		if asked, ok := q.(*sdk.ElicitRequest); ok && levels(asked.Params.RequestedSchema) > maxLevels {
			return nil, deepForm() // the SDK would take hours to read it
		}
		return next(ctx, method, q)
	}
	return n.receive
}

func deepForm() error { return fmt.Errorf("the schema of a form has more than %d levels", maxLevels) }

// interrupt has the goroutine of the server end the connection.
func (n *connection) interrupt() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// note notes that a list has changed. A server may say so as often as it likes.
func (n *connection) note(what change) {
	n.changed.Or(uint32(what))
	n.interrupt()
}

// failure says why the connection ended or could not be made, in words for the user.
func (n *connection) failure(err error) error {
	cause := context.Cause(n.context)
	stopped := errors.Is(cause, context.Canceled) // then the program need not end by itself
	if stopped {
		cause = nil
	}
	if cause != nil {
		err = cause // the end of the program follows from it
	}
	denied := fault.Error{Op: "mcp", On: n.server.name, Kind: fault.Denied, Hint: "sign in with sidestick mcp login, or configure its Authorization header"}
	var lack *narrow
	var known *fault.Error
	var away *outage
	switch {
	case n.remote != nil && n.remote.refused.Load():
		denied.Err = errors.New("the server wants the client to authenticate")
		return &denied
	case errors.As(err, &lack):
		denied.Err = lack
		return &denied
	case errors.As(err, &away):
		return &fault.Error{Op: "mcp", On: n.server.name, Kind: fault.Unavailable, Err: away}
	case errors.As(err, &known):
		return &fault.Error{Op: "mcp", On: n.server.name, Kind: known.Kind, Hint: known.Hint, Err: errors.New(fault.Message(known.Err))}
	}
	text := ""
	if n.child != nil {
		if cause == nil && !stopped && n.child.endsWithin(exitGrace) {
			err = fmt.Errorf("it ended with exit code %d", n.child.code)
		}
		text = invisible.Show(n.child.errors.String())
	}
	if err = cmp.Or(err, errEnded); text != "" {
		err = fmt.Errorf("%w; its last output: %s", err, text)
	}
	return &fault.Error{Op: "mcp", On: n.server.name, Kind: fault.Unavailable, Err: err, Hint: n.confined}
}

var errEnded = errors.New("the connection has ended")

// closeTime bounds the wait for the SDK to give up a connection.
const closeTime = 6 * time.Second

// close ends the connection, and the program with everything that it has started, and waits
// for that. It may be called more than once.
func (n *connection) close() {
	n.cancel(context.Canceled)
	closed := make(chan struct{})
	go func() { // ends when the SDK does, which close waits for
		defer close(closed)
		if n.client != nil {
			_ = fault.Guard("mcp.Close", n.client.Close) // it may have ended already
		}
		n.threads.Wait()
	}()
	if n.child != nil {
		n.child.close()
		n.child.threads.Wait()
	}
	late := time.NewTimer(closeTime)
	defer late.Stop()
	select {
	case <-closed:
	case <-late.C:
	}
}

// downloads reports whether a command is known to load the program that it starts from a registry, which it cannot
// in a sandbox without a network.
func downloads(command string) bool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".cmd")
	return slices.Contains([]string{"npx", "npm", "pnpm", "bunx", "uvx", "uv", "pipx", "docker", "podman"}, name)
}
