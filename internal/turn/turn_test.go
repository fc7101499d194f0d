package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestOneModelCallIsOneTurn(t *testing.T) {
	h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{
		"echo": fn{run: func(_ context.Context, c tool.Call) tool.Result {
			return tool.Result{Outcome: tool.Success, Text: string(c.Arguments)}
		}},
	}}
	out := turn.Run(context.Background(), h, &models{says(calls("echo")), says(model.Response{Text: "done", Usage: model.Usage{Input: 10, Output: 2, Reported: true}})})
	if out != (turn.Outcome{}) {
		t.Fatalf("Run = %+v", out)
	}
	want := []string{
		"assistant.turn_start 0",
		"assistant.message  (1 calls)", "  assistant.usage", "  session.usage_info 1 of 1000",
		`tool.execution_start echo {"z":1,"a":2}`, `tool.execution_complete {"z":1,"a":2}`,
		"assistant.turn_end 0",
		"assistant.turn_start 1",
		"  assistant.message_start", "  assistant.message_delta done",
		"assistant.message done (0 calls)", "  assistant.usage", "  session.usage_info 12 of 1000",
		"assistant.turn_end 1",
	}
	if diff := cmp.Diff(want, h.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A server that counts only the part of the prompt that it has not cached does not hide how full
// the window is.
func TestACountWithoutTheCacheIsCompletedByAnEstimate(t *testing.T) {
	for partial, want := range map[bool]string{false: "  session.usage_info 3 of 1000", true: "  session.usage_info 101 of 1000"} {
		h := &host{}
		answer := model.Response{Text: strings.Repeat("a", 400), Usage: model.Usage{Input: 1, Output: 2, Reported: true, Partial: partial}}
		if out := turn.Run(context.Background(), h, &models{says(answer)}); out != (turn.Outcome{}) {
			t.Fatalf("Run = %+v", out)
		}
		if !slices.Contains(h.events, want) {
			t.Errorf("events:\n%s\nwant %s", strings.Join(h.events, "\n"), want)
		}
	}
}

func TestAPanicInAToolIsAResult(t *testing.T) {
	h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{
		"boom": fn{run: func(context.Context, tool.Call) tool.Result { panic("secret") }},
	}}
	out := turn.Run(context.Background(), h, &models{says(calls("boom")), says(model.Response{Text: "I see"})})
	if out != (turn.Outcome{}) {
		t.Fatalf("Run = %+v, want the model to go on", out)
	}
	if got := strings.Join(h.events, "\n"); !strings.Contains(got, "tool.execution_complete failure: Failed to execute `boom` tool") || strings.Contains(got, "secret") {
		t.Errorf("events:\n%s", got)
	}
	if len(h.failed) != 1 || !strings.Contains(h.failed[0], "secret") {
		t.Errorf("the operator was told %q, want the panic", h.failed)
	}
}

func TestAPanicInTheModelEndsTheRunWithAnError(t *testing.T) {
	h := &host{}
	out := turn.Run(context.Background(), h, &models{func(context.Context, func(model.Delta)) (*model.Response, error) { panic("boom") }})
	if fault.KindOf(out.Err) != fault.Internal || !strings.Contains(out.Err.Error(), "boom") {
		t.Errorf("Run = %+v, want the panic as an internal error", out)
	}
}

func TestAFailedCallClosesItsTurn(t *testing.T) {
	h := &host{}
	failure := errors.New("no luck")
	out := turn.Run(context.Background(), h, &models{func(context.Context, func(model.Delta)) (*model.Response, error) { return nil, failure }})
	if !errors.Is(out.Err, failure) {
		t.Errorf("Run = %+v, want the model's error", out)
	}
	if diff := cmp.Diff([]string{"assistant.turn_start 0", "  model.call_failure", "assistant.turn_end 0"}, h.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The events of a call say whether its tool only reads and which files it has changed. These fields follow those of older SDKs.
func TestTheEventsOfACallSayWhatTheToolDoes(t *testing.T) {
	edits := []wire.FileEdit{{Kind: "create", Path: "/w/a"}, {Kind: "edit", Path: "/w/b"}}
	h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{
		"look": fn{def: tool.Definition{Name: "look", Server: "s", ServerTitle: "The server", ServerTool: "look", Title: "Looks", ReadOnly: true}, run: func(context.Context, tool.Call) tool.Result {
			return tool.Result{Outcome: tool.Success}
		}},
		"write": fn{run: func(context.Context, tool.Call) tool.Result { return tool.Result{Outcome: tool.Failure, Edits: edits} }},
	}}
	turn.Run(context.Background(), h, &models{says(calls("look")), says(calls("write")), says(model.Response{Text: "Done."})})
	got := strings.Join(h.whole, "\n")
	for _, want := range []string{
		`"readOnly":true,"toolTitle":"Looks","mcpServerDisplayName":"The server"}`, `"fileEdits":[{"kind":"create","path":"/w/a"},{"kind":"edit","path":"/w/b"}]}`,
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s is not once in\n%s", want, got)
		}
	}
}

func TestNoToolActsBeforeItsStartIsStored(t *testing.T) {
	ran := false
	h := &host{answer: permit.Answer{Outcome: permit.Approved}, failAt: "tool.execution_start", tools: map[string]tool.Tool{
		"act": fn{run: func(context.Context, tool.Call) tool.Result { ran = true; return tool.Result{Outcome: tool.Success} }},
	}}
	out := turn.Run(context.Background(), h, &models{says(calls("act"))})
	if ran || fault.KindOf(out.Err) != fault.Unavailable {
		t.Errorf("the tool ran: %v; Run = %+v, want the log's error and no effect", ran, out)
	}
}

// knowing is a tool that needs no permission to say what came of a call.
type knowing struct{ fn }

func (k knowing) Request(ctx context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	r := k.run(ctx, c)
	return nil, &r
}

func TestTheHostIsGivenEveryResultButThatOfACallCutOff(t *testing.T) {
	result := func(o tool.Outcome) fn {
		return fn{run: func(context.Context, tool.Call) tool.Result { return tool.Result{Outcome: o, Text: "so"} }}
	}
	for _, tc := range []struct {
		name string
		tool tool.Tool
		want []string
	}{
		{"run", result(tool.Success), []string{`t {"z":1,"a":2} success`}},
		{"known without being run", knowing{result(tool.Failure)}, []string{`t {"z":1,"a":2} failure`}},
		{"of a tool that is not there", nil, []string{`t {"z":1,"a":2} failure`}},
		{"cut off", result(tool.Interrupted), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{"t": tc.tool}}
			if tc.tool == nil {
				h.tools = nil
			}
			turn.Run(context.Background(), h, &models{says(calls("t")), says(model.Response{Text: "done"})})
			if diff := cmp.Diff(tc.want, h.passed); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAbortInterruptsEveryCallAndCompletesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context, _ tool.Call) tool.Result {
			<-ctx.Done()
			return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
		}
		h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{"a": fn{run: wait}, "b": fn{run: wait}}}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan turn.Outcome, 1)
		go func() { done <- turn.Run(ctx, h, &models{says(calls("unknown", "a", "b"))}) }()
		synctest.Wait()
		if got := strings.Join(h.events, "\n"); !strings.Contains(got, "does not exist") {
			t.Errorf("the unknown tool was not answered before the others ran:\n%s", got)
		}
		cancel()
		if out := <-done; !out.Aborted || out.Err != nil {
			t.Errorf("Run = %+v, want aborted", out)
		}
		if n := strings.Count(strings.Join(h.events, "\n"), "tool.execution_complete interrupted"); n != 2 {
			t.Errorf("%d calls were interrupted, want 2:\n%s", n, strings.Join(h.events, "\n"))
		}
		if h.events[len(h.events)-1] != "assistant.turn_end 0" {
			t.Errorf("the turn was not closed: %s", h.events)
		}
	})
}

// A result that cannot be recorded interrupts the other calls at once: theirs could not be recorded either, and
// until then they would act without a trace.
func TestAResultThatIsNotRecordedInterruptsTheOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, slow := time.Now(), time.Duration(-1)
		h := &host{answer: permit.Answer{Outcome: permit.Approved}, failAt: "tool.execution_complete", tools: map[string]tool.Tool{
			"fast": fn{run: func(context.Context, tool.Call) tool.Result { return tool.Result{Outcome: tool.Success} }},
			"slow": fn{run: func(ctx context.Context, _ tool.Call) tool.Result {
				select {
				case <-ctx.Done():
				case <-time.After(time.Hour):
				}
				slow = time.Since(began)
				return tool.Result{Outcome: tool.Interrupted}
			}},
		}}
		out := turn.Run(t.Context(), h, &models{says(calls("fast", "slow"))})
		if fault.KindOf(out.Err) != fault.Unavailable {
			t.Errorf("Run = %+v, want the log's error", out)
		}
		if slow > 0 { // below 0: it was interrupted before it began
			t.Errorf("the other call ended after %v, want at once", slow)
		}
	})
}

func TestUnfinishedCallsComeFirst(t *testing.T) {
	var mu sync.Mutex
	var ran []string
	run := func(_ context.Context, c tool.Call) tool.Result {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, c.ID)
		return tool.Result{Outcome: tool.Success, Text: "ok"}
	}
	h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{"t": fn{run: run}}}
	u := func(id string, started, waiting bool) turn.Unfinished {
		u := turn.Unfinished{Call: model.ToolCall{ID: id, Name: "t", Arguments: "{}"}, Started: started}
		if waiting {
			u.Tool = fn{run: run}
		}
		return u
	}
	h.unfinished = []turn.Unfinished{u("acted", true, false)}
	if out := turn.Run(context.Background(), h, &models{says(model.Response{Text: "done"})}); out != (turn.Outcome{}) {
		t.Fatalf("Run = %+v", out)
	}
	if len(ran) != 0 {
		t.Errorf("%v ran again, though it may have acted before the crash", ran)
	}
	want := []string{"tool.execution_complete interrupted: " + tool.TextInterrupted, "assistant.turn_end 0", "assistant.turn_start 1"}
	if diff := cmp.Diff(want, h.events[:3]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	h.events, h.unfinished = nil, []turn.Unfinished{u("waiting", true, true), u("fresh", false, false)}
	if out := turn.Run(context.Background(), h, &models{says(model.Response{Text: "done"})}); out != (turn.Outcome{}) {
		t.Fatalf("Run = %+v", out)
	}
	if len(ran) != 2 || strings.Count(strings.Join(h.events, "\n"), "tool.execution_start") != 1 {
		t.Errorf("ran %v; want both, and only the fresh one started:\n%s", ran, strings.Join(h.events, "\n"))
	}
}

func TestRawArgumentsKeepWhatTheModelSent(t *testing.T) {
	for sent, want := range map[string]string{
		`{"b":1,"a":[2]}`: `{"b":1,"a":[2]}`,
		`[1]`:             `"[1]"`,
		`{"cut`:           `"{\"cut"`,
		``:                `""`,
		`null`:            `"null"`,
		`{"s":"\ud800x"}`: `{"s":"\ufffdx"}`,
	} {
		got, err := json.Marshal(turn.RawArguments(sent))
		if err != nil || string(got) != want {
			t.Errorf("RawArguments(%s) = %s, %v; want %s", sent, got, err, want)
		}
	}
}

func TestAnAnswerThatComesWithTheAbortIsNone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &host{}
	out := turn.Run(ctx, h, &models{func(context.Context, func(model.Delta)) (*model.Response, error) {
		cancel()
		return &model.Response{Text: "too late"}, nil
	}})
	if !out.Aborted {
		t.Errorf("Run = %+v, want aborted", out)
	}
	if diff := cmp.Diff([]string{"assistant.turn_start 0", "assistant.turn_end 0"}, h.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestOnlyTheFirstPieceOfACallNamesItsTool(t *testing.T) {
	h := &host{}
	piece := func(index int, text string) model.Delta {
		return model.Delta{Kind: model.DeltaToolCall, Index: index, CallID: fmt.Sprint("c", index), Name: fmt.Sprint("tool", index), Text: text}
	}
	turn.Run(context.Background(), h, &models{func(_ context.Context, onDelta func(model.Delta)) (*model.Response, error) {
		for _, d := range []model.Delta{piece(0, "{"), piece(1, "["), piece(0, "}"), piece(1, "]")} {
			onDelta(d)
		}
		return &model.Response{Text: "x"}, nil
	}})
	want := []string{
		"assistant.turn_start 0",
		"  assistant.tool_call_delta { tool0", "  assistant.tool_call_delta [ tool1", "  assistant.tool_call_delta }", "  assistant.tool_call_delta ]",
	}
	if diff := cmp.Diff(want, h.events[:5]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAToolThatIgnoresAnAbortIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letGo := make(chan struct{})
		h := &host{answer: permit.Answer{Outcome: permit.Approved}, tools: map[string]tool.Tool{
			"deaf": fn{run: func(context.Context, tool.Call) tool.Result {
				<-letGo
				return tool.Result{Outcome: tool.Success, Text: "late"}
			}},
		}}
		ctx, cancel := context.WithCancel(t.Context())
		begin := time.Now()
		time.AfterFunc(time.Minute, cancel)
		out := turn.Run(ctx, h, &models{says(calls("deaf"))})
		if took := time.Since(begin); !out.Aborted || took != time.Minute+5*time.Second {
			t.Errorf("the run ended %+v after %v, want aborted after a minute and the grace of 5 seconds", out, took)
		}
		want := []string{`tool.execution_start deaf {"z":1,"a":2}`, "tool.execution_complete interrupted: " + tool.TextInterrupted, "assistant.turn_end 0"}
		if diff := cmp.Diff(want, h.events[len(h.events)-3:]); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		close(letGo)
	})
}
