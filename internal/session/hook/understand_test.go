package hook_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/hook"
)

// A decision that cannot be understood may have been a denial: the call is denied, the hook has failed,
// and a warning says so.
func TestADecisionThatCannotBeUnderstoodIsADenial(t *testing.T) {
	for name, output := range map[string]any{
		"case":      object{"permissionDecision": "Deny"},
		"unknown":   object{"permissionDecision": "block"},
		"type":      object{"permissionDecision": 5},
		"text":      "deny",
		"number":    5,
		"list":      []any{},
		"arguments": object{"permissionDecision": "allow", "modifiedArgs": "ls"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &recorder{}
			h := newHooks(s, nil)
			h.SetClient(always(output), t.Context())
			if d := h.PreToolUse(t.Context(), lookup); d.Denied == "" || d.Permission != "" {
				t.Errorf("PreToolUse = %+v, not a denial", d)
			}
			log := strings.Join(s.log(), "\n")
			if !strings.Contains(log, "end preToolUse: ") || !strings.Contains(log, "warning A tool call was denied: ") {
				t.Errorf("the events do not say that the hook failed:\n%s", log)
			}
		})
	}
	for name, output := range map[string]any{"none": nil, "empty": object{}, "null": object{"permissionDecision": nil, "modifiedArgs": nil}} {
		h := newHooks(&recorder{}, nil)
		h.SetClient(always(output), t.Context())
		if d := h.PreToolUse(t.Context(), lookup); !cmp.Equal(d, hook.Decision{}) {
			t.Errorf("PreToolUse of the output %s = %+v, not the zero value", name, d)
		}
	}
}

// A prompt, too: it is blocked.
func TestAnAnswerAboutAPromptThatCannotBeUnderstoodBlocksIt(t *testing.T) {
	for name, output := range map[string]any{"unknown": object{"decision": "deny"}, "type": object{"decision": 5}, "text": "block", "list": []any{}} {
		s := &recorder{}
		h := newHooks(s, nil)
		h.SetClient(always(output), t.Context())
		if s := h.UserPromptSubmitted(t.Context(), "a"); !s.Blocked || s.Why == "" {
			t.Errorf("UserPromptSubmitted of the output %s = %+v, not blocked", name, s)
		}
		if log := strings.Join(s.log(), "\n"); !strings.Contains(log, "end userPromptSubmitted: ") {
			t.Errorf("%s: the events do not say that the hook failed:\n%s", name, log)
		}
	}
}

func TestAnUnreadableOutputIsReported(t *testing.T) {
	s := &recorder{}
	h := newHooks(s, nil)
	h.SetClient(always(object{"modifiedPrompt": 5}), t.Context())
	if s := h.UserPromptSubmitted(t.Context(), "a"); s.Prompt != "a" || s.Blocked {
		t.Errorf("UserPromptSubmitted = %+v", s)
	}
	if log := strings.Join(s.log(), "\n"); !strings.Contains(log, "warning ") {
		t.Errorf("no warning of an unreadable member:\n%s", log)
	}
}

// A command of a file may decide in the words of Claude Code. What is none of them is a denial as well.
func TestADecisionOfACommandThatIsNoneIsADenial(t *testing.T) {
	for output, want := range map[string]string{
		`{"decision":"blocked"}`:              "denied",
		`{"decision":true}`:                   "denied",
		`{"decision":["deny"]}`:               "denied",
		`{"hookSpecificOutput":"deny"}`:       "denied",
		`{"hookSpecificOutput":[1]}`:          "denied",
		`{"continue":"false"}`:                "denied",
		`{"continue":0,"decision":"approve"}`: "denied",
		`{"permissionDecision":"denied"}`:     "denied",
		`{"decision":"block","reason":"no"}`:  "denied",
		`{"decision":"deny"}`:                 "denied",
		`{"continue":false}`:                  "denied",
		`{"permissionDecision":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}`: "denied",
		`{"permissionDecision":"ask","hookSpecificOutput":{"permissionDecision":"allow"}}`:  "ask",
		`{"decision":"approve"}`:                                          "allow",
		`{"decision":"allow"}`:                                            "allow",
		`{"decision":"ask"}`:                                              "ask",
		`{"decision":"ask","permissionDecision":"allow"}`:                 "ask",
		`{"decision":""}`:                                                 "",
		`{"decision":null,"hookSpecificOutput":null,"continue":null}`:     "",
		`{"continue":true,"hookSpecificOutput":{"additionalContext":""}}`: "",
	} {
		s, r := &recorder{}, &repository{outputs: map[string]string{"a": output}}
		r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"a"}]}}`)
		h := newHooks(s, r.files())
		h.ReadFiles(atRepo)
		d := h.PreToolUse(t.Context(), lookup)
		got := d.Permission
		if d.Denied != "" {
			got = "denied"
		}
		if got != want {
			t.Errorf("%s: %+v, want %q\n%s", output, d, want, strings.Join(s.log(), "\n"))
		}
	}
	for _, output := range []object{{"decision": "block"}, {"decision": "deny"}, {"hookSpecificOutput": "deny"}, {"continue": false}} {
		h := newHooks(&recorder{}, nil)
		h.SetClient(always(output), t.Context())
		if d := h.PreToolUse(t.Context(), lookup); d.Denied == "" {
			t.Errorf("a client that answers %v: %+v, not denied", output, d)
		}
	}
	h := newHooks(&recorder{}, nil)
	h.SetClient(always(object{"continue": "false"}), t.Context())
	if s := h.UserPromptSubmitted(t.Context(), "a"); !s.Blocked {
		t.Errorf("a prompt whose hook says continue: \"false\" is not blocked: %+v", s)
	}
}
