package hook_test

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/hook"
)

// A part of an output that the SDKs document and that has no effect is named once; a part that asks
// for nothing is not.
func TestPartsOfAnOutputWithoutEffectAreNamed(t *testing.T) {
	session := &recorder{}
	hooks := hook.New(hook.Options{Session: session, SessionID: "s", Logger: slog.New(slog.DiscardHandler)})
	output := object{
		"suppressOutput": true, "modifiedConfig": object{"model": "m"}, "cleanupActions": []string{"rm"},
		"sessionSummary": "done", "errorHandling": "skip", "additionalContext": "context",
	}
	hooks.SetClient(always(output), t.Context())
	for range 2 {
		hooks.SessionStart(t.Context(), "new", "Hello")
		hooks.PreToolUse(t.Context(), hook.Call{ID: "1", Name: "view"})
	}
	hooks.ErrorOccurred(t.Context(), hook.Failure{Message: "broken"})
	hooks.SetClient(always(object{"suppressOutput": false, "modifiedConfig": object{}, "cleanupActions": []string{}, "errorHandling": "abort"}), t.Context())
	hooks.UserPromptSubmitted(t.Context(), "Hello")
	hooks.SessionEnd(t.Context(), hook.EndComplete)
	want := []string{
		"start sessionStart", "end sessionStart", "warning A hook for sessionStart returned modifiedConfig, which has no effect in this version.",
		"start preToolUse", "end preToolUse", "warning A hook for preToolUse returned suppressOutput, which has no effect in this version.",
		"start sessionStart", "end sessionStart", "start preToolUse", "end preToolUse",
		"start errorOccurred", "end errorOccurred", "warning A hook for errorOccurred returned suppressOutput, which has no effect in this version.",
		`warning A hook for errorOccurred returned errorHandling "skip", which has no effect in this version.`,
		"start userPromptSubmitted", "end userPromptSubmitted", "start sessionEnd", "end sessionEnd",
	}
	if d := cmp.Diff(want, session.log()); d != "" {
		t.Errorf("recorded (-want +got):\n%s", d)
	}
}
