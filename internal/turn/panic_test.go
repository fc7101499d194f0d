package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// explosive is a host in which one method panics, about one call if the method is about
// calls. It counts what it recorded.
type explosive struct {
	host
	method string

	count sync.Map // event type and call id → true
}

func (e *explosive) blow(method string, about ...string) {
	if method == e.method && (len(about) == 0 || about[0] == "c0") {
		panic("the host is broken in " + method)
	}
}

func (e *explosive) Prompt(ctx context.Context) (turn.Prompt, error) {
	e.blow("Prompt")
	return e.host.Prompt(ctx)
}

func (e *explosive) Begin(m string) (string, error) { e.blow("Begin"); return e.host.Begin(m) }

func (e *explosive) Record(events ...wire.Data) error {
	for _, d := range events {
		switch d := d.(type) {
		case *wire.ToolStart:
			e.blow("Record of a start", d.ToolCallID)
		case *wire.ToolComplete:
			e.blow("Record of a result", d.ToolCallID)
		case *wire.AssistantMessage:
			e.blow("Record of an answer")
		}
	}
	for _, d := range events {
		switch d := d.(type) {
		case *wire.ToolStart:
			e.count.Store("start "+d.ToolCallID, true)
		case *wire.ToolComplete:
			e.count.Store("end "+d.ToolCallID, true)
		case *wire.AssistantTurnStart:
			e.count.Store("turn start", true)
		case *wire.AssistantTurnEnd:
			e.count.Store("turn end", true)
		}
	}
	return e.host.Record(events...)
}

func (e *explosive) Emit(d wire.Data) { e.blow("Emit"); e.host.Emit(d) }

func (e *explosive) Delta(t wire.EventType, key, text, name string) {
	e.blow("Delta")
	e.host.Delta(t, key, text, name)
}
func (e *explosive) Progress(int64, bool) { e.blow("Progress") }
func (e *explosive) Used(u turn.Usage)    { e.blow("Used"); e.host.Used(u) }

func (e *explosive) Ask(ctx context.Context, q *permit.Request, c *tool.Call) tool.Permission {
	e.blow("Ask", c.ID)
	return e.host.Ask(ctx, q, c)
}

func (e *explosive) Before(ctx context.Context, c tool.Call) turn.Hooked {
	e.blow("Before", c.ID)
	return e.host.Before(ctx, c)
}

func (e *explosive) After(ctx context.Context, c tool.Call, res tool.Result) tool.Result {
	e.blow("After", c.ID)
	return e.host.After(ctx, c, res)
}

func (e *explosive) Stopping(ctx context.Context) (bool, error) {
	e.blow("Stopping")
	return e.host.Stopping(ctx)
}

func (e *explosive) CallFailed(c tool.Call, why string) {
	e.blow("CallFailed", c.ID)
	e.host.CallFailed(c, why)
}

// A host that panics fails the call in which it does, or the run; nothing else is left
// open, and the program goes on.
func TestAPanicOfTheHostIsSurvived(t *testing.T) {
	const goesOn, fails = "the run goes on", "the run fails"
	for _, tc := range []struct{ method, run, call string }{
		{"Prompt", fails, ""},
		{"Begin", fails, ""},
		{"Delta", fails, ""},
		{"Progress", fails, ""},
		{"Record of an answer", fails, ""},
		{"Emit", fails, ""},
		{"Used", fails, ""},
		{"Before", goesOn, "failure: Failed to execute"},
		{"Ask", goesOn, "failure: Failed to execute"},
		{"Record of a start", fails, ""},
		{"Record of a result", fails, ""},
		{"CallFailed", goesOn, "failure: c0 failed"},
		{"After", goesOn, "failure: c0 failed"},
		{"Stopping", fails, ""},
	} {
		t.Run(tc.method, func(t *testing.T) {
			h := &explosive{method: tc.method}
			h.answer = permit.Answer{Outcome: permit.Approved}
			h.tools = map[string]tool.Tool{"act": fn{run: func(_ context.Context, c tool.Call) tool.Result {
				return tool.Result{Outcome: tool.Failure, Text: c.ID + " failed", Error: "its own reason"}
			}}}
			called := model.Response{Text: "I act."}
			for i := range 2 {
				called.ToolCalls = append(called.ToolCalls, model.ToolCall{ID: fmt.Sprint("c", i), Name: "act", Arguments: `{}`})
			}
			out := turn.Run(context.Background(), h, &models{says(called), says(model.Response{Text: "done"})})
			if out.Aborted || (out.Err != nil) != (tc.run == fails) {
				t.Errorf("Run = %+v, want that %s", out, tc.run)
			}
			if tc.run == fails && (fault.KindOf(out.Err) != fault.Internal || !strings.Contains(out.Err.Error(), "the host is broken in "+tc.method)) {
				t.Errorf("Run = %v, want the panic as an internal error", out.Err)
			}
			events := strings.Join(h.events, "\n")
			if !strings.Contains(events, "tool.execution_complete "+tc.call) && tc.call != "" {
				t.Errorf("events:\n%s\nwant a call that ended with %s", events, tc.call)
			}
			h.checkClosed(t, tc.run == goesOn)
		})
	}
}

// checkClosed fails if what was started has not ended. The call in which recording
// itself panicked cannot end.
func (e *explosive) checkClosed(t *testing.T, both bool) {
	t.Helper()
	has := func(what string) bool { _, ok := e.count.Load(what); return ok }
	if has("turn start") && !has("turn end") {
		t.Error("the turn is left open")
	}
	for _, id := range []string{"c0", "c1"} {
		if has("start "+id) && !has("end "+id) && !(id == "c0" && e.method == "Record of a result") {
			t.Errorf("the call %s is left open", id)
		}
		if both && !has("end "+id) {
			t.Errorf("the call %s has no result", id)
		}
	}
}

// A panic after the tool has acted does not take its result away, nor a rejection.
func TestAPanicAfterACallKeepsItsResult(t *testing.T) {
	h := &explosive{method: "After"}
	h.answer = permit.Answer{Outcome: permit.Approved}
	h.tools = map[string]tool.Tool{"act": fn{run: func(context.Context, tool.Call) tool.Result {
		return tool.Result{Outcome: tool.Success, Text: "it is done"}
	}}}
	call := model.Response{ToolCalls: []model.ToolCall{{ID: "c0", Name: "act", Arguments: string(json.RawMessage(`{}`))}}}
	if out := turn.Run(context.Background(), h, &models{says(call), says(model.Response{Text: "done"})}); out != (turn.Outcome{}) {
		t.Fatalf("Run = %+v", out)
	}
	if events := strings.Join(h.events, "\n"); !strings.Contains(events, "tool.execution_complete it is done") {
		t.Errorf("events:\n%s", events)
	}
	if len(h.failed) != 1 || !strings.Contains(h.failed[0], "the host is broken in After") {
		t.Errorf("the operator was told %q, want the panic", h.failed)
	}
}
