package session

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Before implements [turn.Host]: the preToolUse hooks.
func (r *run) Before(ctx context.Context, c tool.Call) (out turn.Hooked) {
	h := r.s.hooksNow()
	if h == nil || r.confirms(c) { // a decision is no hook's
		return out
	}
	args := turn.RawArguments(string(c.Arguments))
	h.hook(ctx, "preToolUse", c.ID, map[string]any{"toolName": c.Name, "toolArgs": args}, func(output json.RawMessage) {
		o := decodeHook[struct {
			Permission string          `json:"permissionDecision"`
			Reason     string          `json:"permissionDecisionReason"`
			Arguments  json.RawMessage `json:"modifiedArgs"`
			Context    string          `json:"additionalContext"`
		}](h, output)
		r.add(c, o.Context)
		switch o.Permission {
		case "deny":
			if o.Reason == "" {
				o.Reason = "No reason provided"
			}
			out.Refused = &tool.Result{Outcome: tool.Denied, Text: "Denied by preToolUse hook: " + o.Reason}
		case "allow", "ask":
			if out.Permission != "ask" { // the strictest of several counts
				out.Permission = o.Permission
			}
		}
		if changed := compact(o.Arguments); changed != nil {
			out.Arguments = changed
		}
	})
	return out
}

// compact returns a JSON object without white space, nil if it is none.
func compact(object json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) || json.Compact(&b, object) != nil {
		return nil
	}
	return b.Bytes()
}

// After implements [turn.Host]: the hooks of a result, and what is done with one
// that is too long to be read.
func (r *run) After(ctx context.Context, c tool.Call, res tool.Result) tool.Result {
	if h := r.s.hooksNow(); h != nil && !r.confirms(c) {
		input := map[string]any{"toolName": c.Name, "toolArgs": turn.RawArguments(string(c.Arguments))}
		switch res.Outcome {
		case tool.Success:
			res = r.succeeded(ctx, h, c, res, input)
		case tool.Failure:
			r.failedCall(ctx, h, c, res, input)
		}
	}
	return r.spill(fit(res))
}

func (r *run) succeeded(ctx context.Context, h *hooks, c tool.Call, res tool.Result, input map[string]any) tool.Result {
	input["toolResult"] = map[string]any{"textResultForLlm": res.Text, "resultType": res.Outcome, "toolTelemetry": res.Telemetry}
	h.hook(ctx, "postToolUse", c.ID, input, func(output json.RawMessage) {
		o := decodeHook[struct {
			Result  json.RawMessage `json:"modifiedResult"`
			Context string          `json:"additionalContext"`
		}](h, output)
		r.add(c, o.Context)
		res = changed(res, wire.Raw(o.Result))
	})
	return res
}

// changed is a result after a hook has changed it: to a text, or to a result object.
func changed(res tool.Result, to wire.Raw) tool.Result {
	switch text := to.Get("textResultForLlm"); {
	case to.IsString():
		res.Text = to.Text()
	case text.IsString():
		res.Text = text.Text()
		res.Outcome = outcome(to.Get("resultType").Text(), res.Outcome)
	}
	return res
}

// failedCall lets hooks say to the model what to do about a failure.
func (r *run) failedCall(ctx context.Context, h *hooks, c tool.Call, res tool.Result, input map[string]any) {
	input["error"] = res.Text
	h.hook(ctx, "postToolUseFailure", c.ID, input, func(output json.RawMessage) {
		o := decodeHook[struct {
			Context string `json:"additionalContext"`
		}](h, output)
		if o.Context != "" {
			r.guide("Tool \"" + c.Name + "\" failed. Additional guidance from postToolUseFailure hooks:\n" + o.Context)
		}
	})
}

// add keeps what a hook has to say about a call until its turn is over.
func (r *run) add(c tool.Call, context string) {
	if context != "" {
		r.guide("Additional context from a hook, about the call of " + c.Name + ":\n" + context)
	}
}

// guide keeps a text that the model is to read with its next call.
func (r *run) guide(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.guidance = append(r.guidance, text)
}

// spill puts a result that is too long to be read at once into a file: one of the
// workspace, or of the folder that the client named.
func (r *run) spill(res tool.Result) tool.Result {
	limit, l := tool.SpillLimit, r.large
	if l != nil && l.Enabled != nil && !*l.Enabled {
		return res
	}
	if l != nil && l.MaxSizeBytes > 0 {
		limit = l.MaxSizeBytes
	}
	return tool.Spill(res, limit, func(text string) (string, error) {
		if l == nil || l.OutputDir == "" {
			return r.s.files.SaveOutput(context.Background(), text)
		}
		return workspace.SaveOutput(context.Background(), workspace.Folder{FS: r.s.reg.opts.FS, Dir: l.OutputDir}, ".", text)
	})
}
