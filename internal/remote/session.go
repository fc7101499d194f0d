package remote

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is a session of a server. Its methods may be called by several goroutines, but Events only
// once.
type Session struct {
	link    *Link
	id      string
	again   client.Config // of a resume when the connection was lost
	calls   chan *Call
	retries chan wire.ModelRetry
	known   Description

	// first is the log at the time of opening, until Records has yielded it, or Events has begun.
	first []wire.Event

	// The rest but mu and what it guards belongs to Events.
	rows         *timeline.Reader
	requests     map[string]wire.Event // permission requests of the log that may be open, by id
	last         string                // the id of the last persisted event
	seen, before map[string]bool       // the ids of the latest persisted events
	working      bool                  // a run is under way, as of the last event

	mu     sync.Mutex
	client *client.Client // that the session is open on
	on     *client.Session
	asked  asked
	closed bool // another client has closed the session
	left   bool
}

// Description is what is known of a session when it is opened.
type Description struct {
	Model, Mode, Folder, Branch, Title string

	New     bool // it has no messages
	Working bool // a run is under way
}

// ID returns the id of the session.
func (s *Session) ID() string { return s.id }

// Description returns what was known of the session when it was opened.
func (s *Session) Description() Description { return s.known }

// connection is what the session is open on.
func (s *Session) connection() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// do calls a method of the session. params may be nil.
func (s *Session) do(ctx context.Context, method string, params map[string]any, result any) error {
	all := map[string]any{"sessionId": s.id}
	for name, value := range params {
		all[name] = value
	}
	c := s.connection()
	if ended(c) {
		return fault.New(fault.Unavailable, method, s.link.Address, "the connection to the server is lost; nothing was done")
	}
	err := s.link.call(ctx, c, method, all, result)
	if err != nil && strings.Contains(err.Error(), "Session not found: "+s.id) { // its hint is for programs
		return &fault.Error{
			Op: method, On: s.link.Address, Kind: fault.NotFound, Err: errors.New("the server does not have this session any more: another client has deleted or closed it"),
			Hint: "/new begins another one, and /resume lists those that there are",
		}
	}
	return err
}

// describe asks what is known of the session.
func (s *Session) describe(ctx context.Context) (d Description, err error) {
	m, err := s.link.Metadata(ctx, s.id)
	if err != nil {
		return d, err
	}
	if d.New = m == nil || m.Summary == ""; m != nil {
		if d.Title = m.Summary; m.Context != nil {
			d.Folder, d.Branch = m.Context.Cwd, m.Context.Branch
		}
	}
	if d.Model, err = s.Model(ctx); err != nil {
		return d, err
	}
	if err := s.do(ctx, "session.mode.get", nil, &d.Mode); err != nil {
		return d, err
	}
	d.Working, err = s.isWorking(ctx)
	return d, err
}

// AllowsAll reports whether everything is allowed, so that the user is asked nothing.
func (s *Session) AllowsAll(ctx context.Context) (bool, error) {
	var now wire.PermissionModeIs
	err := s.do(ctx, "session.permissions.getMode", nil, &now)
	return now.Mode == wire.ModeAllowAll, err
}

// Retries yields retries of model calls. Nobody waits for them to be received.
func (s *Session) Retries() <-chan wire.ModelRetry { return s.retries }

// maxRetries bounds the retries that wait to be received.
const maxRetries = 16

// isWorking reports whether a run is under way.
func (s *Session) isWorking(ctx context.Context) (bool, error) {
	var now wire.Processing
	err := s.do(ctx, "session.metadata.isProcessing", nil, &now)
	return now.Processing, err
}

// Records yields the persisted events from the first, without those that were removed from the
// history.
func (s *Session) Records(ctx context.Context) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		s.mu.Lock()
		first := s.first
		s.first = nil
		s.mu.Unlock()
		if first == nil {
			s.log(ctx)(yield)
			return
		}
		for _, e := range first {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Leave detaches from the session, which the server keeps. Only the first call does something.
func (s *Session) Leave(ctx context.Context) error {
	s.mu.Lock()
	left := s.left
	s.left = true
	s.mu.Unlock()
	s.asked.answers.Wait() // each has a bound
	if left {
		return nil
	}
	if ended(s.connection()) {
		return nil
	}
	return s.detach(ctx)
}

func (s *Session) detach(ctx context.Context) error {
	s.mu.Lock()
	on := s.on
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	err := s.link.refused("session.detach", on.Detach(ctx))
	if fault.KindOf(err) == fault.NotFound {
		return nil // it was closed
	}
	return err
}

// Ended reports whether the session has to be entered again: another client has closed it, or the
// connection is lost.
func (s *Session) Ended() bool {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	return closed || ended(s.connection())
}
