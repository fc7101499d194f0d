package hook

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// errNotUnderstood is the kind of error of a hook that answered, and whose answer cannot be understood.
var errNotUnderstood = errors.New("the answer of the hook cannot be understood")

func notUnderstood(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errNotUnderstood, fmt.Errorf(format, args...))
}

// understand returns an error that wraps [errNotUnderstood] if an output is no object, or if it is one of
// preToolUse whose decision or arguments cannot be understood. No output, null and {} decide nothing.
func understand(kind string, output json.RawMessage) error {
	if len(output) == 0 || string(output) == "null" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(output, &members); err != nil {
		return notUnderstood("%w", fault.JSON(err))
	}
	if kind != "preToolUse" {
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

// insteadOf returns the output that replaces the one of a hook that failed; nil for none. A decision that
// cannot be understood may have been a denial, so the call is denied.
func (h *Hooks) insteadOf(kind string, failed error) json.RawMessage {
	if !errors.Is(failed, errNotUnderstood) {
		return nil
	}
	if kind != "preToolUse" {
		h.warnUnread(fmt.Sprintf("A hook for %s has no effect: %v.", kind, failed))
		return nil
	}
	h.warnUnread(fmt.Sprintf("A tool call was denied: %v.", failed))
	denial, err := json.Marshal(map[string]string{"permissionDecision": "deny", "permissionDecisionReason": failed.Error()})
	if err != nil {
		return nil // strings can always be encoded
	}
	return denial
}

// warnUnread records a warning of an answer of a hook that cannot be read.
func (h *Hooks) warnUnread(message string) {
	h.opts.Session.Record("", &wire.SessionWarning{WarningType: "hook_output", Message: message})
}
