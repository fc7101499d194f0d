package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Host is the session as its servers need it. Its methods are safe for concurrent use and are
// not called on the session's own goroutine, except for Cwd, Notify and Conceal, which return at
// once.
type Host interface {
	// Cwd is the working directory, where programs start.
	Cwd() string
	// Folders are those that the session may work in, the first one first.
	Folders(ctx context.Context) ([]string, error)
	// Notify sends the clients an ephemeral event.
	Notify(wire.Data)
	// Warn records a warning for the user.
	Warn(text string)
	// Conceal keeps the secrets in an address and in headers out of events and errors.
	Conceal(address string, headers map[string]string)
	// Redact returns a text without known secrets, those of Conceal among them.
	Redact(text string) string
	// Progress sends clients a line about how far a call is.
	Progress(c tool.Call, message string)
	// Meta lets hooks choose the _meta of a call of a tool of a server; meta is what it would be.
	Meta(ctx context.Context, c tool.Call, server, tool string, meta map[string]any) map[string]any
	// Sandbox returns the sandbox in which a program runs; a nil policy: outside of any. of is the server of a
	// project that it is, nil for every other. The error says why the program must not start.
	Sandbox(ctx context.Context, of *OfProject) (*sandbox.Boxes, *sandbox.Policy, error)
	// Asker answers what servers ask. If it is nil, this program announces to servers that it
	// answers nothing.
	Asker() Asker
}

// Options configures [New]. Host is required.
type Options struct {
	Host Host
	// Environ is the environment that programs inherit, in the form of os.Environ.
	Environ []string
	// Withheld are the names of variables in Environ that a program gets only if its configuration
	// names them in env.
	Withheld []string
	// Keeper is the program to start as the keeper of a server; its main function must call
	// [proctree.RunKeeper] first. Empty: there is no keeper, so the child processes of a server survive
	// if this process is killed.
	Keeper string
	// Apps tells servers that their tools may have user interfaces (MCP Apps).
	Apps bool
	// Version is the version of this program, which is sent to servers.
	Version string
	// Eras remembers the protocols of servers beyond the set; nil: it does so itself.
	Eras *Eras
	// Transport makes the connection to a server, for tests. nil, and for a server for which it returns
	// nil: as it is configured.
	Transport func(server string) sdk.Transport
	// Web sends the requests to web services, for tests. nil: over the network.
	Web http.RoundTripper
}

// Set is the servers of one session. It is a [tool.Source]. It is safe for concurrent use.
type Set struct {
	opts    Options
	web     func() http.RoundTripper // made when it is first needed
	context context.Context          // ends with the set
	cancel  context.CancelFunc
	threads sync.WaitGroup // the goroutines of the servers

	mu       sync.Mutex // guards the rest; never held while a server is waited for
	servers  map[string]*server
	disabled map[string]bool
	indirect bool          // the values of env are names of variables
	tokens   *oauth.Tokens // nil: there are none yet
	document string        // the address of a document about the program of the client; may be empty
	online   bool          // web was called
	loaded   bool          // the clients know that all servers of the first configuration have settled
	closed   bool
	// later finds the configurations of servers of this program that are not started yet; nil: none.
	later map[string]func(context.Context) json.RawMessage
	// executions cancel the calls of the model for servers that clients have begun, by their ids; nil: none.
	executions map[string]context.CancelFunc
	changed    chan struct{} // closed at the next change; nil: nobody waits for it
	offered    []tool.Tool   // the tools of all servers; nil: to be made
}

// New returns the servers of a session; there are none yet.
func New(o Options) *Set {
	if o.Eras == nil {
		o.Eras = &Eras{}
	}
	s := &Set{opts: o, servers: map[string]*server{}, disabled: map[string]bool{}}
	s.web = sync.OnceValue(func() http.RoundTripper {
		if o.Web != nil {
			return o.Web
		}
		return newRoundTripper()
	})
	s.context, s.cancel = context.WithCancel(context.Background())
	return s
}

// Configuration is what a client configures of its servers.
type Configuration struct {
	// Servers are configurations as clients send them, by name. Servers that are not in it
	// stay as they are, and so does one whose configuration is the same.
	Servers map[string]json.RawMessage
	// Disabled are the names of servers that are not started; nil leaves the list as it is. A
	// server that is running is not stopped.
	Disabled []string
	// Indirect says that the values of env are names of variables of this program, and not
	// the values themselves.
	Indirect bool
	// Tokens keeps the tokens of servers that are web services; nil leaves it as it is. At first they are
	// kept in memory.
	Tokens *oauth.Tokens
	// ClientDocument is the address of a document about the program of the client, for signing in;
	// empty leaves it as it is.
	ClientDocument string
	// Warn is called with what the client should know, before any server is started, on the
	// caller's goroutine.
	Warn func(text string)
}

// maxServers bounds the servers of one configuration.
const maxServers = 100

// Configure adds servers and starts them. It returns at once. Servers that cannot be started
// are listed as failed.
func (s *Set) Configure(c Configuration) {
	names := slices.Sorted(maps.Keys(c.Servers))
	if len(names) > maxServers {
		c.Warn(fmt.Sprintf("a session has %d MCP servers at most; these are not started: %s", maxServers, strings.Join(names[maxServers:], ", ")))
		names = names[:maxServers]
	}
	s.lock(func() {
		if s.closed {
			return
		}
		s.indirect = c.Indirect
		s.tokens, s.document = cmp.Or(c.Tokens, s.tokens), cmp.Or(c.ClientDocument, s.document)
		if c.Disabled != nil {
			clear(s.disabled)
			for _, name := range c.Disabled {
				s.disabled[name] = true
			}
		}
		for _, name := range names {
			s.configure(name, c.Servers[name])
		}
	})
}

// configure adds a server or changes it. The caller holds the lock.
func (s *Set) configure(name string, sent json.RawMessage) {
	s.replaces(name)
	v := s.servers[name]
	if v != nil && slices.Equal(v.config.text, compact(sent)) {
		return
	}
	c, err := parse(name, sent)
	if bad := checkName(name); bad != nil {
		err = bad
	}
	if v == nil {
		v = &server{set: s, name: name}
		s.servers[name] = v
	}
	v.config, v.ours = c, false
	s.opts.Host.Conceal(c.url, c.headers)
	s.opts.Host.Conceal("", keysIn(c.env))
	switch {
	case err != nil:
		v.config.text = compact(sent)
		v.fail(err)
	default:
		v.restart()
	}
}

// off reports whether the server is disabled: it is not started, and gets no token. The caller holds the
// lock.
func (v *server) off() bool {
	return v.set.disabled[v.name] || v.ours && v.set.disabled[wire.OtherServerName(v.name)]
}

// mayAsk returns why a server must not be asked anything; nil if it may. The caller holds the lock.
func (v *server) mayAsk() error {
	if v.off() {
		return fault.New(fault.Denied, "mcp", v.name, "MCP server %q is disabled; enable it first, with session.mcp.enable", v.name)
	}
	return nil
}

// restart starts the server unless it is disabled, after it has ended if it is running. The caller holds the lock.
func (v *server) restart() {
	if v.set.closed {
		return
	}
	if v.off() {
		v.stop(wire.MCPDisabled)
		return
	}
	v.since = time.Now()
	launch := v.start
	if v.ours {
		launch = v.seek
	}
	if v.cancel == nil && v.done == nil {
		launch()
		return
	}
	ended := v.stop(wire.MCPPending)
	v.at++
	at := v.at
	v.set.threads.Go(func() {
		<-ended // bounded: see connection.close
		v.set.lock(func() {
			if v.at == at && v.cancel == nil && v.status == wire.MCPPending && !v.set.closed {
				launch()
			}
		})
	})
}

// resolve replaces the names of variables in the environment of a server by their values. The
// caller holds the lock.
func (s *Set) resolve(c *config) error {
	if !s.indirect || len(c.env) == 0 {
		return nil
	}
	env := map[string]string{}
	for name, variable := range c.env {
		i := slices.IndexFunc(s.opts.Environ, func(v string) bool { return strings.HasPrefix(v, variable+"=") })
		if i < 0 {
			return unavailable("its variable %s refers to %s, which is not set here", name, variable)
		}
		env[name] = s.opts.Environ[i][len(variable)+1:]
	}
	c.env = env
	return nil
}

// inherited is the environment that programs inherit.
func (o Options) inherited() []string {
	return slices.DeleteFunc(slices.Clone(o.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(o.Withheld, name)
	})
}

// lock runs f with the lock held, and then calls settle.
func (s *Set) lock(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.settle()
}

// settle sends the clients session.mcp_servers_loaded when, for the first time, no server is
// starting any more. The caller holds the lock.
func (s *Set) settle() {
	if s.loaded || len(s.servers) == 0 || s.closed {
		return
	}
	loaded := &wire.MCPServersLoaded{}
	for _, v := range s.sorted() {
		if v.status == wire.MCPPending {
			return
		}
		loaded.Servers = append(loaded.Servers, v.summary())
	}
	s.loaded = true
	s.opts.Host.Notify(loaded)
}

// sorted returns the servers in the order of their names. The caller holds the lock.
func (s *Set) sorted() []*server {
	all := make([]*server, 0, len(s.servers))
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		all = append(all, s.servers[name])
	}
	return all
}

// changedLocked notes that the tools or the state of a server have changed. The caller holds
// the lock.
func (s *Set) changedLocked() {
	s.offered = nil
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// next returns a channel that is closed at the next change. The caller holds the lock.
func (s *Set) next() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Await waits until every server has connected or failed, for each at most [AwaitTime] from its
// start, and until ctx ends.
func (s *Set) Await(ctx context.Context) {
	s.need()
	for {
		s.mu.Lock()
		rest, changed := time.Duration(0), s.next()
		for _, v := range s.servers {
			if v.status == wire.MCPPending && !v.background {
				rest = max(rest, AwaitTime-time.Since(v.since))
			}
		}
		s.mu.Unlock()
		if rest <= 0 {
			return
		}
		late := time.NewTimer(rest)
		select {
		case <-changed:
		case <-late.C:
		case <-ctx.Done():
			late.Stop()
			return
		}
		late.Stop()
	}
}

// Background releases everything that waits in [Set.Await] for servers that are starting now,
// and reports whether there are any.
func (s *Set) Background() (any bool) {
	s.lock(func() {
		for _, v := range s.servers {
			if v.status == wire.MCPPending && !v.background {
				any, v.background = true, true
			}
		}
		if any {
			s.changedLocked()
		}
	})
	return any
}

// Settled waits until a server is not starting any more, and returns why it cannot be used;
// nil if it can.
func (s *Set) Settled(ctx context.Context, name string) error {
	for {
		s.mu.Lock()
		v, changed := s.named(name), s.next()
		status, why := wire.MCPStopped, "it was not started"
		if v != nil {
			status, why = v.status, v.why
		}
		s.mu.Unlock()
		switch status {
		case wire.MCPConnected:
			return nil
		case wire.MCPPending:
		default:
			return fault.New(fault.Unavailable, "mcp", name, "MCP server %q is not connected (%s): %s", name, status, why)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends all servers, with everything that they have started, and waits for that: some
// seconds at most. It may be called more than once.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	online := s.online
	s.mu.Unlock()
	s.cancel()
	s.threads.Wait()
	if online {
		idle := http.Client{Transport: s.web()}
		idle.CloseIdleConnections()
	}
}
