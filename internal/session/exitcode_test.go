package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// failing is a shell whose commands print a lot and end with exit code 3.
type failing struct{ echo }

const exit3 = "<exited with exit code 3>"

var printed = strings.Repeat("a line of output\n", 10_000)

func (failing) Run(context.Context, tool.Call) tool.Result {
	return tool.Result{Outcome: tool.Success, Text: printed + exit3, Exit: &tool.Exit{Code: 3, Shell: "sh1"}}
}

func failingShell(tool.Host) session.Toolbox {
	return session.Toolbox{Tools: []tool.Tool{failing{}}}
}

// checkExit wants that a call is recorded with exit code 3, and that the model reads the end of its output.
func checkExit(t *testing.T, done wire.Event) {
	t.Helper()
	text := field(done, "result", "content")
	if field(done, "shellExecution", "exitCode") != "3" || !strings.HasSuffix(text, "a line of output\n"+exit3) || !strings.Contains(text, " are left out here; they are in ") {
		t.Errorf("the exit code is %s, and the end of the text %q", field(done, "shellExecution", "exitCode"), text[max(0, len(text)-100):])
	}
	if want := `[{"exitCode":3,"outputFilePath":`; !strings.HasPrefix(field(done, "result", "contents"), want) {
		t.Errorf("the contents are %s", field(done, "result", "contents"))
	}
}

// A command of the user that prints a lot keeps its exit code: for its caller, in the log, and for the model.
func TestALongCommandOfTheUserKeepsItsExitCode(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), tools: failingShell}, func(d *desk) {
		ctx := context.Background()
		s := d.create(wire.Config{SessionID: "s1"})
		if _, err := s.s.Send(ctx, wire.Send{Prompt: "make", AgentMode: "shell"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		checkExit(t, last(t, s.told, "tool.execution_complete"))
		answer, err := s.s.Shell().Execute(ctx, "r", "make")
		if err != nil || answer.Success || answer.ExitCode == nil || *answer.ExitCode != 3 || answer.Output != strings.TrimSuffix(printed, "\n") {
			t.Errorf("Execute = exit code %v, success %v, %d bytes, %v", answer.ExitCode, answer.Success, len(answer.Output), err)
		}
		checkExit(t, last(t, d.stored("s1"), "tool.execution_complete"))
		s.send("And?")
		s.until("session.idle")
		if n := strings.Count(d.conversation(), exit3); n != 2 {
			t.Errorf("the model reads %d exit codes, want 2", n)
		}
	}, modeltest.Reply{Text: "ok"})
}

// A hook that replaces the text of a command, or its outcome, does not hide that the command failed.
func TestAHookHidesNoExitCode(t *testing.T) {
	for name, changed := range map[string]any{
		"text":    "hidden",
		"success": map[string]any{"textResultForLlm": "hidden", "resultType": "success"},
		"failure": map[string]any{"textResultForLlm": "hidden", "resultType": "failure"},
	} {
		client, _ := hooking(map[string]any{"preToolUse": map[string]any{"permissionDecision": "allow"}, "postToolUse": map[string]any{"modifiedResult": changed}})
		bubble(t, &desk{fs: vfs.NewMem(), tools: failingShell}, func(d *desk) {
			s := d.createWith(hookedTools(), client)
			s.send("make it")
			s.until("session.idle")
			done := last(t, s.told, "tool.execution_complete")
			if field(done, "shellExecution", "exitCode") != "3" || strings.Contains(string(done.Data), "a line of output") {
				t.Errorf("%s: the event is %.500s", name, done.Data)
			}
		}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "bash", `{"command":"make"}`)}}, modeltest.Reply{Text: "ok"})
	}
}

// A replay of a recording with its tools has the exit codes of the recording.
func TestAReplayHasTheExitCode(t *testing.T) {
	disk := vfs.NewMem()
	rec, err := tape.Record(tape.RecorderOptions{Path: "/run.jsonl", FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	client, _ := hooking(map[string]any{"preToolUse": map[string]any{"permissionDecision": "allow"}})
	bubble(t, &desk{fs: disk, tools: failingShell, opts: registry.Options{Tape: taped.Tape{Recorder: rec}}}, func(d *desk) {
		for _, cfg := range []wire.Config{{SessionID: "recorded"}, {SessionID: "replayed", Provider: &wire.Provider{Replay: "/run.jsonl", ReplayTools: true}}} {
			cfg.Hooks = yes()
			s := d.createWith(cfg, client)
			s.send("make it")
			s.until("session.idle")
			checkExit(t, last(t, s.told, "tool.execution_complete"))
		}
		if n := len(d.model.Requests()); n != 2 {
			t.Errorf("the model was called %d times, want twice, by the recording", n)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "bash", `{"command":"make"}`)}}, modeltest.Reply{Text: "ok"})
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

// The blocks of a client's result are in the event, and a command that the client has run and that failed
// is recorded as such.
func TestACommandThatAClientHasRunKeepsItsExitCode(t *testing.T) {
	for name, block := range map[string]string{
		"shell_exit": `{"exitCode":3,"shellId":"theirs","type":"shell_exit"}`,
		"terminal":   `{"exitCode":3,"text":"no","type":"terminal"}`,
		"text":       `{"text":"no","type":"text"}`,
	} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			s := d.create(tools("remote"))
			s.send("go")
			s.answer(`"result":{"textResultForLlm":"no","resultType":"success","contents":[` + block + `]}`)
			s.until("session.idle")
			done := last(t, s.told, "tool.execution_complete")
			want := "3"
			if name == "text" {
				want = "null"
			}
			if got := field(done, "shellExecution", "exitCode"); got != want || field(done, "result", "contents") != "["+block+"]" {
				t.Errorf("%s: exit code %s in %s", name, got, done.Data)
			}
		}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "remote", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
	}
}

// A long failure stays a failure, and the model reads its end.
func TestALongFailureStaysAFailure(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("remote"))
		s.send("go")
		s.answer(`"result":{"textResultForLlm":"` + strings.Repeat(`a line\n`, 10_000) + `the reason","resultType":"failure"}`)
		s.until("session.idle")
		done := last(t, s.told, "tool.execution_complete")
		if field(done, "success") != "false" || !strings.HasSuffix(field(done, "error", "message"), "a line\nthe reason") || len(field(done, "error", "message")) > 22<<10 {
			t.Errorf("the event is %.300s", done.Data)
		}
		if !strings.Contains(d.conversation(), "a line\nthe reason") {
			t.Error("the model does not read the end")
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "remote", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}

// The model that reads the result of a sub-agent that failed has a call that failed.
func TestReadingASubAgentThatFailedIsAFailure(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		done := last(t, s.told, "tool.execution_complete")
		if field(done, "success") != "false" || !strings.HasPrefix(field(done, "error", "message"), "Agent failed. agent_id: job") {
			t.Errorf("the result is %s", done.Data)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "background")}},
		first("do job", modeltest.Reply{Delay: 10 * time.Second, Status: 400, Body: `{"error":{"message":"no"}}`}),
		first("go", modeltest.Reply{Text: "I wait."}),
		after("go", "has failed", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c2", "read_agent", `{"agent_id":"job"}`)}}),
		modeltest.Reply{Text: "All done."})
}
