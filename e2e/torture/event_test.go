//go:build unix

package torture_test

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// data is what the checks read of events.
type data struct {
	RequestID     string `json:"requestId"`
	ToolCallID    string `json:"toolCallId"`
	Queued        struct{ MessageID string }
	MessageID     string `json:"messageId"`
	Delivery      string `json:"delivery"`
	Success       bool   `json:"success"`
	WarningType   string `json:"warningType"`
	ParentID      string `json:"parentId"`
	ExecutionMode string `json:"executionMode"`
	Cancelled     bool   `json:"cancelled"`
	Kind          struct {
		AgentID string `json:"agentId"`
	} `json:"kind"`
	ToolRequests []struct {
		ToolCallID string `json:"toolCallId"`
	} `json:"toolRequests"`
	Result struct {
		Content string `json:"content"`
		Kind    string `json:"kind"`
	} `json:"result"`
	PermissionRequest struct {
		ToolCallID string `json:"toolCallId"`
	} `json:"permissionRequest"`
}

func read(e told) (d data) {
	_ = json.Unmarshal(e.Data, &d) // what does not decode has nothing to check
	return d
}

// newTold reads an event; what is none has its raw bytes and no type.
func newTold(raw []byte) told {
	e, err := wire.ParseEvent(raw)
	if err != nil {
		e = wire.Event{}
	}
	return told{e, string(raw)}
}

// readLog returns the events of a log, line by line.
func readLog(path string) ([]told, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var log []told
	for line := range bytes.Lines(text) {
		log = append(log, newTold(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return log, nil
}

// open is what a log leaves to be done.
type open struct {
	calls   []string          // without an end
	tools   map[string]string // call by request: handed out, not ended
	askings map[string]string // call by request: asked, not answered
}

func openOf(log []told) open {
	o := open{tools: map[string]string{}, askings: map[string]string{}}
	var made []string
	ended := map[string]bool{}
	for _, e := range log {
		d := read(e)
		switch e.Type {
		case "assistant.message":
			for _, c := range d.ToolRequests {
				made = append(made, c.ToolCallID)
			}
		case "tool.execution_complete":
			ended[d.ToolCallID] = true
		case "external_tool.requested":
			o.tools[d.RequestID] = d.ToolCallID
		case "permission.requested":
			o.askings[d.RequestID] = d.PermissionRequest.ToolCallID
		case "permission.completed":
			delete(o.askings, d.RequestID)
		}
	}
	for _, c := range made {
		if !ended[c] {
			o.calls = append(o.calls, c)
		}
	}
	without(o.tools, ended)
	without(o.askings, ended)
	return o
}

func without(requests map[string]string, ended map[string]bool) {
	for id, c := range requests {
		if ended[c] {
			delete(requests, id)
		}
	}
}
