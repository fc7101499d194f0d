package hook

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Call is a tool call in the form that hooks get.
type Call struct {
	ID, Name string
	// Server and ServerTool are the MCP server of the tool, and the tool's name there; "" for other tools.
	Server, ServerTool string
	// AgentID is the sub-agent that makes the call; "" is the main agent.
	AgentID string
	// Arguments can be encoded as JSON: an object, or a string with the model's text if that
	// is not an object.
	Arguments any
}

// Decision is the decision of preToolUse hooks on a call. The zero value changes nothing.
type Decision struct {
	// Denied is the reason why the call is not made, in words for the model; "" if it may be
	// made.
	Denied string
	// Permission is "allow" to make the call without approval, "ask" to ask the user in any
	// case, "" to let the rules decide. "ask" of one hook takes precedence over "allow" of
	// another.
	Permission string
	// Arguments replace those of the call; nil keeps them. They are a compact JSON object.
	Arguments json.RawMessage
	// Guidance is text for the model, sent before its next answer.
	Guidance []string
}

const preToolUse = "preToolUse"

// PreToolUse calls the preToolUse hooks before a tool call.
func (h *Hooks) PreToolUse(ctx context.Context, c Call) (d Decision) {
	h.call(ctx, preToolUse, c, map[string]any{"toolName": c.Name, "toolArgs": c.Arguments}, func(output json.RawMessage) {
		o := decode[struct {
			Permission string          `json:"permissionDecision"`
			Reason     string          `json:"permissionDecisionReason"`
			Arguments  json.RawMessage `json:"modifiedArgs"`
			Context    string          `json:"additionalContext"`
		}](h, output)
		d.Guidance = append(d.Guidance, c.guidance(o.Context)...)
		switch o.Permission {
		case "deny":
			if o.Reason == "" {
				o.Reason = "No reason provided"
			}
			d.Denied = "Denied by preToolUse hook: " + o.Reason
		case "allow", "ask":
			if d.Permission != "ask" {
				d.Permission = o.Permission
			}
		}
		if changed := wire.CompactObject(o.Arguments); changed != nil {
			d.Arguments = changed
		}
	})
	return d
}

// PreMCPToolCall calls the preMcpToolCall hooks before a call of a tool of an MCP server, and
// returns the _meta to send with it: nil for none. Without an answer it stays as it is.
func (h *Hooks) PreMCPToolCall(ctx context.Context, c Call, server, tool string, meta map[string]any) map[string]any {
	details := map[string]any{"serverName": server, "toolName": tool, "arguments": c.Arguments, "toolCallId": c.ID}
	if meta != nil {
		details["_meta"] = meta
	}
	h.call(ctx, "preMcpToolCall", c, details, func(output json.RawMessage) {
		chosen := wire.Raw(output).Get("metaToUse")
		if chosen == nil {
			return
		}
		var changed map[string]any // null removes it
		if err := json.Unmarshal(chosen, &changed); err != nil {
			h.opts.Logger.Warn("metaToUse of a preMcpToolCall hook is neither an object nor null", "err", fault.JSON(err))
			return
		}
		meta = changed
	})
	return meta
}

// PostToolUse calls the postToolUse hooks after a call that succeeded. It returns the result
// with the changes of the hooks, and text for the model.
func (h *Hooks) PostToolUse(ctx context.Context, c Call, res tool.Result) (_ tool.Result, guidance []string) {
	details := map[string]any{
		"toolName": c.Name, "toolArgs": c.Arguments,
		"toolResult": map[string]any{"textResultForLlm": res.Text, "resultType": res.Outcome, "toolTelemetry": res.Telemetry},
	}
	h.call(ctx, "postToolUse", c, details, func(output json.RawMessage) {
		o := decode[struct {
			Result  json.RawMessage `json:"modifiedResult"`
			Context string          `json:"additionalContext"`
		}](h, output)
		guidance = append(guidance, c.guidance(o.Context)...)
		res = changed(res, wire.Raw(o.Result))
	})
	return res, guidance
}

// PostToolUseFailure calls the postToolUseFailure hooks after a call that failed with the
// given text. It returns text for the model.
func (h *Hooks) PostToolUseFailure(ctx context.Context, c Call, text string) (guidance []string) {
	details := map[string]any{"toolName": c.Name, "toolArgs": c.Arguments, "error": text}
	h.call(ctx, "postToolUseFailure", c, details, func(output json.RawMessage) {
		o := decode[struct {
			Context string `json:"additionalContext"`
		}](h, output)
		if o.Context != "" {
			guidance = append(guidance, "Tool \""+c.Name+"\" failed. Additional guidance from postToolUseFailure hooks:\n"+o.Context)
		}
	})
	return guidance
}

// guidance returns the context that a hook added to a call, as text for the model.
func (c Call) guidance(context string) []string {
	if context == "" {
		return nil
	}
	return []string{"Additional context from a hook, about the call of " + c.Name + ":\n" + context}
}

// changed returns a result that a hook replaced: by a text, or by a result object.
func changed(res tool.Result, to wire.Raw) tool.Result {
	switch text := to.Get("textResultForLlm"); {
	case to.IsString():
		res.Text = to.Text()
	case text.IsString():
		res.Text = text.Text()
		res.Outcome = tool.ParseOutcome(to.Get("resultType").Text(), res.Outcome)
	}
	return res
}
