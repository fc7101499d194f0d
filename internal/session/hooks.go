package session

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// clientLimit is how long a request to one client may take that a run waits for.
const clientLimit = time.Minute

// hookHost is a session as its hooks see it; it implements [hook.Session].
type hookHost struct{ s *Session }

func (h hookHost) Cwd() string { return h.s.log.Cwd() }

func (h hookHost) Record(agentID string, data wire.Data) {
	_ = h.s.log.Post(context.Background(), func() error { h.s.log.RecordOrEmit(agentID, data); return nil }) // no context: hook.end follows hook.start, unless the session closes
}

// sandbox returns the sandbox in which hooks of the repository run; see [hook.Options].
func (h hookHost) sandbox(ctx context.Context) (*sandbox.Boxes, *sandbox.Policy, error) {
	policy, err := h.s.permissions.HookPolicy(ctx)
	if policy == nil || err != nil {
		return nil, nil, err
	}
	boxes, err := mailbox.Ask(ctx, h.s.log.Post, func() (*sandbox.Boxes, error) { return h.s.tools.own().Boxes, nil })
	lookWhileItRuns(h.s, *policy)
	return boxes, policy, err
}

// callHooksOfClient makes the hooks of the client that attached last those that are
// called. It is called when a client came or left.
func (s *Session) callHooksOfClient() {
	if c := s.latest(func(c *Client) bool { return c.hooks && c.peer != nil }); c != nil {
		s.hooks.SetClient(c.peer, c.attached)
		return
	}
	s.hooks.SetClient(nil, nil)
}

// PermissionMode implements [hook.Session].
func (h hookHost) PermissionMode() string {
	mode, _ := mailbox.Ask(context.Background(), h.s.log.Post, func() (string, error) { // a closed session answers at once
		return hook.ModeFor(h.s.log.State().ModeNow(), h.s.log.State().PermissionMode), nil
	})
	return mode
}

// hookedCall is a tool call as hooks see it.
func hookedCall(s *Session, c tool.Call, of func() role) hook.Call {
	call := hook.Call{ID: c.ID, Name: c.Name, AgentID: c.AgentID, Arguments: turn.RawArguments(string(c.Arguments))}
	_ = s.log.Post(context.Background(), func() error { // a closed session answers at once
		for _, o := range s.tools.offeredTo(of()) {
			if o.Definition.Name == c.Name {
				call.Server, call.ServerTool = o.Definition.Server, o.Definition.ServerTool
			}
		}
		return nil
	})
	return call
}

// Before implements [turn.Host]: the preToolUse hooks. They are not asked about a
// decision of the user on a confirmation.
func (t *thread) Before(ctx context.Context, c tool.Call) (out turn.Hooked) {
	t.calls.Add(1)
	if !t.s.hooks.Any() || t.confirms(c) {
		return out
	}
	d := t.s.hooks.PreToolUse(ctx, hookedCall(t.s, c, t.role))
	t.guide(d.Guidance...)
	if d.Denied != "" {
		out.Refused = &tool.Result{Outcome: tool.Denied, Text: d.Denied}
	}
	out.Permission, out.Arguments = d.Permission, d.Arguments
	return out
}

// After implements [turn.Host]: the hooks that see a result, and the file for a result
// that is too long to be read.
func (t *thread) After(ctx context.Context, c tool.Call, res tool.Result) tool.Result {
	if t.s.hooks.Any() && !t.confirms(c) {
		var guidance []string
		switch res.Outcome {
		case tool.Success:
			res, guidance = t.s.hooks.PostToolUse(ctx, hookedCall(t.s, c, t.role), res)
		case tool.Failure:
			guidance = t.s.hooks.PostToolUseFailure(ctx, hookedCall(t.s, c, t.role), res.Text)
		}
		t.guide(guidance...)
	}
	if does := fact.Of(c.Name).Does; c.Permitted != nil && res.Outcome == tool.Success && (does == fact.Read || does == fact.Write) {
		t.notes.Lock()
		t.touched = append(t.touched, c.Permitted.Path.Name)
		t.notes.Unlock()
	}
	return t.spill(turn.Fit(res))
}

// guide keeps texts that the model is to read with its next call.
func (t *thread) guide(texts ...string) {
	t.notes.Lock()
	defer t.notes.Unlock()
	t.guidance = append(t.guidance, texts...)
}

// spill puts a result that is too long to be read at once into a file: one of the
// workspace, or of the folder that the client named.
func (r *run) spill(res tool.Result) tool.Result { return spill(r.s, r.large, res) }

// spill moves a result of a session into a file if it is longer than l allows, which may be
// nil.
func spill(s *Session, l *wire.LargeOutput, res tool.Result) tool.Result {
	limit := tool.SpillLimit
	if l != nil && l.Enabled != nil && !*l.Enabled {
		return res
	}
	if l != nil && l.MaxSizeBytes > 0 {
		limit = l.MaxSizeBytes
	}
	return tool.Spill(res, limit, func(text string) (string, error) {
		if l == nil || l.OutputDir == "" {
			return s.workspace.Stored().SaveOutput(context.Background(), text)
		}
		return workspace.SaveOutput(context.Background(), workspace.Folder{FS: s.home.FS, Dir: l.OutputDir}, ".", text)
	})
}

// ReloadHooks reads the hook files of the session anew, and returns how many hooks it has then. With later they are
// left out until the next call without it.
func (s *Session) ReloadHooks(ctx context.Context, later bool) (hooks int, err error) {
	if err := s.log.Do(ctx, func() error { s.config.hooksLater = later; return nil }); err != nil {
		return 0, err
	}
	if err := s.readHooks(ctx); err != nil {
		return 0, err
	}
	return s.hooks.Commands(), nil
}
