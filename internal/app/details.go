package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// details is every field of an event's data that people get to see.
type details struct {
	Content       string `json:"content"`
	DeltaContent  string `json:"deltaContent"`
	InputDelta    string `json:"inputDelta"`
	MessageID     string `json:"messageId"`
	Message       string `json:"message"`
	Reason        string `json:"reason"`
	Title         string `json:"title"`
	TurnID        string `json:"turnId"`
	Model         string `json:"model"`
	NewModel      string `json:"newModel"`
	ErrorMessage  string `json:"errorMessage"`
	ShutdownType  string `json:"shutdownType"`
	Aborted       bool   `json:"aborted"`
	EventCount    int    `json:"eventCount"`
	InputTokens   int    `json:"inputTokens"`
	OutputTokens  int    `json:"outputTokens"`
	CurrentTokens int    `json:"currentTokens"`
	TokenLimit    int    `json:"tokenLimit"`
	Bytes         int    `json:"totalResponseSizeBytes"`
	Success       bool   `json:"success"`
	Context       struct {
		Cwd string `json:"cwd"`
	} `json:"context"`
	Cwd          string          `json:"cwd"`
	ToolName     string          `json:"toolName"`
	ToolCallID   string          `json:"toolCallId"`
	Arguments    json.RawMessage `json:"arguments"`
	ToolRequests []struct {
		Name string `json:"name"`
	} `json:"toolRequests"`
	Result struct {
		Content string `json:"content"` // of a tool
		Kind    string `json:"kind"`    // of a permission
	} `json:"result"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	PermissionRequest struct {
		ToolName string          `json:"toolName"`
		Args     json.RawMessage `json:"args"`
	} `json:"permissionRequest"`
}

// read decodes what it can: an event of another runtime, or of another type than
// people know, shows less, and is no error.
func read(e wire.Event) details {
	var d details
	_ = json.Unmarshal(e.Data, &d)
	return d
}

// brief is what one row shows of an event, possibly nothing.
func brief(t wire.EventType, d details) string {
	switch t {
	case "session.start":
		return "in " + d.Context.Cwd
	case "session.resume":
		return fmt.Sprintf("after %d events in the log", d.EventCount)
	case "session.shutdown":
		return d.ShutdownType
	case "session.error", "session.warning", "session.info":
		return d.Message
	case "session.title_changed":
		return d.Title
	case "session.model_change":
		return d.NewModel
	case "session.context_changed":
		return d.Cwd
	case "session.usage_info":
		return count(d.CurrentTokens) + " of " + count(d.TokenLimit) + " tokens"
	case "session.idle", "assistant.idle":
		return stopped(d)
	case "abort":
		return d.Reason
	case "user.message", "system.message", "assistant.reasoning":
		return d.Content
	case "assistant.turn_start", "assistant.turn_end":
		return "turn " + d.TurnID
	case "assistant.message":
		return said(d)
	case "assistant.usage":
		return used(d)
	case "assistant.streaming_delta":
		return count(d.Bytes) + " bytes of the answer"
	case "model.call_failure":
		return d.ErrorMessage
	case "tool.execution_start", "external_tool.requested":
		return called(d)
	case "tool.execution_complete":
		return completed(d)
	case "permission.requested":
		return d.PermissionRequest.ToolName + arguments(d.PermissionRequest.Args)
	case "permission.completed":
		return d.Result.Kind
	}
	return ""
}

func stopped(d details) string {
	if d.Aborted {
		return "aborted"
	}
	return ""
}

func said(d details) string {
	var names []string
	for _, c := range d.ToolRequests {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return d.Content
	}
	return strings.TrimSpace("[calls " + strings.Join(names, ", ") + "] " + d.Content)
}

func used(d details) string {
	if d.InputTokens+d.OutputTokens == 0 {
		return "not counted by the provider"
	}
	return fmt.Sprintf("%d tokens in, %d out", d.InputTokens, d.OutputTokens)
}

func called(d details) string { return d.ToolName + arguments(d.Arguments) }

func completed(d details) string {
	if d.Success {
		return d.Result.Content
	}
	return "failed: " + d.Error.Message
}

// arguments are those of a call, after its name; nothing if it has none.
func arguments(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "{}" || string(raw) == "null" {
		return ""
	}
	return " " + string(raw)
}

func piece(d details) string { return d.DeltaContent + d.InputDelta }
