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

// briefs says of each event type what one row shows of it.
var briefs = map[wire.EventType]func(d details) string{
	"session.start":             func(d details) string { return "in " + d.Context.Cwd },
	"session.resume":            func(d details) string { return fmt.Sprintf("after %d events in the log", d.EventCount) },
	"session.shutdown":          func(d details) string { return d.ShutdownType },
	"session.error":             func(d details) string { return d.Message },
	"session.warning":           func(d details) string { return d.Message },
	"session.info":              func(d details) string { return d.Message },
	"session.title_changed":     func(d details) string { return d.Title },
	"session.model_change":      func(d details) string { return d.NewModel },
	"session.context_changed":   func(d details) string { return d.Cwd },
	"session.usage_info":        func(d details) string { return count(d.CurrentTokens) + " of " + count(d.TokenLimit) + " tokens" },
	"session.idle":              stopped,
	"abort":                     func(d details) string { return d.Reason },
	"user.message":              func(d details) string { return d.Content },
	"system.message":            func(d details) string { return d.Content },
	"assistant.turn_start":      func(d details) string { return "turn " + d.TurnID },
	"assistant.turn_end":        func(d details) string { return "turn " + d.TurnID },
	"assistant.reasoning":       func(d details) string { return d.Content },
	"assistant.message":         said,
	"assistant.idle":            stopped,
	"assistant.usage":           used,
	"model.call_failure":        func(d details) string { return d.ErrorMessage },
	"tool.execution_start":      called,
	"tool.execution_complete":   completed,
	"external_tool.requested":   called,
	"permission.requested":      func(d details) string { return d.PermissionRequest.ToolName + arguments(d.PermissionRequest.Args) },
	"permission.completed":      func(d details) string { return d.Result.Kind },
	"assistant.message_delta":   piece,
	"assistant.reasoning_delta": piece,
	"assistant.tool_call_delta": piece,
	"assistant.streaming_delta": func(d details) string { return count(d.Bytes) + " bytes of the answer" },
}

// brief is what one row shows of an event, possibly nothing.
func brief(t wire.EventType, d details) string {
	if f := briefs[t]; f != nil {
		return f(d)
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
