package client

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tool is a tool that this program runs for the model.
type Tool struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	Parameters     json.RawMessage `json:"parameters,omitempty"` // JSON Schema; nil: no arguments
	SkipPermission bool            `json:"skipPermission,omitempty"`

	// Run does the work. Arguments are the model's JSON, nil for none. The model reads
	// the returned text, or learns that the tool failed. ctx ends when the result is no
	// longer wanted. Nil: the tool is only declared, and another client may run it.
	Run func(ctx context.Context, arguments json.RawMessage) (string, error) `json:"-"`
}

// Decision answers a permission request.
type Decision struct {
	// Kind is "approve-once", "approve-for-session", "reject" or "user-not-available".
	// Empty: nothing is sent, and another client decides.
	Kind     string `json:"kind"`
	Feedback string `json:"feedback,omitempty"` // for the model, with "reject"
}

// ApproveOnce approves one call.
var ApproveOnce = Decision{Kind: "approve-once"}

// take queues an event, and returns the work that the event asks for. It is called on
// the reading goroutine.
func (s *Session) take(ctx context.Context, e wire.Event) func() (any, error) {
	s.queue(e)
	switch e.Type {
	case "external_tool.requested":
		return s.runTool(ctx, e)
	case "external_tool.completed":
		if stop := s.claim(s.request(e).ID); stop != nil {
			stop()
		}
	case "permission.requested":
		return s.permit(ctx, e)
	}
	return nil
}

// queue keeps an event for Next. After an event that had no room it keeps no further
// ones, so that the reader never sees a gap.
func (s *Session) queue(e wire.Event) {
	if s.full {
		return
	}
	select {
	case s.events <- e:
	default:
		s.full = true
		close(s.lost)
	}
}

// request is the common part of the events that ask for something and of those that
// withdraw the request.
type request struct {
	ID         string          `json:"requestId"`
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
	Permission json.RawMessage `json:"permissionRequest"`
	Resolved   bool            `json:"resolvedByHook"`
}

// request reads the request in e. The ID is empty if it cannot be read.
func (s *Session) request(e wire.Event) (r request) {
	if err := json.Unmarshal(e.Data, &r); err != nil {
		s.client.log.Warn("event cannot be read", "session", s.ID, "type", e.Type, "err", fault.JSON(err))
	}
	return r
}

// runTool returns the work of running a tool and sending its result. The tool counts as
// running before the next event is read.
func (s *Session) runTool(ctx context.Context, e wire.Event) func() (any, error) {
	r := s.request(e)
	n := slices.IndexFunc(s.config.Tools, func(t Tool) bool { return t.Name == r.ToolName && t.Run != nil })
	if n < 0 {
		return nil
	}
	running, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.tools[r.ID] = cancel
	s.mu.Unlock()
	return func() (any, error) {
		defer cancel()
		params := map[string]any{"requestId": r.ID}
		if text, err := s.config.Tools[n].Run(running, r.Arguments); err != nil {
			params["error"] = err.Error()
		} else {
			params["result"] = text
		}
		if s.claim(r.ID) == nil {
			return nil, nil // another client answered before, or the turn was aborted
		}
		return nil, s.call(ctx, "session.tools.handlePendingToolCall", params, nil)
	}
}

// claim removes a tool from the running ones, and returns what stops it; nil if its
// result is no longer wanted.
func (s *Session) claim(id string) (stop context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop = s.tools[id]
	delete(s.tools, id)
	return stop
}

// permit returns the work of calling Permit and sending its decision.
func (s *Session) permit(ctx context.Context, e wire.Event) func() (any, error) {
	r := s.request(e)
	if s.config.Permit == nil || r.Resolved || r.ID == "" {
		return nil
	}
	return func() (any, error) {
		decision := s.config.Permit(ctx, r.Permission)
		if decision.Kind == "" {
			return nil, nil
		}
		return nil, s.call(ctx, "session.permissions.handlePendingPermissionRequest",
			map[string]any{"requestId": r.ID, "result": decision}, nil)
	}
}
