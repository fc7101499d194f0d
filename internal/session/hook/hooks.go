package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the session that hooks belong to. Its methods are safe for concurrent use
// and are never called on the session's own goroutine.
type Session interface {
	// Cwd returns the current working directory.
	Cwd() string
	// PermissionMode returns how calls are permitted, in Claude's words: "default", "plan" or
	// "bypassPermissions".
	PermissionMode() string
	// Record records an event of a thread, and returns when that is done. agentID is that of
	// a sub-agent, "" for the main agent and for events of the session as a whole. A closed
	// session records nothing.
	Record(agentID string, data wire.Data)
}

// Options configures [New]. Session and Logger are required.
type Options struct {
	Session   Session
	SessionID string
	// Transcript is the path of the session's log, for commands.
	Transcript string
	// Files reads and runs hook files; nil: there are none.
	Files  *Files
	Logger *slog.Logger
	// Sandbox returns the sandbox in which hooks of files run, but for the user's own, because they come
	// from the repository; a nil policy: outside of any. Optional: they run outside.
	Sandbox func(context.Context) (*sandbox.Boxes, *sandbox.Policy, error)
}

// Hooks are the hooks of one session. Its methods are safe for concurrent use.
type Hooks struct {
	opts    Options
	sources atomic.Pointer[[]source] // in the order of their calls; nil: none

	reading  sync.Mutex      // held while files are read, never by the session's goroutine
	reported map[string]bool // warnings already recorded; guarded by reading
	read     atomic.Bool     // the files have been read once

	mu       sync.Mutex // guards the rest; never held across a call or I/O
	commands []command
	client   *client         // nil: no client has hooks
	warned   map[string]bool // parts of outputs whose warning is recorded; nil: none
}

// New returns the hooks of a session. There are none until a client or a file adds some.
func New(o Options) *Hooks { return &Hooks{opts: o} }

// source has hooks: a file's command, or a client.
type source interface {
	// serves reports whether there is a hook of that kind for the input, and its time limit.
	serves(kind string, about Call, input map[string]any) (limit time.Duration, ok bool)
	// invoke runs the hook and returns its output, nil for none.
	invoke(ctx context.Context, kind string, about Call, input map[string]any) (json.RawMessage, error)
}

// Any reports whether there are hooks to call.
func (h *Hooks) Any() bool { return h.sources.Load() != nil }

// arrange builds the list of sources in order. The caller holds h.mu.
func (h *Hooks) arrange() {
	var sources []source
	for _, c := range h.commands {
		about := described{h.opts.Session, h.opts.SessionID, h.opts.Transcript}
		box := h.opts.Sandbox
		if c.own {
			box = nil
		}
		sources = append(sources, commandHook{c, h.opts.Files, about, box, h.warnOnce, h.tellOnce})
	}
	if h.client != nil {
		sources = append(sources, h.client)
	}
	if len(sources) == 0 {
		h.sources.Store(nil)
		return
	}
	h.sources.Store(&sources)
}

// call calls every hook of a kind, one after the other, and passes each output to use, which
// may be nil. It stops when ctx ends. about is the zero Call if the hook is not about a tool
// call; details is added to the input of every hook.
func (h *Hooks) call(ctx context.Context, kind string, about Call, details map[string]any, use func(output json.RawMessage)) {
	if sources := h.sources.Load(); sources != nil {
		h.callAll(ctx, *sources, kind, about, details, use)
	}
}

// callAll is call for some of the hooks.
func (h *Hooks) callAll(
	ctx context.Context, sources []source, kind string, about Call, details map[string]any, use func(output json.RawMessage),
) {
	for _, src := range sources {
		if ctx.Err() != nil {
			return
		}
		input := map[string]any{
			"sessionId": h.opts.SessionID, "timestamp": time.Now().UnixMilli(), "cwd": h.opts.Session.Cwd(),
		}
		if about.AgentID != "" {
			input["sessionId"] = about.AgentID // Source: what the SDK's tests of sub-agents expect
		}
		maps.Copy(input, details)
		limit, ok := src.serves(kind, about, input)
		if !ok {
			continue
		}
		output := h.run(ctx, src, limit, kind, about, input)
		if len(output) == 0 || string(output) == "null" {
			continue
		}
		h.warnOfIneffective(kind, output)
		if _, ofFile := src.(commandHook); ofFile {
			h.tell(output)
		}
		if use != nil {
			use(output)
		}
	}
}

// run runs one hook and records the events before and after it.
func (h *Hooks) run(
	ctx context.Context, src source, limit time.Duration, kind string, about Call, input map[string]any,
) json.RawMessage {
	id, parent := wire.NewID(), wire.Optional(about.ID)
	h.opts.Session.Record(about.AgentID, &wire.HookStart{HookInvocationID: id, HookType: kind, ParentToolCallID: parent})
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	output, err := h.invoke(limited, src, kind, about, input)
	if err == nil {
		err = understand(kind, output)
	}
	end := &wire.HookEnd{HookInvocationID: id, HookType: kind, ParentToolCallID: parent, Success: err == nil}
	switch {
	case err != nil:
		end.Error = &wire.HookError{Message: fault.ForClient(err, "")}
		h.opts.Logger.Warn("a hook failed", "hook", kind, "err", err)
		output = h.insteadOf(src, kind, err)
	case len(output) > 0 && string(output) != "null":
		end.Output = output
	}
	h.opts.Session.Record(about.AgentID, end)
	return output
}

// invoke calls a hook. A panic in it counts as a failure of the hook.
func (h *Hooks) invoke(
	ctx context.Context, src source, kind string, about Call, input map[string]any,
) (output json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.opts.Logger.Error("a hook panicked", "hook", kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			output, err = nil, fault.New(fault.Internal, "hook", kind, "panic: %v", p)
		}
	}()
	return src.invoke(ctx, kind, about, input)
}

// decode decodes an output that [understand] has accepted.
func decode[T any](h *Hooks, output json.RawMessage) (out T) {
	if err := json.Unmarshal(output, &out); err != nil {
		h.opts.Logger.Warn("a part of a hook's output cannot be read", "err", fault.JSON(err))
		h.warnUnread(fmt.Sprintf("A part of a hook's output cannot be read, and has no effect: %v.", fault.JSON(err)))
	}
	return out
}
