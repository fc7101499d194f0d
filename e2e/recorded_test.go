package e2e_test

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Facts about how a recording was made: the prompts, the tools of the
// client, and the result of each call.

// builtins are the tools of this program that recordings call, by their recorded
// names.
var builtins = []string{"${shell}", "view", "create", "edit", "grep", "glob", "ask_user", "skill", "sql", "task", "read_agent"}

// shellNames gives the shell tools the names that they have on Unix.
var shellNames = strings.NewReplacer("${shell}", "bash", "${read_shell}", "read_bash", "${write_shell}", "write_bash")

// usesBuiltins reports whether a recording calls a tool of this program.
func usesBuiltins(rec *modeltest.Recording) bool {
	for _, c := range rec.Conversations {
		for call := range calls(c) {
			if slices.Contains(builtins, call.Name) {
				return true
			}
		}
	}
	return false
}

// calls ranges over the calls of a conversation, with the recorded result; nil if
// there is none.
func calls(conversation []modeltest.Message) func(func(modeltest.ToolCall, *string) bool) {
	results := map[string]*string{}
	for _, m := range conversation {
		if m.Role == "tool" {
			results[m.ToolCallID] = &m.Content
		}
	}
	return func(yield func(modeltest.ToolCall, *string) bool) {
		for _, m := range conversation {
			for _, c := range m.ToolCalls {
				if !yield(c, results[c.ID]) {
					return
				}
			}
		}
	}
}

// multipleChoices reports whether an answer was recorded in several parts.
func multipleChoices(rec *modeltest.Recording) bool {
	for _, c := range rec.Conversations {
		for i := 1; i < len(c); i++ {
			if c[i].Role == "assistant" && c[i-1].Role == "assistant" {
				return true
			}
		}
	}
	return false
}

// continued reports whether a later conversation goes on from the prompts of
// conversation i: recordings hold one for each request where an answer had parts.
func continued(rec *modeltest.Recording, set scene, i int) bool {
	if set.asks != nil {
		return i < len(rec.Conversations)-1
	}
	mine := prompts(rec.Conversations[i])
	for _, later := range rec.Conversations[i+1:] {
		theirs := prompts(later)
		if len(theirs) >= len(mine) && slices.Equal(theirs[:len(mine)], mine) {
			return true
		}
	}
	return false
}

// added is how messages begin that a runtime puts between those of the user.
var added = []string{"<skill-context ", "Image file at path ", "<session_limits_status>", "<system_notification>"}

// prompts are the user's own messages.
func prompts(conversation []modeltest.Message) (out []string) {
	for _, m := range conversation {
		if m.Role == "user" && !slices.ContainsFunc(added, func(p string) bool { return strings.HasPrefix(m.Content, p) }) {
			out = append(out, m.Content)
		}
	}
	return out
}

// definitions are the tools that the client brings: all that a conversation calls,
// except for built-in ones that it does not provide itself and for calls of tools that did not
// exist.
func definitions(conversation []modeltest.Message, set scene) []object {
	seen, defs := map[string]bool{}, []object{}
	for call, result := range calls(conversation) {
		here := slices.Contains(builtins, call.Name) && !slices.Contains(set.brings, call.Name)
		if seen[call.Name] || here || missing(call.Name, result) {
			continue
		}
		seen[call.Name] = true
		defs = append(defs, object{
			"name": call.Name, "description": "recorded",
			"overridesBuiltInTool": slices.Contains(set.brings, call.Name), "skipPermission": slices.Contains(set.trusted, call.Name),
		})
	}
	return defs
}

// missing reports whether a call was one of a tool that did not exist, which real
// models often remember from elsewhere.
func missing(name string, result *string) bool {
	return result == nil && name == "report_intent" || result != nil && strings.HasPrefix(*result, "Tool '"+name+"' does not exist.")
}

// results are the recorded results by tool, in the order of the calls. A call
// without one was rejected.
func results(conversation []modeltest.Message) map[string][]*string {
	out := map[string][]*string{}
	for call, result := range calls(conversation) {
		name := shellNames.Replace(call.Name)
		out[name] = append(out[name], result)
	}
	return out
}

// lastAnswer returns the last answer, its parts joined; "" if a prompt had no answer.
func lastAnswer(conversation []modeltest.Message) (text string) {
	for _, m := range slices.Backward(conversation) {
		if m.Role != "assistant" {
			break
		}
		text = m.Content + text
	}
	return text
}

// wasInterrupted and failed tell what a recorded result was made of.
func wasInterrupted(result *string) bool { return result != nil && *result == tool.TextInterrupted }

func wasDenied(result *string) bool { return result != nil && *result == tool.TextNoPermission }

func hadFailed(result *string) bool {
	return result != nil && strings.HasPrefix(*result, "Failed to execute `")
}
