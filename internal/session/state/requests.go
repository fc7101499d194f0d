package state

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Request is an open request to the clients: for a permission, or for the result of a
// tool call that a client runs.
type Request struct {
	AgentID    string // agent id of the requesting thread; "" for the main agent
	ToolCallID string
	Tool       string
	Data       json.RawMessage // data of the request's event
	Seq        uint64          // position of that event in the log
}

// Question is an open question of a session.
type Question struct {
	ID      string
	AgentID string // of the thread that asks; "" for the main agent
	Event   string // the type of the event with which clients were asked, as "permission.requested"
	Tool    string // that a permission is for; "" for other questions
}

func (t *Thread) requestPermission(s *State, data wire.Raw) {
	about := data.Get("permissionRequest")
	t.Permissions = with(t.Permissions, data.Get("requestId").Text(), Request{
		AgentID: t.AgentID, ToolCallID: about.Get("toolCallId").Text(), Tool: about.Get("toolName").Text(), Data: []byte(data), Seq: s.Seq,
	})
}

func (t *Thread) completePermission(_ *State, data wire.Raw) {
	delete(t.Permissions, data.Get("requestId").Text())
}

func (t *Thread) requestTool(s *State, data wire.Raw) {
	t.External = with(t.External, data.Get("requestId").Text(), Request{
		AgentID: t.AgentID, ToolCallID: data.Get("toolCallId").Text(), Tool: data.Get("toolName").Text(), Data: []byte(data), Seq: s.Seq,
	})
}

// closeRequests drops the requests about a call that has ended.
func (t *Thread) closeRequests(toolCallID string) {
	for _, requests := range []map[string]Request{t.External, t.Permissions} {
		for id, r := range requests {
			if r.ToolCallID == toolCallID {
				delete(requests, id)
			}
		}
	}
}

// Waits reports whether an open request is about a call.
func (t *Thread) Waits(toolCallID string) bool {
	for _, requests := range []map[string]Request{t.External, t.Permissions} {
		for _, r := range requests {
			if r.ToolCallID == toolCallID {
				return true
			}
		}
	}
	return false
}

// Permissions are the permission requests of all threads that have no answer, by
// their request id.
func (c *Conversation) Permissions() map[string]Request {
	return c.requests(func(t *Thread) map[string]Request { return t.Permissions })
}

// External returns the tool calls of all threads that wait for a result from a client, by
// request id.
func (c *Conversation) External() map[string]Request {
	return c.requests(func(t *Thread) map[string]Request { return t.External })
}

func (c *Conversation) requests(of func(*Thread) map[string]Request) map[string]Request {
	all := map[string]Request{}
	for _, t := range c.Threads() {
		for id, r := range of(t) {
			all[id] = r
		}
	}
	return all
}
