package taped_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var (
	shell = tool.Definition{Name: "bash", Origin: tool.Builtin}
	make1 = tool.Call{ID: "c1", Name: "bash", Arguments: json.RawMessage(`{"command":"make"}`)}
	asked = &permit.Request{Kind: permit.Shell, Tool: "bash"}
)

// A recorded result and the recorded decision on the call come back as they were, but for files that the events
// after the call name, and a call that was not recorded is not made.
func TestAReplayHasWhatWasRecorded(t *testing.T) {
	disk, secrets := vfs.NewMem(), &obs.Redactor{}
	rec, err := tape.Record(tape.RecorderOptions{Path: "/run.jsonl", FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	calls := taped.Calls{Tape: taped.Tape{Recorder: rec}, Place: model.Place{Session: "s1"}, Secrets: secrets}
	warning := &wire.SessionWarning{WarningType: "w", Message: "Look."}
	want := tool.Result{
		Outcome: tool.Failure, Text: "a line", Exit: &tool.Exit{Code: 3, Shell: "1"}, Sandboxed: true, StoppedBy: "limit",
		Files: []tool.File{{Path: "/a.png", MediaType: "image/png", Data: []byte{1, 2}}}, Structured: json.RawMessage(`{"n":1}`),
		After: []wire.Data{warning},
	}
	got := calls.Result(shell, make1, func() tool.Result { return want })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("recording changes the result:\n%s", d)
	}
	calls.Record(asked, &make1, permit.Answer{Outcome: permit.Rejected, Feedback: "no"})
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}

	player, err := tape.Open(tape.PlayerOptions{Path: "/run.jsonl", Tools: true, FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	calls.Tape = taped.Tape{Player: player}
	acts := func() tool.Result { t.Error("a call is made for real in a replay"); return tool.Result{} }
	if d := cmp.Diff(want, calls.Result(shell, make1, acts)); d != "" {
		t.Errorf("the replay has another result:\n%s", d)
	}
	replayed := make1
	calls.Replay(asked, &replayed)
	if a := replayed.Replayed; a == nil || a.Outcome != permit.Rejected || a.Feedback != "no" {
		t.Errorf("the decision is %+v", a)
	}
	other := tool.Call{ID: "c2", Name: "bash", Arguments: json.RawMessage(`{"command":"rm -r x"}`)}
	if r := calls.Result(shell, other, acts); r.Outcome != tool.Failure {
		t.Errorf("a call that was not recorded has the result %+v", r)
	}
}

// Tools that act on the session alone, and those of clients, are called in a replay, too. A built-in tool of which
// that is not said is not: it might act for real.
func TestWhichToolsAreCalledInAReplay(t *testing.T) {
	disk := vfs.NewMem()
	rec, err := tape.Record(tape.RecorderOptions{Path: "/run.jsonl", FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	_ = rec.Close()
	player, err := tape.Open(tape.PlayerOptions{Path: "/run.jsonl", Tools: true, FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	calls := taped.Calls{Tape: taped.Tape{Player: player}}
	for _, tc := range []struct {
		d    tool.Definition
		runs bool
	}{
		{tool.Definition{Name: "bash", Origin: tool.Custom}, true},
		{tool.Definition{Name: "query", Origin: tool.MCP}, false},
		{tool.Definition{Name: "sql", Origin: tool.Builtin}, true},
		{tool.Definition{Name: "copilot_confirmation", Origin: tool.Builtin}, true},
		{tool.Definition{Name: "edit", Origin: tool.Builtin}, false},
		{tool.Definition{Name: "of_which_nothing_is_known", Origin: tool.Builtin}, false},
	} {
		ran := false
		calls.Result(tc.d, tool.Call{Name: tc.d.Name}, func() tool.Result { ran = true; return tool.Result{} })
		if ran != tc.runs {
			t.Errorf("%s of %v is called: %v, want %v", tc.d.Name, tc.d.Origin, ran, tc.runs)
		}
	}
}
