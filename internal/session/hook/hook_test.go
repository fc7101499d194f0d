package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

func TestFilesAreCalledBeforeTheClient(t *testing.T) {
	s, r := &recorder{}, &repository{outputs: map[string]string{
		"a": `{"permissionDecision":"ask","modifiedArgs":{ "q": "file" }}`, "b": `{"additionalContext":"mind the gap"}`,
	}}
	r.file(t, "b.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"b","powershell":"b"}]}}`)
	r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[
		{"type":"command","bash":"a","powershell":"a","matcher":"look.*"},
		{"type":"command","bash":"never","powershell":"never","matcher":"look"}]}}`)
	h := newHooks(s, r.files())
	h.ReadFiles(atRepo)
	var seen map[string]any
	h.SetClient(peer(func(_ context.Context, _ string, input map[string]any) (any, error) {
		seen = input
		return object{"permissionDecision": "allow"}, nil
	}), t.Context())
	got := h.PreToolUse(t.Context(), lookup)
	want := hook.Decision{
		Permission: "ask", Arguments: json.RawMessage(`{"q":"file"}`),
		Guidance: []string{"Additional context from a hook, about the call of lookup:\nmind the gap"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	if len(r.ran) != 2 || r.ran[0].Text != "a" || r.ran[1].Text != "b" || r.ran[0].Dir != "/repo" {
		t.Errorf("commands ran: %+v", r.ran)
	}
	delete(seen, "timestamp")
	if diff := cmp.Diff(map[string]any{
		"sessionId": "s1", "cwd": "/repo/sub", "toolName": "lookup", "toolArgs": json.RawMessage(`{"q":"it"}`),
	}, seen); diff != "" {
		t.Errorf("input of the client (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(6, len(s.log())); diff != "" {
		t.Errorf("events: %q", s.log())
	}
}

func TestFilesRunOnlyIfTheyMay(t *testing.T) {
	no, yes := false, true
	for _, tc := range []struct {
		name    string
		setting *bool
		trusted bool
		want    bool
	}{
		{"no setting", nil, false, false},
		{"no setting, trusted folder", nil, true, true},
		{"on", &yes, false, true},
		{"off, trusted folder", &no, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, r := &recorder{}, &repository{trusted: tc.trusted}
			r.file(t, "a.json", `{"version":1,"hooks":{"sessionEnd":[{"type":"command","bash":"a","powershell":"a"}]}}`)
			r.file(t, "b.json", `{broken`)
			h := newHooks(s, r.files())
			where := atRepo
			where.Switch = hook.IfTrusted.Enable(tc.setting)
			for range 2 {
				h.ReadFiles(where)
			}
			if h.Any() != tc.want || !h.FilesRead() {
				t.Errorf("there are hooks: %v, want %v", h.Any(), tc.want)
			}
			h.SessionEnd(t.Context(), hook.EndComplete)
			if (len(r.ran) == 1) != tc.want {
				t.Errorf("%d commands ran", len(r.ran))
			}
			warnings := strings.Count(strings.Join(s.log(), "\n"), "warning .github/hooks/b.json")
			untrusted := tc.setting == nil && !tc.trusted                              // which the user reads of each file with hooks
			if want := map[bool]int{true: 1}[tc.want || untrusted]; warnings != want { // once, not with each reading
				t.Errorf("%d warnings, want %d", warnings, want)
			}
			if says := strings.Contains(strings.Join(s.log(), "\n"), "warning .github/hooks/a.json: its hooks do not run, because the folder is not trusted"); says != untrusted {
				t.Errorf("says that the folder is not trusted: %v, want %v", says, untrusted)
			}
		})
	}
}

func TestOutputsAreDecoded(t *testing.T) {
	s := &recorder{}
	h := newHooks(s, nil)
	with := func(output any) *hook.Hooks {
		h.SetClient(always(output), t.Context())
		return h
	}
	ctx := t.Context()
	if s := with(object{"modifiedPrompt": "b", "additionalContext": "c"}).UserPromptSubmitted(ctx, "a"); s != (hook.Submitted{Prompt: "b", Added: "c"}) {
		t.Errorf("UserPromptSubmitted = %+v", s)
	}
	if s := with(object{"decision": "block", "reason": "b"}).UserPromptSubmitted(ctx, "a"); s != (hook.Submitted{Prompt: "a", Blocked: true, Why: "b"}) {
		t.Errorf("UserPromptSubmitted that blocks = %+v", s)
	}
	if s := with(nil).UserPromptSubmitted(ctx, "a"); s != (hook.Submitted{Prompt: "a"}) {
		t.Errorf("UserPromptSubmitted without an output = %+v", s)
	}
	if text := with(object{"modifiedTransformedPrompt": ""}).UserPromptTransformed(ctx, "a", "b"); text != "" {
		t.Errorf("UserPromptTransformed = %q", text)
	}
	if text := with(object{}).UserPromptTransformed(ctx, "a", "b"); text != "b" {
		t.Errorf("UserPromptTransformed without a change = %q", text)
	}
	if text := with(object{"additionalContext": "c"}).SessionStart(ctx, "new", "a"); text != "c" {
		t.Errorf("SessionStart = %q", text)
	}
	if why := with(object{"decision": "block", "reason": "tests"}).Stop(ctx, "/log", false); why != "tests" {
		t.Errorf("Stop = %q", why)
	}
	if why := with(object{"decision": "allow", "reason": "tests"}).Stop(ctx, "/log", false); why != "" {
		t.Errorf("Stop without a block = %q", why)
	}
	if d := with(object{"permissionDecision": "deny"}).PreToolUse(ctx, lookup); d.Denied != "Denied by preToolUse hook: No reason provided" {
		t.Errorf("PreToolUse = %+v", d)
	}
	res := tool.Result{Outcome: tool.Success, Text: "42"}
	changed := object{"modifiedResult": object{"textResultForLlm": "43", "resultType": "failure"}, "additionalContext": "c"}
	got, guidance := with(changed).PostToolUse(ctx, lookup, res)
	if got.Text != "43" || got.Outcome != tool.Failure || len(guidance) != 1 {
		t.Errorf("PostToolUse = %+v, %q", got, guidance)
	}
	if got, _ := with(object{"modifiedResult": "44"}).PostToolUse(ctx, lookup, res); got.Text != "44" || got.Outcome != tool.Success {
		t.Errorf("PostToolUse with a text = %+v", got)
	}
	if g := with(object{"additionalContext": "c"}).PostToolUseFailure(ctx, lookup, "boom"); len(g) != 1 || !strings.HasSuffix(g[0], "hooks:\nc") {
		t.Errorf("PostToolUseFailure = %q", g)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	s := &recorder{}
	h := newHooks(s, nil)
	h.SetClient(always(object{"errorHandling": "retry", "retryCount": 2, "userNotification": "once more"}), t.Context())
	var got []bool
	for tries := range 4 {
		got = append(got, h.ErrorOccurred(t.Context(), hook.Failure{Message: "boom", Tries: tries}))
	}
	if diff := cmp.Diff([]bool{true, true, false, false}, got); diff != "" {
		t.Errorf("with retryCount 2 (-want +got):\n%s", diff)
	}
	h.SetClient(always(object{"errorHandling": "retry", "retryCount": 100}), t.Context())
	if h.ErrorOccurred(t.Context(), hook.Failure{Tries: 3}) {
		t.Error("a fourth try was allowed")
	}
	if diff := cmp.Diff([]string{"start errorOccurred", "end errorOccurred", "info once more"}, s.log()[:3]); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A hook that panics fails like any other, and a hook of a file that fails denies the call; the hooks after it are called.
func TestAPanicIsAFailureOfTheHook(t *testing.T) {
	s, r := &recorder{}, &repository{}
	r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"a"}]}}`)
	files := r.files()
	files.RunScript = func(context.Context, shell.Script) (shell.Outcome, error) { panic("no such thing") }
	h := newHooks(s, files)
	h.ReadFiles(atRepo)
	called := false
	h.SetClient(peer(func(context.Context, string, map[string]any) (any, error) {
		called = true
		panic("client")
	}), t.Context())
	if d := h.PreToolUse(t.Context(), lookup); d.Denied != "Denied by preToolUse hook: hook preToolUse: panic: no such thing" || !called {
		t.Errorf("decision %+v, client called: %v", d, called)
	}
	want := []string{
		"start preToolUse", "warning A tool call was denied: hook preToolUse: panic: no such thing.", "end preToolUse: hook preToolUse: panic: no such thing",
		"start preToolUse", "end preToolUse: hook preToolUse: panic: client",
	}
	if diff := cmp.Diff(want, s.log()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The error of a hook names its file, and no function of this program.
func TestTheErrorOfAHookNamesItsFile(t *testing.T) {
	s, r := &recorder{}, &repository{}
	r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"a"}]}}`)
	files := r.files()
	files.RunScript = func(context.Context, shell.Script) (shell.Outcome, error) {
		return shell.Outcome{}, fault.New(fault.Invalid, "shell.RunScript", "", "it wrote too much")
	}
	h := newHooks(s, files)
	h.ReadFiles(atRepo)
	h.PreToolUse(t.Context(), lookup)
	if got := strings.Join(s.log(), "\n"); !strings.Contains(got, "a.json: ") || !strings.Contains(got, "it wrote too much") || strings.Contains(got, "RunScript") {
		t.Errorf("events:\n%s", got)
	}
}

// SDKs forget a session before they detach from it, and say so in their own words.
func TestAClientThatHasForgottenTheSessionDoesNotFailItsEnd(t *testing.T) {
	for _, said := range []string{"client.hooks.invoke: unknown session s1", "Unknown session s1", "Session not found: s1"} {
		forgot := peer(func(context.Context, string, map[string]any) (any, error) { return nil, errors.New(said) })
		var log bytes.Buffer
		s := &recorder{}
		h := hook.New(hook.Options{Session: s, SessionID: "s1", Logger: slog.New(slog.NewTextHandler(&log, nil))})
		h.SetClient(forgot, t.Context())
		h.SessionEnd(t.Context(), hook.EndComplete)
		if got := strings.Join(s.log(), "\n"); strings.Contains(got, said) || log.Len() > 0 {
			t.Errorf("%s: the log says %q; events:\n%s", said, log.String(), got)
		}
		h.PreToolUse(t.Context(), lookup)
		if got := strings.Join(s.log(), "\n"); !strings.Contains(got, said) || log.Len() == 0 {
			t.Errorf("%s before the end of the session is not reported; events:\n%s", said, got)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	hangs := peer(func(ctx context.Context, _ string, _ map[string]any) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	took := func(f func()) time.Duration {
		begin := time.Now()
		f()
		return time.Since(begin)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &recorder{}
		h := newHooks(s, nil)
		h.SetClient(hangs, t.Context())
		if d := took(func() { h.PreToolUse(t.Context(), lookup) }); d != time.Minute {
			t.Errorf("a hook of a client was waited for %v", d)
		}
		if d := took(func() { h.SessionEnd(t.Context(), hook.EndComplete) }); d != 10*time.Second {
			t.Errorf("sessionEnd was waited for %v", d)
		}
		attached, leave := context.WithCancel(t.Context())
		h.SetClient(hangs, attached)
		time.AfterFunc(time.Second, leave)
		if d := took(func() { h.PreToolUse(t.Context(), lookup) }); d != time.Second {
			t.Errorf("a hook of a client that left was waited for %v", d)
		}
		h.SetClient(nil, nil)
		if h.Any() {
			t.Error("there are hooks without a client")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		h.SetClient(always(object{"permissionDecision": "deny"}), t.Context())
		if d := h.PreToolUse(ended, lookup); d.Denied != "" {
			t.Error("a hook was called for a call that has ended")
		}
	})
}

// The events of a hook belong to the thread whose call it is about.
func TestEventsCarryTheAgentOfTheCall(t *testing.T) {
	s := &recorder{}
	h := newHooks(s, nil)
	h.SetClient(always(object{}), t.Context())
	call := lookup
	call.AgentID = "helper"
	h.PreToolUse(t.Context(), call)
	h.PostToolUse(t.Context(), call, tool.Result{Outcome: tool.Success})
	h.PostToolUseFailure(t.Context(), call, "it failed")
	h.Stop(t.Context(), "", false)
	want := []string{"helper", "helper", "helper", "helper", "helper", "helper", "", ""}
	if diff := cmp.Diff(want, s.agents); diff != "" {
		t.Errorf("agents of the events (-want +got):\n%s", diff)
	}
}

func TestTheMetadataOfACallOfAServer(t *testing.T) {
	s := &recorder{}
	h := newHooks(s, nil)
	was := map[string]any{"a": 1.0}
	for _, tc := range []struct {
		output any
		want   map[string]any
	}{
		{object{"metaToUse": object{"b": "c"}}, object{"b": "c"}},
		{object{"metaToUse": nil}, nil},
		{object{}, was},
		{object{"metaToUse": "x"}, was},
	} {
		var seen map[string]any
		h.SetClient(peer(func(_ context.Context, kind string, input map[string]any) (any, error) {
			if kind != "preMcpToolCall" {
				t.Errorf("kind %s", kind)
			}
			seen = input
			return tc.output, nil
		}), t.Context())
		got := h.PreMCPToolCall(t.Context(), lookup, "db", "query", was)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.output, diff)
		}
		if seen["serverName"] != "db" || seen["toolName"] != "query" || seen["toolCallId"] != "c1" || seen["_meta"] == nil {
			t.Errorf("input %v", seen)
		}
	}
}
