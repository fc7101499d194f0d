package spans_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/spans"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Tools are children of the run. A tool that failed says so, one that never ended ends with the events,
// and a call of a sub-agent is told from one of the main agent with the same id.
func TestToolsAndFailures(t *testing.T) {
	disk := vfs.NewMem()
	f := spans.New(spans.Options{Path: "/spans.jsonl", FS: disk, Content: true})
	f.Observe(context.Background(), "s1", func(yield func(eventlog.Record, error) bool) {
		for _, line := range []string{
			`{"type":"user.message","id":"1","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"data":{"content":"go"}}`,
			`{"type":"assistant.turn_start","id":"2","timestamp":"2026-01-01T00:00:01.000Z","parentId":"1","data":{"turnId":"0","model":"m"}}`,
			`{"type":"model.call_failure","id":"3","timestamp":"2026-01-01T00:00:02.000Z","parentId":"2","data":{"errorMessage":"busy"}}`,
			`{"type":"assistant.turn_end","id":"4","timestamp":"2026-01-01T00:00:02.000Z","parentId":"2","data":{"turnId":"0"}}`,
			`{"type":"tool.execution_start","id":"5","timestamp":"2026-01-01T00:00:03.000Z","parentId":"4","data":{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls"}}}`,
			`{"type":"tool.execution_start","id":"6","timestamp":"2026-01-01T00:00:03.000Z","parentId":"5","agentId":"a","data":{"toolCallId":"c1","toolName":"view"}}`,
			`{"type":"tool.execution_complete","id":"7","timestamp":"2026-01-01T00:00:04.000Z","parentId":"6","data":{"toolCallId":"c1","success":false,"error":{"code":"denied","message":"no"}}}`,
			`not json`,
		} {
			if !yield(eventlog.Record{JSON: []byte(line)}, nil) {
				return
			}
		}
		yield(eventlog.Record{}, eventlog.ErrClosed)
	})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := disk.ReadFile("/spans.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		var s struct {
			Name       string
			End        string `json:"endTimeUnixNano"`
			Attributes map[string]any
			Status     struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		text := s.Name + " " + s.End[8:10] + " " + s.Status.Message
		if arguments, ok := s.Attributes["gen_ai.tool.call.arguments"].(string); ok {
			text += " " + arguments
		}
		got = append(got, text)
	}
	want := []string{"chat m 02 busy", `execute_tool bash 04 denied {"command":"ls"}`, "execute_tool view 04 ", "invoke_agent 04 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// A run belongs to the span of the client that its message names. Other texts are no spans.
func TestARunBelongsToTheSpanOfItsClient(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for traceparent, want := range map[string]bool{
		"00-" + trace + "-" + parent + "-01":      true,
		"01-" + trace + "-" + parent + "-01-more": true,
		"":                           false,
		"00-" + trace + "-" + parent: false,
		"00-" + trace + "-" + parent + "-01-more":              false,
		"ff-" + trace + "-" + parent + "-01":                   false,
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01":  false,
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01":  false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false,
		"00-" + trace + "-zzzzzzzzzzzzzzzz-01":                 false,
	} {
		disk := vfs.NewMem()
		f := spans.New(spans.Options{Path: "/spans.jsonl", FS: disk})
		f.Observe(context.Background(), "s1", func(yield func(eventlog.Record, error) bool) {
			yield(eventlog.Record{JSON: []byte(`{"type":"user.message","id":"1","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"data":{"content":"go","traceparent":"` + traceparent + `"}}`)}, nil)
		})
		data, err := disk.ReadFile("/spans.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var s struct{ TraceID, ParentSpanID string }
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		if got := s.TraceID == trace && s.ParentSpanID == parent; got != want {
			t.Errorf("%q: trace %s, parent %q; want it continued: %v", traceparent, s.TraceID, s.ParentSpanID, want)
		}
	}
}

// The span of a call that a client runs has the id that the client was given, in the trace of its run.
func TestACallOfAClientHasTheSpanThatTheClientKnows(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	for _, parent := range []string{"", "00-" + trace + "-b7ad6b7169203331-01"} {
		named := spans.ToolContext("s1", "run-1", parent)
		disk := vfs.NewMem()
		f := spans.New(spans.Options{Path: "/spans.jsonl", FS: disk})
		f.Observe(context.Background(), "s1", func(yield func(eventlog.Record, error) bool) {
			for _, line := range []string{
				`{"type":"user.message","id":"1","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"data":{"content":"go","interactionId":"run-1","traceparent":"` + parent + `"}}`,
				`{"type":"tool.execution_start","id":"2","timestamp":"2026-01-01T00:00:03.000Z","parentId":"1","data":{"toolCallId":"c1","toolName":"look"}}`,
				`{"type":"external_tool.requested","id":"3","timestamp":"2026-01-01T00:00:03.000Z","parentId":"2","data":{"toolCallId":"c1","traceparent":"` + named + `"}}`,
			} {
				if !yield(eventlog.Record{JSON: []byte(line)}, nil) {
					return
				}
			}
		})
		data, err := disk.ReadFile("/spans.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var call, run struct{ TraceID, SpanID, ParentSpanID string }
		lines := strings.SplitN(string(data), "\n", 2)
		if err := errors.Join(json.Unmarshal([]byte(lines[0]), &call), json.Unmarshal([]byte(lines[1]), &run)); err != nil {
			t.Fatal(err)
		}
		if got := "00-" + call.TraceID + "-" + call.SpanID + "-01"; got != named || call.TraceID != run.TraceID || call.ParentSpanID != run.SpanID {
			t.Errorf("of %q the span is %s below %+v, want %s", parent, got, run, named)
		}
		if parent != "" && run.TraceID != trace {
			t.Errorf("the trace is %s, want that of the client", run.TraceID)
		}
	}
}
