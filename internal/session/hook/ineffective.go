package hook

import (
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ineffective has the members of outputs that the documentation of the SDKs offers and that this
// version does not use, by the kind of the hook.
// Source: docs/hooks of github/copilot-sdk.
var ineffective = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	return map[string][]string{
		"preToolUse":          {"suppressOutput", "decision", "hookSpecificOutput"},
		"postToolUse":         {"suppressOutput"},
		"userPromptSubmitted": {"suppressOutput"},
		"sessionStart":        {"modifiedConfig"},
		"sessionEnd":          {"suppressOutput", "cleanupActions"},
		"errorOccurred":       {"suppressOutput"},
	}
}}

// warnOfIneffective records one warning for each member of an output that asks for something and has
// no effect.
func (h *Hooks) warnOfIneffective(kind string, output json.RawMessage) {
	if len(ineffective.Get()[kind]) == 0 {
		return
	}
	var members map[string]any
	if json.Unmarshal(output, &members) != nil {
		return // decode reports it
	}
	for _, name := range ineffective.Get()[kind] {
		if asks(members[name]) {
			h.warnOnce(kind, name)
		}
	}
	if kind == "errorOccurred" && members["errorHandling"] == "skip" {
		h.warnOnce(kind, `errorHandling "skip"`)
	}
}

// asks reports whether a value asks for anything.
func asks(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// warnOnce records that a part of the output of a kind of hook has no effect, once in a session.
func (h *Hooks) warnOnce(kind, part string) {
	h.tellOnce(fmt.Sprintf("A hook for %s returned %s, which has no effect in this version.", kind, part))
}

// tellOnce warns the user, unless it has done so in these words.
func (h *Hooks) tellOnce(message string) {
	h.mu.Lock()
	known := h.warned[message]
	if !known {
		if h.warned == nil {
			h.warned = map[string]bool{}
		}
		h.warned[message] = true
	}
	h.mu.Unlock()
	if !known {
		h.opts.Session.Record("", &wire.SessionWarning{WarningType: "unsupported_setting", Message: message})
	}
}
