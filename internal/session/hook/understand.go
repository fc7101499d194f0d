package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// errNotUnderstood is the kind of error of a hook that answered, and whose answer cannot be understood.
var errNotUnderstood = errors.New("the answer of the hook cannot be understood")

func notUnderstood(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errNotUnderstood, fmt.Errorf(format, args...))
}

// understand returns an error that wraps [errNotUnderstood] if an output is no object, or if it is one of
// preToolUse or userPromptSubmitted whose decision or arguments cannot be understood. No output, null and {} decide nothing.
func understand(kind string, output json.RawMessage) error {
	if len(output) == 0 || string(output) == "null" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(output, &members); err != nil {
		return notUnderstood("%w", fault.JSON(err))
	}
	switch kind {
	case promptSubmitted:
		return cmp.Or(understandContinue(members), understandBlock(output))
	case preToolUse:
		if err := understandClaude(members); err != nil {
			return err
		}
	default:
		return nil
	}
	var o struct {
		Permission string          `json:"permissionDecision"`
		Arguments  json.RawMessage `json:"modifiedArgs"`
	}
	if err := json.Unmarshal(output, &o); err != nil {
		return notUnderstood("%w", fault.JSON(err))
	}
	switch o.Permission {
	case "", "allow", "ask", "deny":
	default:
		return notUnderstood("permissionDecision is %.100q, and the decisions are allow, ask and deny", o.Permission)
	}
	if len(o.Arguments) > 0 && string(o.Arguments) != "null" && wire.CompactObject(o.Arguments) == nil {
		return notUnderstood("modifiedArgs is no object")
	}
	return nil
}

// callDecisions are the words of Claude Code for a decision about a tool call; "" is none.
var callDecisions = []string{"", "approve", "allow", "ask", blocks, "deny"}

// isNoDecision reports whether a member decides nothing: it is not there, null or "".
func isNoDecision(value json.RawMessage) bool {
	return len(value) == 0 || string(value) == "null" || string(value) == `""`
}

// understandClaude is understand for the members of Claude Code in an answer about a tool call. Of the answer of a
// command those are left that were not translated. The answer of a client is in the words of the protocol, in which they
// have no effect: one that would stop a call is not passed over.
func understandClaude(members map[string]json.RawMessage) error {
	if value := members["hookSpecificOutput"]; len(value) > 0 && value[0] != '{' && string(value) != "null" {
		return notUnderstood("hookSpecificOutput is no object")
	}
	value := members["decision"]
	if decision := text(value); !isNoDecision(value) && !slices.Contains([]string{"approve", "allow", "ask"}, decision) {
		return notUnderstood("decision is %.100s, and permissionDecision is allow, ask or deny", value)
	}
	return understandContinue(members)
}

// understandContinue refuses what continue may be beside true: an answer that stops the work is translated before.
func understandContinue(members map[string]json.RawMessage) error {
	switch value := string(members["continue"]); value {
	case "", "null", "true":
		return nil
	default:
		return notUnderstood("continue is %.100s, and it is true or false", value)
	}
}

// understandBlock is understand for a hook that can block a prompt.
func understandBlock(output json.RawMessage) error {
	var o judged
	if err := json.Unmarshal(output, &o); err != nil {
		return notUnderstood("%w", fault.JSON(err))
	}
	if o.Decision != "" && o.Decision != blocks {
		return notUnderstood("decision is %.100q, and the only decision is block", o.Decision)
	}
	return nil
}

// insteadOf returns the output that replaces the one of a hook that failed; nil for none. A decision that
// cannot be understood may have been a denial, so the call is denied, and so is the prompt. A command of a file
// that fails denies the call in any case, unless it was not done in time:
// docs/decisions/0041-hooks-of-files-fail-closed.md.
func (h *Hooks) insteadOf(src source, kind string, failed error) json.RawMessage {
	_, ofFile := src.(commandHook)
	timedOut, unread := errors.Is(failed, errTimedOut), errors.Is(failed, errNotUnderstood)
	var instead map[string]string
	why := fault.ForClient(failed, "")
	switch {
	case kind == preToolUse && (unread || ofFile && !timedOut):
		h.warnUnread("A tool call was denied: " + why + ".")
		instead = map[string]string{"permissionDecision": "deny", "permissionDecisionReason": why}
	case kind == promptSubmitted && unread: // its warning is that of a blocked prompt
		instead = map[string]string{"decision": blocks, "reason": why}
	case unread || timedOut:
		h.warnUnread("A hook for " + kind + " has no effect: " + why + ".")
		return nil
	default:
		return nil
	}
	denial, err := json.Marshal(instead)
	if err != nil {
		return nil // strings can always be encoded
	}
	return denial
}

// warnUnread records a warning of an answer of a hook that cannot be read.
func (h *Hooks) warnUnread(message string) {
	h.opts.Session.Record("", &wire.SessionWarning{WarningType: "hook_output", Message: message})
}
