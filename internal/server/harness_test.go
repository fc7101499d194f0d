package server_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// home is where sessions are kept, on a disk in memory.
const home = "/home/session-state"

// permissionsFile holds the approvals that outlast a session.
const permissionsFile = "/home/permissions.json"

// process is a server as one process runs it, on a disk and with a model that
// are both in memory. It lives in a synctest bubble: time is fake, and
// [synctest.Wait] is the moment when the server has nothing more to say.
type process struct {
	t     *testing.T
	setup setup
	disk  *vfs.Mem
	model *modeltest.Server

	store    *files.Store
	sessions *registry.Registry
	server   *server.Server
	stop     context.CancelFunc
	ctx      context.Context
	serving  sync.WaitGroup
}

// setup is how a process was started. The zero value has a model and wants no
// token.
type setup struct {
	Token       string   // of the connection
	NoProvider  bool     // nothing says where a model is
	AllowAll    bool     // --yolo
	IdleTimeout string   // of sessions, such as "5m"
	Deny        []string // --deny-tool
	// Sandbox is which sandboxes work: "all", "reading" or "none"; "" if sessions have no
	// tool bash either. SandboxFlag is --sandbox.
	Sandbox     string
	SandboxFlag bool
	Ignored     []wire.Setting // what its command line asked for without an effect
	Apps        bool           // MCP Apps are switched on
	// Files is whether sessions have a tool create.
	Files bool
	// GitHub is what the GitHub API answers by token; nil: there is none. Other tokens are
	// refused, and "silent" fails.
	GitHub map[string]json.RawMessage
	Agents bool // sessions have the tools for sub-agents
	// Adjust changes the options before the process starts; nil: it does not.
	Adjust func(*registry.Options, *server.Home)
	// Gate makes the gate of the process; nil: there is one home.
	Gate func(*server.Home) gate.Gate[*server.Home]
	// Descriptors is how many files the process can have open; 0: many.
	Descriptors int
}

// rules are those of the command line.
func (s setup) rules() permit.Rules {
	r := permit.Rules{All: s.AllowAll}
	for _, text := range s.Deny {
		rule, err := permit.ParseRule(text)
		if err != nil {
			panic(err) // the transcript is wrong
		}
		rule.From = "flag --deny-tool"
		r.Deny = append(r.Deny, rule)
	}
	return r
}

// inBubble runs a test with a process and checks at its end that all has ended.
func inBubble(t *testing.T, s setup, f func(t *testing.T, p *process), script ...modeltest.Reply) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &process{t: t, setup: s, disk: vfs.NewMem(), model: modeltest.NewServer(script...)}
		defer p.model.Close()
		p.start()
		defer p.end()
		f(t, p)
	})
}

// start does what the program does when it starts.
func (p *process) start() {
	p.t.Helper()
	var err error
	if p.store, err = files.Open(files.Options{Root: home, FS: p.disk}); err != nil {
		p.t.Fatalf("files.Open: %v", err)
	}
	var idle time.Duration
	if p.setup.IdleTimeout != "" {
		if idle, err = time.ParseDuration(p.setup.IdleTimeout); err != nil {
			p.t.Fatalf("idleTimeout: %v", err)
		}
	}
	models := model.New(model.Options{Transport: p.model.Transport(), Logger: slog.New(slog.DiscardHandler)}, chat.New(), extensions.New(nil))
	defaults := provider.Provider{Model: "test-model", Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}}
	if p.setup.NoProvider {
		defaults = provider.Provider{Missing: &fault.Error{Op: "model", Kind: fault.Invalid, Err: errors.New("No model is configured.")}}
	}
	options := registry.Options{
		Store: p.store, Model: models, Version: "test", Provider: defaults, Cwd: "/work", FS: p.disk,
		Rules: p.setup.rules(), IdleTimeout: idle, Sandbox: p.setup.sandbox(), Tools: p.tools(), Permissions: permissionsFile, Home: "/home", UserHome: "/user", Resolve: filepath.Clean, MCP: servers, MCPApps: p.setup.Apps,
		Copilot: provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://mcp.test", Copilot: true}},
	}
	serving := server.Options{Models: models, Version: "test", Sandboxes: p.setup.sandboxes(), Files: cmp.Or(p.setup.Descriptors, 1<<20)}
	home := server.Home{Provider: defaults, Ignored: p.setup.Ignored, Identity: p.setup.identity(), Secrets: &obs.Redactor{}}
	if p.setup.Adjust != nil {
		p.setup.Adjust(&options, &home)
	}
	p.sessions = registry.New(options)
	home.Sessions = p.sessions
	serving.Gate = gate.One(p.setup.Token, &home)
	if p.setup.Gate != nil {
		serving.Gate = p.setup.Gate(&home)
	}
	p.server = server.New(serving)
	p.ctx, p.stop = context.WithCancel(context.Background())
}

// end does what the program does when it is asked to end.
func (p *process) end() {
	p.stop()
	p.serving.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.sessions.Close(ctx); err != nil {
		p.t.Errorf("Close: %v", err)
	}
}

// connect returns a new connection that is read all the time.
func (p *process) connect() *peer {
	c := p.connectUnread()
	c.listen()
	return c
}

// connectStarter is connect for the client that has started the process.
func (p *process) connectStarter() *peer {
	c := p.serve(func(ctx context.Context, rwc io.ReadWriteCloser) error {
		return p.server.ServeStarter(ctx, rwc, wire.ProtocolVersion)
	})
	c.listen()
	return c
}

// connectUnread returns a new connection that is not read until listen.
func (p *process) connectUnread() *peer { return p.serve(p.server.Serve) }

func (p *process) serve(serve func(context.Context, io.ReadWriteCloser) error) *peer {
	near, far := net.Pipe()
	p.serving.Go(func() {
		err := serve(p.ctx, far)
		if kind := fault.KindOf(err); err != nil && kind != fault.Canceled && kind != fault.Unavailable {
			p.t.Errorf("Serve: %v", err) // all else is for the client's death or ours
		}
	})
	return &peer{p: p, conn: near, told: make(chan struct{}, 1)}
}

// stored returns the lines of a session's log.
func (p *process) stored(id string) (lines []json.RawMessage) {
	p.t.Helper()
	for line, err := range p.sessions.History(context.Background(), id) {
		if err != nil {
			p.t.Fatalf("History(%s): %v", id, err)
		}
		lines = append(lines, line)
	}
	return lines
}

// peer is a client that speaks in bare messages and keeps all that it is told.
type peer struct {
	p      *process
	conn   net.Conn
	lastID int           // of the requests that call makes
	told   chan struct{} // holds one: heard has grown
	asked  func(message) // is called with each message of the server, on a goroutine of its own; nil: nobody is

	mu    sync.Mutex // guards the rest
	heard []message
}

// message is one frame of the server.
type message struct {
	raw    []byte
	id     string // as JSON; empty for a notification
	method string

	session string // of session.event and session.lifecycle
	event   event  // of session.event
	news    string // of session.lifecycle: its type

	result  json.RawMessage
	failure struct {
		Code    int
		Message string
	}
}

// event is the event of a notification, and its bytes.
type event struct {
	Type      string
	Data      json.RawMessage
	ID        string
	Timestamp string
	ParentID  *string
	Ephemeral bool

	raw json.RawMessage
}

// requestID is what an event asks clients to answer under.
func (e *event) requestID() string {
	var d struct{ RequestID string }
	_ = json.Unmarshal(e.Data, &d) // "" is answered as an unknown request
	return d.RequestID
}

// endings are how a connection ends, between frames or within one.
var endings = []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed}

// listen starts to read, until the connection ends.
func (c *peer) listen() {
	c.p.serving.Go(func() {
		r := bufio.NewReader(c.conn)
		for {
			body, err := readFrame(r)
			if err != nil {
				if !slices.ContainsFunc(endings, func(end error) bool { return errors.Is(err, end) }) {
					c.p.t.Errorf("reading: %v", err)
				}
				return
			}
			m, err := parse(body)
			if err != nil {
				c.p.t.Errorf("the server wrote %s: %v", body, err)
			}
			c.mu.Lock()
			c.heard = append(c.heard, m)
			asked := c.asked
			c.mu.Unlock()
			if asked != nil {
				c.p.serving.Go(func() { asked(m) })
			}
			select {
			case c.told <- struct{}{}:
			default:
			}
		}
	})
}

// header is the only header that some SDKs read, in its only spelling.
var header = regexp.MustCompile(`^Content-Length: ([0-9]+)\r\n$`)

func readFrame(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	found := header.FindStringSubmatch(line)
	if found == nil {
		return nil, fmt.Errorf("a frame begins with %q", line)
	}
	blank, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if blank != "\r\n" {
		return nil, fmt.Errorf("after %q comes %q", line, blank)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return nil, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return body, err
}

// write sends bodies as they are, in one go.
func (c *peer) write(bodies ...string) {
	c.p.t.Helper()
	var frames []byte
	for _, b := range bodies {
		frames = fmt.Appendf(frames, "Content-Length: %d\r\n\r\n%s", len(b), b)
	}
	if _, err := c.conn.Write(frames); err != nil {
		c.p.t.Errorf("writing %.100s: %v", bodies[0], err)
	}
}

// hangUp ends the connection as a client that dies does.
func (c *peer) hangUp() { _ = c.conn.Close() }

// patience is how long a test waits for an expected message. It is fake time, so that
// it only says how a test fails.
const patience = time.Hour

// await returns the first message after the first skip that fits, or fails.
func (c *peer) await(what string, skip int, fits func(m *message) bool) message {
	c.p.t.Helper()
	limit := time.After(patience)
	for {
		heard := c.messages()
		for ; skip < len(heard); skip++ {
			if fits(&heard[skip]) {
				return heard[skip]
			}
		}
		select {
		case <-c.told:
		case <-limit:
			c.p.t.Fatalf("%s did not come; the server wrote:\n%s", what, summary(heard))
		}
	}
}

// summary is what a failed test shows of messages.
func summary(heard []message) string {
	lines := transcribe(heard)
	for i, line := range lines {
		lines[i] = line[:min(len(line), 400)]
	}
	return strings.Join(lines, "\n")
}

func (c *peer) messages() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard[:len(c.heard):len(c.heard)]
}

// forget drops what was heard so far.
func (c *peer) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = nil
}

// request sends a request and returns its id.
func (c *peer) request(method, params string) (id string) {
	c.p.t.Helper()
	c.lastID++
	id = strconv.Itoa(c.lastID)
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// answer waits for the answer to a request.
func (c *peer) answer(id string) message {
	c.p.t.Helper()
	return c.await("the answer to "+id, 0, func(m *message) bool { return m.id == id })
}

// call makes a request that must succeed and returns its result.
func (c *peer) call(method, params string) json.RawMessage {
	c.p.t.Helper()
	m := c.answer(c.request(method, params))
	if m.failure.Message != "" {
		c.p.t.Fatalf("%s %s failed: %s", method, params, m.failure.Message)
	}
	return m.result
}

// event waits for the nth event of a type in a session, n from 1.
func (c *peer) event(session, kind string, n int) event {
	c.p.t.Helper()
	m := c.await(fmt.Sprintf("%s number %d of session %s", kind, n, session), 0, func(m *message) bool {
		if m.session == session && m.event.Type == kind {
			n--
		}
		return n == 0
	})
	return m.event
}

// events returns what the client was told of a session after its first skip
// messages.
func (c *peer) events(session string, skip int) (out []event) {
	for _, m := range c.messages()[skip:] {
		if m.event.Type != "" && m.session == session {
			out = append(out, m.event)
		}
	}
	return out
}
