package spans_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/spans"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Tools are children of the run. A tool or a command that failed says so, and why, one that never ended ends with the events,
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
			`{"type":"tool.execution_start","id":"8","timestamp":"2026-01-01T00:00:05.000Z","parentId":"7","data":{"toolCallId":"c2","toolName":"bash"}}`,
			`{"type":"tool.execution_complete","id":"9","timestamp":"2026-01-01T00:00:05.000Z","parentId":"8","data":{"toolCallId":"c2","success":true,"result":{"content":"broken"},"shellExecution":{"exitCode":3}}}`,
			`{"type":"tool.execution_start","id":"10","timestamp":"2026-01-01T00:00:06.000Z","parentId":"9","data":{"toolCallId":"c3","toolName":"bash"}}`,
			`{"type":"tool.execution_complete","id":"11","timestamp":"2026-01-01T00:00:06.000Z","parentId":"10","data":{"toolCallId":"c3","success":true,"result":{"content":"whole"},"shellExecution":{"exitCode":0}}}`,
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
	got := summaries(t, disk)
	want := []string{"chat m 02 busy", `execute_tool bash 04 denied {"command":"ls"} no`, "execute_tool bash 05 exit code 3 broken 3", "execute_tool bash 06  whole 0", "execute_tool view 06 ", "invoke_agent 06 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// summaries are the spans in a file in short.
func summaries(t *testing.T, disk *vfs.Mem) (got []string) {
	t.Helper()
	data, err := disk.ReadFile("/spans.jsonl")
	if err != nil {
		t.Fatal(err)
	}
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
		if result, ok := s.Attributes["gen_ai.tool.call.result"].(string); ok {
			text += " " + result
		}
		if code, ok := s.Attributes["process.exit.code"]; ok {
			text += fmt.Sprint(" ", code)
		}
		got = append(got, text)
	}
	return got
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

// observe passes events on to a file in memory, and returns a line for each span: its trace, its name,
// its seconds, and the sub-agent that it is of.
func observe(t *testing.T, events ...string) []string {
	t.Helper()
	disk := vfs.NewMem()
	f := spans.New(spans.Options{Path: "/spans.jsonl", FS: disk})
	f.Observe(context.Background(), "s1", func(yield func(eventlog.Record, error) bool) {
		for i, e := range events {
			line := fmt.Sprintf(`{"id":"%d","timestamp":"2026-01-01T00:00:%02d.000Z","parentId":null,%s}`, i, i, e)
			if !yield(eventlog.Record{JSON: []byte(line)}, nil) {
				return
			}
		}
	})
	data, err := disk.ReadFile("/spans.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	traces := map[string]int{}
	for line := range strings.Lines(string(data)) {
		var s struct {
			Name, TraceID string
			Begin         string `json:"startTimeUnixNano"`
			End           string `json:"endTimeUnixNano"`
			Attributes    map[string]any
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if traces[s.TraceID] == 0 {
			traces[s.TraceID] = len(traces) + 1
		}
		text := fmt.Sprint(traces[s.TraceID], " ", s.Name, " ", s.Begin[8:10], "-", s.End[8:10])
		for _, name := range []string{"gen_ai.agent.id", "gen_ai.usage.input_tokens"} {
			if v, ok := s.Attributes[name]; ok {
				text += fmt.Sprint(" ", v)
			}
		}
		got = append(got, text)
	}
	return got
}

const (
	user        = `"type":"user.message","data":{"content":"go"}`
	turnStart   = `"type":"assistant.turn_start","data":{"turnId":"0","model":"m"}`
	usage       = `"type":"assistant.usage","ephemeral":true,"data":{"inputTokens":5}`
	turnEnd     = `"type":"assistant.turn_end","data":{"turnId":"0"}`
	idle        = `"type":"session.idle","ephemeral":true,"data":{}`
	sumStart    = `"type":"assistant.turn_start","data":{"turnId":"1","model":"m","purpose":"compaction"}`
	sumEnd      = `"type":"assistant.turn_end","data":{"turnId":"1"}`
	sumUsage    = `"type":"assistant.usage","ephemeral":true,"data":{"inputTokens":70,"duration":2000,"initiator":"compaction"}`
	agentUser   = `"type":"user.message","agentId":"a","data":{"content":"look"}`
	agentStart  = `"type":"assistant.turn_start","agentId":"a","data":{"turnId":"0","model":"n"}`
	agentEnd    = `"type":"assistant.turn_end","agentId":"a","data":{"turnId":"0"}`
	agentTool   = `"type":"tool.execution_start","agentId":"a","data":{"toolCallId":"c","toolName":"view"}`
	agentResult = `"type":"tool.execution_complete","agentId":"a","data":{"toolCallId":"c","success":true}`
	agentDone   = `"type":"subagent.completed","agentId":"a","data":{}`
)

// Work that is of no run of the main agent begins none: no idle event follows that would end it.
func TestWorkOutsideOfARun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []string
		want   []string
	}{
		{
			"a summary of an idle session",
			[]string{idle, idle, sumStart, sumEnd, sumUsage, user, turnStart, usage, turnEnd, idle},
			[]string{"1 chat m 01-03 70", "2 chat m 06-08 5", "2 invoke_agent 05-09"},
		},
		{
			"a summary that ends after the run beside which it was made",
			[]string{user, turnStart, usage, turnEnd, idle, sumStart, sumEnd, sumUsage},
			[]string{"1 chat m 01-03 5", "1 invoke_agent 00-04", "2 chat m 04-06 70"},
		},
		{
			"a summary beside a call of the model ends only itself",
			[]string{user, turnStart, sumStart, sumEnd, sumUsage, usage, turnEnd, idle},
			[]string{"1 chat m 01-03 70", "1 chat m 01-06 5", "1 invoke_agent 00-07"},
		},
		{
			"a summary whose usage is not known",
			[]string{sumStart, sumEnd, user, turnStart, turnEnd, idle},
			[]string{"1 chat m 03-04", "1 invoke_agent 02-05", "2 chat m 00-01"},
		},
		{
			"a sub-agent that a client starts in an idle session",
			[]string{agentUser, agentStart, agentEnd, agentTool, agentResult, agentDone, user, turnStart, turnEnd, idle},
			[]string{"1 chat n 01-02 a", "1 execute_tool view 03-04 a", "1 invoke_agent 00-05 a", "2 chat m 07-08", "2 invoke_agent 06-09"},
		},
		{
			"the main agent works and ends beside it",
			[]string{agentUser, agentStart, user, turnStart, turnEnd, idle, agentEnd, agentDone},
			[]string{"1 chat m 03-04", "1 invoke_agent 02-05", "2 chat n 01-06 a", "2 invoke_agent 00-07 a"},
		},
		{
			"a sub-agent of a run",
			[]string{user, agentUser, agentStart, agentEnd, agentDone, turnStart, turnEnd, idle},
			[]string{"1 chat n 02-03 a", "1 chat m 05-06", "1 invoke_agent 00-07"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, observe(t, tc.events...)); diff != "" {
				t.Errorf("trace, span, seconds (-want +got):\n%s", diff)
			}
		})
	}
}

// A session of many sub-agents, and of long messages, keeps what spans can still contain, and no more.
func TestMessagesThatNoSpanWillContainAreForgotten(t *testing.T) {
	for name, events := range map[string]func(i int) []string{
		"of sub-agents that have ended": func(i int) []string {
			return []string{
				`{"type":"user.message","id":"1","timestamp":"2026-01-01T00:00:00.000Z","agentId":"` + strconv.Itoa(i) + `","parentId":null,"data":{"content":"` + strings.Repeat("x", 100<<10) + `"}}`,
				`{"type":"subagent.completed","id":"2","timestamp":"2026-01-01T00:00:00.000Z","agentId":"` + strconv.Itoa(i) + `","parentId":null,"data":{}}`,
			}
		},
		"too old for the length of a span": func(int) []string {
			return []string{
				`{"type":"user.message","id":"1","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"data":{"content":"` + strings.Repeat("x", 100<<10) + `"}}`,
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := spans.New(spans.Options{Path: "/spans.jsonl", FS: vfs.NewMem(), Content: true})
			f.Observe(context.Background(), "s1", func(yield func(eventlog.Record, error) bool) {
				yield(eventlog.Record{JSON: []byte(`{"type":"user.message","id":"0","timestamp":"2026-01-01T00:00:00.000Z","parentId":null,"data":{"content":"go"}}`)}, nil)
				before := heap()
				for i := range 150 {
					for _, line := range events(i) {
						yield(eventlog.Record{JSON: []byte(line)}, nil)
					}
				}
				if kept := heap() - before; kept > 4<<20 {
					t.Errorf("of 15 MB that were said, %d MB are kept", kept>>20)
				}
			})
		})
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
