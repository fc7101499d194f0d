package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The answers of the client in a replayed conversation.

// decide allows a call unless its recorded result says that nobody was there to, or
// unless it has none. Decisions are sent once as many are wanted as the scene says.
func (h *holder) decide(ctx context.Context, e wire.Event, id string) error {
	if e.AgentID != "" { // the ids of its calls are counted anew
		return h.call(ctx, request{"session.permissions.handlePendingPermissionRequest", object{"requestId": id, "result": object{"kind": "approve-once"}}})
	}
	var d struct{ PermissionRequest struct{ ToolCallID string } }
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return err
	}
	result, known := h.byCall[d.PermissionRequest.ToolCallID]
	h.permitted[d.PermissionRequest.ToolCallID]++
	decision := object{"kind": "approve-once"}
	switch {
	case !known:
		return fmt.Errorf("permission is asked for the call %q, which was not recorded", d.PermissionRequest.ToolCallID)
	case result == nil && h.set.decision != nil:
		decision = h.set.decision
	case result == nil && !h.set.abandoned:
		decision = object{"kind": "reject"}
	case wasDenied(result):
		decision = object{"kind": "user-not-available"}
	}
	if decision["kind"] == "no-result" {
		return h.s.Abort(ctx)
	}
	h.held = append(h.held, func() error {
		params := object{"requestId": id, "result": decision}
		if h.set.context != nil {
			params["decisionContext"] = h.set.context
		}
		return h.call(ctx, request{"session.permissions.handlePendingPermissionRequest", params})
	})
	if len(h.held) < h.set.together {
		return nil
	}
	for _, send := range h.held {
		if err := send(); err != nil {
			return err
		}
	}
	h.held = nil
	return nil
}

// answer gives a call of the client's tools its recorded result.
func (h *holder) answer(ctx context.Context, id, name string) error {
	params := object{"sessionId": h.s.ID, "requestId": id}
	if r, ok := h.set.acts[name]; ok {
		if err := h.call(ctx, r); err != nil {
			return err
		}
		return h.c.Call(ctx, "session.tools.handlePendingToolCall", with(params, "result", "done"), nil)
	}
	result := h.next(name)
	switch {
	case result == nil:
		params["result"] = object{"textResultForLlm": "no", "resultType": "rejected"}
	case wasInterrupted(result):
		return h.s.Abort(ctx)
	case hadFailed(result):
		params["error"] = "an exception"
	default:
		params["result"] = *result
	}
	err := h.c.Call(ctx, "session.tools.handlePendingToolCall", params, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mine--; h.mine == 0 {
		close(h.alone)
	}
	return err
}

// next takes the next recorded result of a tool.
func (h *holder) next(name string) (result *string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := h.results[name]; len(left) > 0 {
		result, h.results[name] = left[0], left[1:]
	}
	return result
}

// answerQuestion answers what the runtime asks of the client directly.
func (h *holder) answerQuestion(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "hooks.invoke":
		return h.hook(params)
	case "userInput.request":
		return h.input(ctx)
	case "systemMessage.transform":
		return h.transform(params)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: method}
}

func (h *holder) hook(params json.RawMessage) (any, error) {
	var p struct {
		HookType string
		Input    object
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	n := h.heard(p.HookType, p.Input)
	hook := h.set.hooks[p.HookType]
	if hook == nil {
		return object{}, nil
	}
	return object{"output": hook(n, p.Input)}, nil
}

// heard counts the calls of a type of hook, from 0, and keeps what is wrong with the
// input of the first.
func (h *holder) heard(hookType string, input object) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n = h.hooked[hookType]
	h.hooked[hookType]++
	want := object{"sessionId": "recorded", "cwd": h.work, "timestamp": ""}
	maps.Copy(want, h.set.hears[hookType])
	for member, part := range want {
		got, ok := input[member]
		if n == 0 && (!ok || !strings.Contains(fmt.Sprint(got), fmt.Sprint(part))) {
			h.wrong = fmt.Sprintf("the hook %s is given the %s %v, want %v in it", hookType, member, got, part)
		}
	}
	return n
}

// input answers as the person did, after the calls beside the question: it holds
// up none.
func (h *holder) input(ctx context.Context) (any, error) {
	select {
	case <-h.alone:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if result := h.next("ask_user"); result != nil {
		if choice, ok := strings.CutPrefix(*result, "User selected: "); ok {
			return object{"answer": choice, "wasFreeform": false}, nil
		}
		if words, ok := strings.CutPrefix(*result, "User responded: "); ok {
			return object{"answer": words, "wasFreeform": true}, nil
		}
	}
	return nil, fmt.Errorf("no answer was recorded")
}

func (h *holder) transform(params json.RawMessage) (any, error) {
	var p struct {
		Sections map[string]struct{ Content string }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	out := object{}
	for id, s := range p.Sections {
		if change := h.set.sections[id]; change != nil && s.Content != "" {
			out[id] = object{"content": change(s.Content)}
			h.mu.Lock()
			h.hooked[id]++
			h.mu.Unlock()
		}
	}
	return object{"sections": out}, nil
}
