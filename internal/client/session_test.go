package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestATurn(t *testing.T) {
	c, r := start(t)
	if err := c.Connect(t.Context(), "secret"); err != nil {
		t.Fatalf("Connect: %v", err)
	}
	r.expect(`connect {"token":"secret"}`)

	// The runtime speaks before it answers.
	r.answers["session.create"] = func(params map[string]any) (any, error) {
		r.emit("session.start", `{}`)
		return echoSession(params)
	}
	s, err := c.CreateSession(t.Context(), client.Config{
		ID:     "s1",
		Params: map[string]any{"model": "m", "streaming": true},
		Tools:  []client.Tool{{Name: "t", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Permit: func(context.Context, json.RawMessage) client.Decision { return client.ApproveOnce },
	})
	if err != nil || s.ID != "s1" || s.WorkspacePath != "/w" {
		t.Fatalf("CreateSession = %+v, %v", s, err)
	}
	r.expect(`session.create {"model":"m","requestPermission":true,"sessionId":"s1","streaming":true,` +
		`"tools":[{"name":"t","description":"d","parameters":{"type":"object"}}]}`)

	id, err := s.Send(t.Context(), "hello")
	if id != "m1" || err != nil {
		t.Fatalf("Send = %q, %v, want m1", id, err)
	}
	r.expect(`session.send {"prompt":"hello","sessionId":"s1"}`)
	go func() {
		for _, kind := range []string{"user.message", "assistant.message", "session.idle", "user.message"} {
			r.emit(kind, `{}`)
		}
	}()
	var got []wire.EventType
	if err := s.Wait(t.Context(), func(e wire.Event) { got = append(got, e.Type) }); err != nil {
		t.Errorf("Wait: %v", err)
	}
	want := []wire.EventType{"session.start", "user.message", "assistant.message", "session.idle"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events differ:\n%s", diff)
	}
	if e, err := s.Next(t.Context()); e.Type != "user.message" || e.ID != "e" || string(e.Data) != "{}" || err != nil {
		t.Errorf("Next = %+v, %v, want the message behind the idle", e, err)
	}
	for _, step := range []struct {
		call func(context.Context) error
		want string
	}{{s.Abort, `session.abort {"sessionId":"s1"}`}, {s.Detach, `session.detach {"sessionId":"s1"}`}} {
		if err := step.call(t.Context()); err != nil {
			t.Errorf("%s: %v", step.want, err)
		}
		r.expect(step.want)
	}
	if _, err := c.ResumeSession(t.Context(), client.Config{ID: "s1"}); err != nil {
		t.Errorf("ResumeSession: %v", err)
	}
	r.expect(`session.resume {"sessionId":"s1"}`)
}

func TestWaitReturnsTheErrorOfTheSessionWhenItIsIdle(t *testing.T) {
	s, r := open(t, client.Config{})
	go func() {
		r.emit("session.error", `{"errorType":"x","message":"out of quota"}`)
		r.emit("session.idle", `{}`)
		r.emit("session.idle", `{}`)
	}()
	if err := s.Wait(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "out of quota") {
		t.Errorf("Wait = %v, want out of quota", err)
	}
	if err := s.Wait(t.Context(), nil); err != nil {
		t.Errorf("the next Wait = %v, want nil", err)
	}
}

func TestToolsAndPermissionsAreAnswered(t *testing.T) {
	stopped := make(chan struct{})
	tools := []client.Tool{
		{Name: "upper", Run: func(_ context.Context, arguments json.RawMessage) (string, error) {
			return strings.ToUpper(string(arguments)), nil
		}},
		{Name: "fail", Run: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("no luck") }},
		{Name: "wait", Run: func(ctx context.Context, _ json.RawMessage) (string, error) {
			<-ctx.Done()
			close(stopped)
			return "too late", nil
		}},
		{Name: "declared"},
	}
	var decision client.Decision
	_, r := open(t, client.Config{Tools: tools, Permit: func(_ context.Context, request json.RawMessage) client.Decision {
		if string(request) != `{"kind":"shell"}` {
			t.Errorf("asked for %s", request)
		}
		return decision
	}})
	for _, tc := range []struct{ name, kind, data, want string }{
		{
			"a result", "external_tool.requested", `{"requestId":"r1","toolName":"upper","arguments":{"a":"x"}}`,
			`session.tools.handlePendingToolCall {"requestId":"r1","result":"{\"A\":\"X\"}","sessionId":"s1"}`,
		},
		{
			"a failure", "external_tool.requested", `{"requestId":"r2","toolName":"fail"}`,
			`session.tools.handlePendingToolCall {"error":"no luck","requestId":"r2","sessionId":"s1"}`,
		},
		{"a tool of others", "external_tool.requested", `{"requestId":"r3","toolName":"declared"}`, ""},
		{"a tool that is not wanted any more", "external_tool.requested", `{"requestId":"r4","toolName":"wait"}`, ""},
		{"so it ends", "external_tool.completed", `{"requestId":"r4"}`, ""},
		{"a permission somebody else gives", "permission.requested", `{"requestId":"p0","permissionRequest":{"kind":"shell"}}`, ""},
		{"a permission a hook gave", "permission.requested", `{"requestId":"p1","permissionRequest":{},"resolvedByHook":true}`, ""},
		{"not an object", "permission.requested", `[]`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.emit(tc.kind, tc.data)
			if tc.want != "" {
				r.expect(tc.want)
			}
		})
	}
	<-stopped
}

func TestDecisionsTravel(t *testing.T) {
	for _, decision := range []client.Decision{client.ApproveOnce, {Kind: "reject", Feedback: "not there"}} {
		_, r := open(t, client.Config{Permit: func(context.Context, json.RawMessage) client.Decision { return decision }})
		r.emit("permission.requested", `{"requestId":"p1","permissionRequest":{"kind":"shell"}}`)
		result, _ := json.Marshal(decision)
		r.expect(`session.permissions.handlePendingPermissionRequest {"requestId":"p1","result":` + string(result) + `,"sessionId":"s1"}`)
	}
}
