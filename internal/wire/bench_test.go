package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// samples are the events of a turn with a tool call.
func samples() []wire.Data {
	turn, name := "3", "gpt-5"
	args := json.RawMessage(`{"path":"/work/main.go","line":12}`)
	return []wire.Data{
		&wire.AssistantTurnStart{TurnID: turn, Model: &name},
		&wire.AssistantMessage{MessageID: wire.NewID(), Content: "Let me look.", TurnID: &turn, ToolRequests: []wire.ToolRequest{{ToolCallID: "c1", Name: "view", Arguments: args}}},
		&wire.PermissionRequested{RequestID: wire.NewID(), PermissionRequest: &wire.CustomToolPermission{ToolName: "view", ToolDescription: "Look at a file", Args: args}},
		&wire.ToolStart{ToolCallID: "c1", ToolName: "view", Arguments: args, TurnID: &turn, Model: &name},
		&wire.ToolComplete{ToolCallID: "c1", Success: true, Result: &wire.ToolResult{Content: "package main"}, TurnID: &turn, Model: &name},
		&wire.AssistantTurnEnd{TurnID: turn, Model: &name},
	}
}

// BenchmarkEncode measures recording the events of a turn, without the disk.
func BenchmarkEncode(b *testing.B) {
	events := samples()
	b.ReportAllocs()
	var line []byte
	for b.Loop() {
		for _, d := range events {
			body, err := wire.Marshal(d)
			if err != nil {
				b.Fatal(err)
			}
			e := wire.Event{Header: wire.Header{ID: wire.NewID(), ParentID: "p", Time: time.Now(), Type: d.Type()}, Data: body}
			line = wire.AppendEvent(line[:0], &e)
		}
	}
}

// BenchmarkParse measures reading the events of a turn, without the fold.
func BenchmarkParse(b *testing.B) {
	var lines [][]byte
	size := 0
	for _, d := range samples() {
		body, err := wire.Marshal(d)
		if err != nil {
			b.Fatal(err)
		}
		e := wire.Event{Header: wire.Header{ID: wire.NewID(), ParentID: wire.NewID(), Time: time.Now(), Type: d.Type()}, Data: body}
		lines = append(lines, wire.AppendEvent(nil, &e))
		size += len(lines[len(lines)-1])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			if _, err := wire.ParseEvent(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkAppendString measures the encoding of text, which is most of what a request to a
// model is made of: an answer in prose, and a tool's result with many lines.
func BenchmarkAppendString(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("The quick brown fox jumps over the lazy dog, again and again. ", 32),
		"code":  strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"x: %w\", err)\n\t}\n", 40),
		"short": "call_1",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			dst := make([]byte, 0, 2*len(text))
			for b.Loop() {
				dst = wire.AppendString(dst[:0], text)
			}
		})
	}
}
