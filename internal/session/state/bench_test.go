package state

import (
	"encoding/json"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// BenchmarkFold is what the events of a turn with a tool call cost the state of
// the session, from their lines in the log.
func BenchmarkFold(b *testing.B) {
	turn, args := "3", json.RawMessage(`{"path":"/work/main.go"}`)
	var lines [][]byte
	for _, d := range []wire.Data{
		&wire.AssistantTurnStart{TurnID: turn},
		&wire.AssistantMessage{MessageID: "m", Content: "Let me look.", ToolRequests: []wire.ToolRequest{{ToolCallID: "c1", Name: "view", Arguments: args}}},
		&wire.PermissionRequested{RequestID: "r", PermissionRequest: &wire.CustomToolPermission{ToolName: "view", ToolDescription: "Look at a file", Args: args}},
		&wire.PermissionCompleted{RequestID: "r", Result: &wire.PermissionApproved{}},
		&wire.ToolStart{ToolCallID: "c1", ToolName: "view", Arguments: args, TurnID: &turn},
		&wire.ExternalToolRequested{RequestID: "r", SessionID: "s", ToolCallID: "c1", ToolName: "view", Arguments: args},
		&wire.ToolComplete{ToolCallID: "c1", Success: true, Result: &wire.ToolResult{Content: "package main"}},
		&wire.AssistantTurnEnd{TurnID: turn},
	} {
		body, err := wire.Marshal(d)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, wire.AppendEvent(nil, &wire.Event{Header: wire.Header{ID: wire.NewID(), Type: d.Type()}, Data: body}))
	}
	b.ReportAllocs()
	for b.Loop() {
		var s State
		for i, line := range lines {
			e, err := wire.ParseEvent(line)
			if err != nil {
				b.Fatal(err)
			}
			s.Apply(uint64(i+1), e)
		}
	}
}
