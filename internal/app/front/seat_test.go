package front

import (
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/remote"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/entrytest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// house is a process with a scripted model, in which sessions are entered in one of two ways: as in
// this process, or through its server.
type house struct {
	t     *testing.T
	parts *wiring.Parts
	far   bool // through the server
	calls sync.WaitGroup
}

// ways runs a test for both implementations of [tui.Session].
func ways(t *testing.T, f func(t *testing.T, h *house), replies ...modeltest.Reply) {
	for name, far := range map[string]bool{"this process": false, "a server": true} {
		t.Run(name, func(t *testing.T) { f(t, newHouse(t, far, replies...)) })
	}
}

func newHouse(t *testing.T, far bool, replies ...modeltest.Reply) *house {
	t.Helper()
	r := entrytest.Runtime(t, wiring.Adjust{}, slices.Clone(replies)...)
	h := &house{t: t, parts: r.Parts, far: far}
	t.Cleanup(h.calls.Wait)
	return h
}

// enter enters a session; id is "" for a new one.
func (h *house) enter(id string) *seat {
	h.t.Helper()
	if h.far {
		return h.sit(h.enterFar(id))
	}
	return h.sit(h.enterHere(id))
}

func (h *house) enterHere(id string) tui.Session {
	h.t.Helper()
	r := &entry.Runtime{Parts: h.parts, Peer: entry.NewPeer()}
	f := &front{runtime: r, relay: newRelay()}
	yes := true
	cfg := wire.Config{SessionID: id, Streaming: &yes, RequestPermission: &yes, RequestUserInput: &yes, RequestElicitation: &yes, ContinuePendingWork: true}
	open := h.parts.Sessions.Create
	if id != "" {
		open = func(ctx context.Context, cfg wire.Config, p session.Peer) (*session.Client, error) {
			return h.parts.Sessions.Resume(ctx, cfg, p, nil)
		}
	}
	c, err := open(h.t.Context(), cfg, r.Peer)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	h.calls.Go(func() { f.passOn(ctx) })
	h.t.Cleanup(stop)
	return f.session(context.Background(), c)
}

func (h *house) enterFar(id string) tui.Session {
	h.t.Helper()
	link, err := remote.Connect(h.t.Context(), remote.Options{Dial: h.dial, Address: "the server", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = link.Close() }) // the server may have ended it
	var s *remote.Session
	if id == "" {
		s, err = link.Create(h.t.Context(), "", remote.Settings{})
	} else {
		s, err = link.Resume(h.t.Context(), id, remote.Settings{})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return (&guest{desk: desk{keys: keymap.Default()}}).attach(s)
}

func (h *house) dial(context.Context) (io.ReadWriteCloser, error) {
	near, far := net.Pipe()
	h.calls.Go(func() { _ = h.parts.Server.Serve(context.Background(), far) }) // ends with the connection
	return near, nil
}

// program enters a session as another program of the same process, which answers nothing.
func (h *house) program(id string) *session.Session {
	h.t.Helper()
	c, err := h.parts.Sessions.Resume(h.t.Context(), wire.Config{SessionID: id, ContinuePendingWork: true}, nil, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Tail().Close() })
	return c.Session()
}

// seat is a user at a session.
type seat struct {
	tui.Session
	t      *testing.T
	events chan follow.Event
	leave  func()
}

// sit reads the events of a session, until the test ends or the user leaves.
func (h *house) sit(s tui.Session) *seat {
	ctx, stop := context.WithCancel(context.Background())
	c := &seat{Session: s, t: h.t, events: make(chan follow.Event, 10_000)}
	var reading sync.WaitGroup
	reading.Go(func() {
		for e, err := range s.Events(ctx) {
			if err == nil {
				c.events <- e
			}
		}
	})
	c.leave = sync.OnceFunc(func() {
		stop()
		reading.Wait()
		if err := s.Leave(context.Background()); err != nil {
			h.t.Error(err)
		}
	})
	h.t.Cleanup(c.leave)
	return c
}

// until returns the next event of a type.
func (s *seat) until(kind wire.EventType) follow.Event {
	s.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case e := <-s.events:
			if e.Type == kind {
				return e
			}
		case <-limit:
			s.t.Fatalf("%s did not come", kind)
		}
	}
}

// patience says how a test fails, not what it tests.
const patience = 20 * time.Second

// say sends a message.
func (s *seat) say(text string) {
	s.t.Helper()
	if err := s.Send(s.t.Context(), wire.Send{Prompt: text}); err != nil {
		s.t.Fatal(err)
	}
}
