package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// exiting is a shell whose commands end with the exit status that they name: "exit 3".
type exiting struct{ stuck }

func (e exiting) Run(ctx context.Context, c tool.Call) tool.Result {
	text := string(c.Arguments)
	_, status, ok := strings.Cut(text, "exit ")
	if !ok {
		return e.stuck.Run(ctx, c)
	}
	return tool.Result{Outcome: tool.Success, Text: "done\n<exited with exit code " + status[:1] + ">", Exit: &tool.Exit{Code: int(status[0] - '0'), Shell: "sh1"}}
}

// A command of the user runs beside the work of the model, and the model reads it with its
// next call. It has no run of its own.
func TestACommandBesideTheModel(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{exiting{}}} }
	bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Tools: []wire.Tool{{Name: "slow", SkipPermission: true}}})
		for command, want := range map[string]wire.UserCommandResult{
			"exit 0": {Success: true, ExitCode: new(int64(0)), Output: "done"},
			"exit 3": {ExitCode: new(int64(3)), Output: "done"},
			"panic":  {Error: new("The tool failed unexpectedly.")},
		} {
			got, err := s.s.Shell().Execute(context.Background(), "r", command)
			if err != nil || got.ToolCallID == "" || got.Success != want.Success || got.Output != want.Output || (got.Error == nil) != (want.Error == nil) {
				t.Errorf("%s: %+v, %v", command, got, err)
			}
			if want.ExitCode != nil && (got.ExitCode == nil || *got.ExitCode != *want.ExitCode) {
				t.Errorf("%s: exit code %v, want %d", command, got.ExitCode, *want.ExitCode)
			}
		}
		if n := count(s.told, "session.idle"); n != 0 {
			t.Errorf("%d idle events for commands without a run", n)
		}
		s.send("go")
		call := s.until("external_tool.requested")
		if _, err := s.s.Shell().Execute(context.Background(), "r", "exit 5"); err != nil {
			t.Fatal(err)
		}
		result := wire.ToolCallString("slowly")
		if ok, err := s.client.Tools().Answer(context.Background(), wire.ToolCallAnswer{RequestID: field(call, "requestId"), Result: result}); !ok || err != nil {
			t.Fatalf("answer: %v, %v", ok, err)
		}
		s.until("session.idle")
		if talk := d.conversation(); !strings.Contains(talk, "$ exit 5\ndone") || strings.Count(talk, "$ exit") != 3 {
			t.Errorf("the model read\n%s", talk)
		}
		checkChain(t, d.stored("s1"))
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "slow", Arguments: "{}"}}}, modeltest.Reply{Text: "ok"})
}

// A command of the user ends when it is canceled, when its caller leaves, and when the
// session closes; each time with a result in the log.
func TestACommandBesideTheModelEnds(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{exiting{}}} }
	for name, end := range map[string]func(t *testing.T, s *seat, leave func()){
		"canceled": func(t *testing.T, s *seat, _ func()) {
			if ok, err := s.s.Shell().Cancel(context.Background(), "another"); ok || err != nil {
				t.Errorf("an unknown one: %v, %v", ok, err)
			}
			if ok, err := s.s.Shell().Cancel(context.Background(), "r"); !ok || err != nil {
				t.Errorf("Cancel: %v, %v", ok, err)
			}
		},
		"its caller leaves": func(_ *testing.T, _ *seat, leave func()) { leave() },
		"the session closes": func(t *testing.T, s *seat, _ func()) {
			if err := s.s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				ctx, leave := context.WithCancel(context.Background())
				defer leave()
				done := make(chan wire.UserCommandResult, 1)
				go func() {
					r, _ := s.s.Shell().Execute(ctx, "r", "sleep 9") // a caller that leaves gets an error
					done <- r
				}()
				synctest.Wait()
				if _, err := s.s.Shell().Execute(ctx, "r", "sleep 9"); fault.KindOf(err) != fault.Conflict {
					t.Errorf("a second command of the same id: %v", err)
				}
				end(t, s, leave)
				if r := <-done; r.Success || r.Error == nil {
					t.Errorf("result %+v", r)
				}
				if e := last(t, d.stored("s1"), "tool.execution_complete"); field(e, "error", "code") != "interrupted" {
					t.Errorf("the command ended with %s", e.Data)
				}
			})
		})
	}
}

// A process that dies while commands of the user run leaves none open.
func TestACommandBesideTheModelAfterACrash(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{exiting{}}} }
	bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		ctx, leave := context.WithCancel(context.Background())
		for _, id := range []string{"a", "b"} {
			go func() { _, _ = s.s.Shell().Execute(ctx, id, "sleep "+id) }() // it ends with the crash
		}
		synctest.Wait()
		d.crash()
		leave()
		synctest.Wait()
		d.stop()
		d.start(d.opts)
		d.resume(wire.Config{SessionID: "s1"})
		if n := count(d.stored("s1"), "tool.execution_complete"); n != 2 {
			t.Errorf("%d of 2 commands have ended", n)
		}
	})
}

// A program of the user runs by itself: its output and its end are events, and what is left
// when the session closes is killed.
func TestProgramsOfTheUser(t *testing.T) {
	if !shell.Supported {
		return
	}
	programs := func(tool.Host) session.Toolbox {
		return session.Toolbox{Tools: []tool.Tool{echo{}}, Start: started}
	}
	bubble(t, &desk{fs: vfs.NewMem(), tools: programs}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		dir := t.TempDir()
		id, err := s.s.Shell().Exec(context.Background(), "echo hello; exit 4", dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		end := s.until("session.info")
		if field(end, "exit", "processId") != id || field(end, "exit", "exitCode") != "4" {
			t.Errorf("the end: %s", end.Data)
		}
		if out := last(t, s.told, "tool.execution_partial_result"); field(out, "partialOutput") != "hello\n" || field(out, "toolCallId") != id {
			t.Errorf("the output: %s", out.Data)
		}
		if ok, err := s.s.Shell().Signal(context.Background(), id, shell.Kill); ok || err != nil {
			t.Errorf("a signal to a program that has ended: %v, %v", ok, err)
		}
		if _, err := s.s.Shell().Exec(context.Background(), "true", "/nowhere/at/all", 0); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("in a folder that does not exist: %v", err)
		}
		long, err := s.s.Shell().Exec(context.Background(), "sleep 1000", dir, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := s.s.Shell().Signal(context.Background(), long, shell.Kill); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a signal to a closed session: %v", err)
		}
	})
}

// started starts a program without a keeper: this test is no program that could be one.
func started(s shell.Script, output func(string)) (*shell.Running, error) {
	return shell.Start("", s, output)
}
