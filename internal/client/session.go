package client

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// queueSize is how many events of a session may wait for [Session.Next]. A turn of
// a talkative model has a few thousand deltas.
const queueSize = 4096

// Config is how a session starts, or is resumed.
type Config struct {
	// ID is the session's id. [Client.CreateSession] makes one if it is empty,
	// [Client.ResumeSession] needs it.
	ID string
	// Params are further parameters of session.create or session.resume, such as
	// model, provider or streaming. ID, Tools and Permit override them.
	Params map[string]any
	// Tools are offered to the model and run here.
	Tools []Tool
	// Permit decides on permission requests, given the permissionRequest of the
	// event. Nil: this client decides none, and requests stay pending.
	Permit func(ctx context.Context, request json.RawMessage) Decision
}

// Session is one conversation. Its methods are safe for concurrent use, but each event
// goes to only one of the callers that wait for events.
type Session struct {
	ID            string
	WorkspacePath string // a folder on the runtime's machine; empty if it keeps none

	client *Client
	config Config
	events chan wire.Event
	lost   chan struct{} // closed when events had no room
	full   bool          // the same, for the reading goroutine only

	mu    sync.Mutex                    // guards tools
	tools map[string]context.CancelFunc // running, by request
}

// CreateSession starts a session. Its events are kept from the first one on.
func (c *Client) CreateSession(ctx context.Context, config Config) (*Session, error) {
	if config.ID == "" {
		config.ID = wire.NewSessionID()
	}
	return c.open(ctx, "session.create", config)
}

// ResumeSession attaches to an existing session, with the tools and the permission
// handler of config. Past events are not sent again; Call session.getMessages for them.
func (c *Client) ResumeSession(ctx context.Context, config Config) (*Session, error) {
	if config.ID == "" {
		return nil, fault.New(fault.Invalid, "client.ResumeSession", "", "Config.ID is empty")
	}
	return c.open(ctx, "session.resume", config)
}

func (c *Client) open(ctx context.Context, method string, config Config) (*Session, error) {
	s := &Session{
		ID: config.ID, client: c, config: config,
		events: make(chan wire.Event, queueSize),
		lost:   make(chan struct{}),
		tools:  make(map[string]context.CancelFunc),
	}
	if err := c.register(s); err != nil {
		return nil, err
	}
	var opened wire.Created
	err := c.Call(ctx, method, config.params(), &opened)
	if err == nil && opened.SessionID != s.ID {
		err = fault.New(fault.Internal, "client.open", s.ID, "runtime calls it %q", opened.SessionID)
	}
	if err != nil {
		c.unregister(s)
		return nil, err
	}
	s.WorkspacePath = opened.WorkspacePath
	return s, nil
}

func (c *Client) register(s *Session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.ID] != nil {
		return fault.New(fault.Conflict, "client.open", s.ID, "this client has it open already")
	}
	c.sessions[s.ID] = s
	return nil
}

func (c *Client) unregister(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s.ID)
}

func (config Config) params() map[string]any {
	params := maps.Clone(config.Params)
	if params == nil {
		params = make(map[string]any)
	}
	params["sessionId"] = config.ID
	if len(config.Tools) > 0 {
		params["tools"] = config.Tools
	}
	if config.Permit != nil {
		params["requestPermission"] = true
	}
	return params
}

// Send sends a prompt to the model, and returns the id of the message before the turn
// begins.
func (s *Session) Send(ctx context.Context, prompt string) (messageID string, err error) {
	var sent struct {
		MessageID string `json:"messageId"`
	}
	err = s.call(ctx, "session.send", map[string]any{"prompt": prompt}, &sent)
	return sent.MessageID, err
}

// Abort stops the turn under way, if any; session.idle follows.
func (s *Session) Abort(ctx context.Context) error {
	return s.call(ctx, "session.abort", map[string]any{}, nil)
}

// Detach leaves the session, which the runtime keeps. No further events arrive, and no
// tools are run.
func (s *Session) Detach(ctx context.Context) error {
	defer s.client.unregister(s)
	return s.call(ctx, "session.detach", map[string]any{}, nil)
}

// call calls a method of the session.
func (s *Session) call(ctx context.Context, method string, params map[string]any, result any) error {
	params["sessionId"] = s.ID
	return s.client.Call(ctx, method, params, result)
}

// Wait passes each event to fn, in order, up to and including session.idle.
// A nil fn is allowed. After a session.error it still waits for session.idle, and
// then returns that error's message, as [fault.Internal]. Other errors are those of
// [Session.Next].
func (s *Session) Wait(ctx context.Context, fn func(wire.Event)) error {
	var failure error
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if fn != nil {
			fn(e)
		}
		switch e.Type {
		case "session.error":
			failure = s.failure(e)
		case "session.idle":
			return failure
		}
	}
}

func (s *Session) failure(e wire.Event) error {
	var data struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return fault.New(fault.Internal, "client.Wait", s.ID, "session.error: %w", fault.JSON(err))
	}
	return fault.New(fault.Internal, "client.Wait", s.ID, "%s", data.Message)
}

// Next returns the next event. The error is [fault.Unavailable] after the last event of
// the queue if the connection has ended or the queue has overflowed. If ctx ends, it is
// of the kind that [fault.KindOf] says.
func (s *Session) Next(ctx context.Context) (wire.Event, error) {
	var why error
	select {
	case e := <-s.events:
		return e, nil
	case <-s.lost:
		why = fault.New(fault.Unavailable, "client.Next", s.ID, "%d events waited, and more were lost", queueSize)
	case <-s.client.Done():
		why = fault.New(fault.Unavailable, "client.Next", s.ID, "connection ended")
	case <-ctx.Done():
		why = fault.New(fault.KindOf(ctx.Err()), "client.Next", s.ID, "%w", ctx.Err())
	}
	select {
	case e := <-s.events: // events in the queue come first
		return e, nil
	default:
		return wire.Event{}, why
	}
}
