package session

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// hooks is who is called when something happens in a session, in order. nil calls
// nobody.
type hooks struct {
	s       *Session
	sources []hookSource
}

// hookSource runs hooks.
type hookSource interface {
	// serves reports whether there is a hook of a type for that input, and for how
	// long it may be waited for.
	serves(hookType string, input map[string]any) (limit time.Duration, ok bool)
	// invoke runs the hooks of a type and returns their output, nil for none.
	invoke(ctx context.Context, hookType string, input map[string]any) (json.RawMessage, error)
}

// peerHooks are the callbacks of a client. It does not say which it has, so it is
// called for all.
type peerHooks struct {
	s *Session
	c *Client
}

func (p peerHooks) serves(string, map[string]any) (time.Duration, bool) { return hookWait, true }

func (p peerHooks) invoke(ctx context.Context, hookType string, input map[string]any) (json.RawMessage, error) {
	var answer struct {
		Output json.RawMessage `json:"output"`
	}
	ctx, cancel := p.c.present(ctx)
	defer cancel()
	err := p.c.peer.Call(ctx, "hooks.invoke", map[string]any{"sessionId": p.s.id, "hookType": hookType, "input": input}, &answer)
	return answer.Output, err
}

// hook calls every source of a type of hook, one after the other, and gives each
// output to use, which may be nil. A hook that fails, or takes longer than it may,
// has no output; hook.end says so, and the session goes on.
func (h *hooks) hook(ctx context.Context, hookType, toolCallID string, extra map[string]any, use func(output json.RawMessage)) {
	if h == nil {
		return
	}
	for _, source := range h.sources {
		if ctx.Err() != nil {
			return
		}
		input := map[string]any{"sessionId": h.s.id, "timestamp": time.Now().UnixMilli(), "cwd": *h.s.at.Load()}
		maps.Copy(input, extra)
		limit, ok := source.serves(hookType, input)
		if !ok {
			continue
		}
		output := h.run(ctx, source, limit, hookType, toolCallID, input)
		if use != nil && len(output) > 0 && string(output) != "null" {
			use(output)
		}
	}
}

// run runs one source between the events that tell of it.
func (h *hooks) run(
	ctx context.Context, source hookSource, limit time.Duration, hookType, toolCallID string, input map[string]any,
) json.RawMessage {
	id := wire.NewID()
	record := func(d wire.Data) {
		_ = h.s.post(context.WithoutCancel(ctx), func() error { h.s.tell(d); return nil }) // a closing session tells nobody
	}
	record(&wire.HookStart{HookInvocationID: id, HookType: hookType, ParentToolCallID: wire.Optional(toolCallID)})
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	output, err := source.invoke(limited, hookType, input)
	end := &wire.HookEnd{HookInvocationID: id, HookType: hookType, ParentToolCallID: wire.Optional(toolCallID), Success: err == nil}
	switch {
	case err != nil:
		end.Error = &wire.HookError{Message: err.Error()}
		h.s.logs.Warn("a hook failed and counts for nothing", "hook", hookType, "err", err)
		output = nil
	case len(output) > 0 && string(output) != "null":
		end.Output = output
	}
	record(end)
	return output
}

// decodeHook reads an output; what does not fit is left zero, for a hook that says
// something odd is no reason to lose the session.
func decodeHook[T any](h *hooks, output json.RawMessage) (out T) {
	if err := json.Unmarshal(output, &out); err != nil {
		h.s.logs.Warn("a hook's output cannot be read", "err", err)
	}
	return out
}

// hooksNow is who is to be called now; nil if nobody is. It is safe from every
// goroutine.
func (s *Session) hooksNow() *hooks { return s.hooked.Load() }

// findHooks notes who is to be called, after a client came or went, or the files with
// hooks were read: those of files first, for they are the project's rules.
func (s *Session) findHooks() {
	var sources []hookSource
	for _, c := range s.commands {
		sources = append(sources, commandHook{s, c})
	}
	if c := s.latest(func(c *Client) bool { return c.hooks && c.peer != nil }); c != nil {
		sources = append(sources, peerHooks{s, c})
	}
	if len(sources) == 0 {
		s.hooked.Store(nil)
		return
	}
	s.hooked.Store(&hooks{s, sources})
}

// maxRetries bounds how often hooks can have a failed run tried again.
const maxRetries = 3

// retry tells the errorOccurred hooks of a failure, and reports whether the run is
// to be tried once more.
func (r *run) retry(ctx context.Context, failed error, tries int) (again bool) {
	h := r.s.hooksNow()
	if h == nil {
		return false
	}
	where := "system"
	if modelError(failed) != nil {
		where = "model_call"
	}
	input := map[string]any{"error": fault.Message(failed), "errorContext": where, "recoverable": tries < maxRetries}
	h.hook(ctx, "errorOccurred", "", input, func(output json.RawMessage) {
		o := decodeHook[struct {
			Handling string `json:"errorHandling"`
			Retries  int    `json:"retryCount"`
			Tell     string `json:"userNotification"`
		}](h, output)
		if o.Tell != "" {
			_ = r.Record(&wire.SessionInfo{InfoType: "hook", Message: o.Tell})
		}
		most := maxRetries
		if o.Retries > 0 {
			most = min(o.Retries, maxRetries)
		}
		again = again || o.Handling == "retry" && tries < most
	})
	return again
}

// partingWait bounds how long the hooks of a session that ends are waited for.
// Source: docs/protocol.md, "Hooks".
const partingWait = 10 * time.Second

// parting tells the sessionEnd hooks that the session closes, and reports whether
// they are still at it. It is called on the session's goroutine, again and again.
func (s *Session) parting() bool {
	if s.parted == nil {
		s.parted = make(chan struct{})
		h := s.hooksNow()
		if h == nil || s.discard {
			close(s.parted)
			return false
		}
		s.reg.running.Go(func() { s.part(h) })
	}
	select {
	case <-s.parted:
		return false
	default:
		return true
	}
}

func (s *Session) part(h *hooks) {
	ctx, cancel := context.WithTimeout(context.Background(), partingWait)
	defer cancel()
	h.hook(ctx, "sessionEnd", "", map[string]any{"reason": "complete"}, nil)
	_ = s.post(context.Background(), func() error { close(s.parted); return nil }) // wakes the goroutine
}
