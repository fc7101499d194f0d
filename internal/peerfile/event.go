package peerfile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// event is an event by its names: that of this program, which is Copilot's, and those that files write in
// PascalCase.
type event struct {
	kind   string
	pascal []string
}

// events are those that this program has occasions for. The first name in PascalCase is the one that commands get.
var events = []event{
	{"sessionStart", []string{"SessionStart"}},
	{"sessionEnd", []string{"SessionEnd"}},
	{"userPromptSubmitted", []string{"UserPromptSubmit", "UserPromptSubmitted"}},
	{"userPromptTransformed", []string{"UserPromptTransformed"}},
	{"preToolUse", []string{"PreToolUse"}},
	{"postToolUse", []string{"PostToolUse"}},
	{"postToolUseFailure", []string{"PostToolUseFailure"}},
	{"preMcpToolCall", []string{"PreMcpToolCall"}},
	{"agentStop", []string{"Stop", "AgentStop"}},
	{"subagentStart", []string{"SubagentStart"}},
	{"subagentStop", []string{"SubagentStop"}},
	{"errorOccurred", []string{"ErrorOccurred"}},
}

// noOccasion are events of the other programs, in lower case, that this program has no occasion for.
var noOccasion = []string{
	"permissionrequest", "permissiondenied", "notification", "precompact", "postcompact", "setup", "posttoolbatch", "stopfailure",
	"configchange", "filechanged", "cwdchanged", "elicitation", "elicitationresult", "instructionsloaded", "userpromptexpansion",
	"worktreecreate", "worktreeremove", "taskcreated", "taskcompleted", "teammateidle",
}

// kindOf returns the event of a name in a file; pascal reports whether it is written in PascalCase, which
// selects the input with names like tool_name. wrong says why there is no such event, "" if there is one.
func kindOf(name string) (kind string, pascal bool, wrong string) {
	for _, e := range events {
		if name == e.kind {
			return e.kind, false, ""
		}
		if slices.Contains(e.pascal, name) {
			return e.kind, true, ""
		}
	}
	if slices.Contains(noOccasion, strings.ToLower(name)) {
		return "", false, "this version has no occasion for the event, so its hooks do not run"
	}
	return "", false, "no such event is known, so its hooks do not run"
}

// PascalName returns the name of an event that commands get as hook_event_name.
func PascalName(kind string) string {
	for _, e := range events {
		if e.kind == kind {
			return e.pascal[0]
		}
	}
	first, size := utf8.DecodeRuneInString(kind)
	return string(unicode.ToUpper(first)) + kind[size:]
}
