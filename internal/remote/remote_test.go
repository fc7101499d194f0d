package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is a server on a disk and with a model in memory, in a bubble with a time of its own.
type process struct {
	t        *testing.T
	sessions *registry.Registry
	server   *server.Server
	serving  sync.WaitGroup

	mu    sync.Mutex
	token string
	down  bool       // no connection is accepted
	mute  string     // what does not answer: "dial", which waits for its end, or "server", which reads and does nothing
	ends  []net.Conn // of the connections, at the server
}

// serve runs a test with a server.
func serve(t *testing.T, f func(t *testing.T, p *process), script ...modeltest.Reply) {
	synctest.Test(t, func(t *testing.T) {
		models := modeltest.NewServer(script...)
		defer models.Close()
		p := &process{t: t, token: "secret"}
		store, err := files.Open(files.Options{Root: "/home/session-state", FS: vfs.NewMem()})
		if err != nil {
			t.Fatal(err)
		}
		client := model.New(model.Options{Transport: models.Transport(), Logger: slog.New(slog.DiscardHandler)}, chat.New())
		own := provider.Provider{Model: "test-model", Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}}
		p.sessions = registry.New(registry.Options{
			Store: store, Model: client, Version: "test", Provider: own, Cwd: "/work", FS: vfs.NewMem(), Home: "/home", UserHome: "/user", Permissions: "/home/permissions.json", Resolve: filepath.Clean,
			Tools: func(h tool.Host) session.Toolbox {
				return session.Toolbox{Tools: []tool.Tool{acts{}, tool.AskUser(h)}}
			},
		})
		p.server = server.New(server.Options{Gate: gate.One("secret", &server.Home{Sessions: p.sessions, Provider: own}), Models: client, Version: "test"})
		defer func() {
			p.cut()
			p.serving.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := p.sessions.Close(ctx); err != nil {
				t.Error(err)
			}
		}()
		f(t, p)
	})
}

// acts is a tool that needs a permission and does nothing.
type acts struct{}

func (acts) Definition() tool.Definition {
	return tool.Definition{Name: "act", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (acts) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{Kind: permit.CustomTool, Tool: "act"}, nil
}

func (acts) Run(context.Context, tool.Call) tool.Result {
	return tool.Result{Outcome: tool.Success, Text: "acted"}
}

// dial makes a connection.
func (p *process) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.mute == "dial":
		<-ctx.Done()
		return nil, ctx.Err()
	case p.mute == "server":
		near, far := net.Pipe()
		p.ends = append(p.ends, far)
		p.serving.Go(func() { _, _ = io.Copy(io.Discard, far) }) // ends with the connection
		return near, nil
	case p.down:
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	p.ends = append(p.ends, far)
	p.serving.Go(func() { _ = p.server.Serve(context.Background(), far) }) // ends with the connection
	return near, nil
}

// cut ends all connections.
func (p *process) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.ends {
		_ = c.Close()
	}
	p.ends = nil
}

// stop makes the server unreachable, and start ends that.
func (p *process) stop() {
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	p.cut()
}

func (p *process) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// connect returns a connection that ends with the test.
func (p *process) connect() *remote.Link {
	p.t.Helper()
	l, err := remote.Connect(p.t.Context(), remote.Options{Dial: p.dial, Address: "host:1", Token: p.token})
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

// user is a client that reads its events.
type user struct {
	*remote.Session
	t      *testing.T
	link   *remote.Link
	events chan follow.Event
	ended  chan error // the last error, nil for none
	stop   func()
}

// enter enters a session, a new one with id "".
func (p *process) enter(id string) *user {
	p.t.Helper()
	l := p.connect()
	open := l.Resume
	if id == "" {
		open = l.Create
	}
	s, err := open(p.t.Context(), id, remote.Settings{})
	if err != nil {
		p.t.Fatal(err)
	}
	u := &user{Session: s, t: p.t, link: l, events: make(chan follow.Event, 10_000), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		var last error
		for e, err := range s.Events(ctx) {
			if last = err; err == nil {
				u.events <- e
			}
		}
		close(u.events)
		u.ended <- last
	})
	u.stop = func() {
		cancel()
		reading.Wait()
		_ = s.Leave(context.Background()) // the connection may be lost
		_ = l.Close()
	}
	return u
}

// until returns the next event of a type; earlier ones are appended to seen, if that is not nil.
func (u *user) until(kind wire.EventType, seen *[]follow.Event) follow.Event {
	u.t.Helper()
	for e := range u.events {
		if seen != nil {
			*seen = append(*seen, e)
		}
		if e.Type == kind {
			return e
		}
	}
	u.t.Fatalf("%s did not come", kind)
	return follow.Event{}
}

func (u *user) say(text string) {
	u.t.Helper()
	if err := u.Send(u.t.Context(), wire.Send{Prompt: text}); err != nil {
		u.t.Fatal(err)
	}
}

// stored are the ids of the log of a session.
func (p *process) stored(id string) (ids []string) {
	p.t.Helper()
	for line, err := range p.sessions.History(context.Background(), id) {
		if err != nil {
			p.t.Fatal(err)
		}
		e, err := wire.ParseEvent(line)
		if err != nil {
			p.t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

// What the server says to programs about a session that is gone helps no user.
func TestASessionThatAnotherClientHasDeletedIsNamedSo(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		if err := p.sessions.Delete(t.Context(), u.ID()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		err := u.Send(t.Context(), wire.Send{Prompt: "hello?"})
		const want = "another client has deleted or closed it (/new begins another one, and /resume lists those that there are)"
		if fault.KindOf(err) != fault.NotFound || !strings.HasSuffix(fault.Message(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// Another title changes nothing of what waits in a session that nobody has open.
func TestRenamingKeepsWhatWaits(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		u.say("one")
		u.until("assistant.turn_start", nil)
		u.say("two")
		if err := u.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		u.until("session.idle", nil)
		u.stop()
		l := p.connect()
		defer l.Close()
		if err := l.Rename(t.Context(), u.ID(), "mine"); err != nil {
			t.Fatal(err)
		}
		u = p.enter(u.ID())
		defer u.stop()
		name, err := u.Name(t.Context())
		waiting, failed := u.Queue(t.Context())
		if err != nil || failed != nil || name != "mine" || !waiting.Held || len(waiting.Items) != 1 {
			t.Errorf("%q holds %+v, %v, %v", name, waiting, err, failed)
		}
	}, modeltest.Reply{Silent: true})
}

// A hand-over ends a pause, also if a command of the shell is first in the queue.
func TestAHandOverWithACommand(t *testing.T) {
	serve(t, func(t *testing.T, p *process) {
		u := p.enter("")
		defer u.stop()
		other, err := p.sessions.Resume(t.Context(), wire.Config{SessionID: u.ID()}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Session().Queue().Pause(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := u.Send(t.Context(), wire.Send{Prompt: "true", AgentMode: "shell"}); err != nil {
			t.Fatal(err)
		}
		if err := u.HandOver(t.Context()); err != nil {
			t.Fatal(err)
		}
		u.until("session.idle", nil)
		if waiting, err := u.Queue(t.Context()); err != nil || len(waiting.Items) > 0 {
			t.Errorf("%+v wait, %v", waiting.Items, err)
		}
	})
}
