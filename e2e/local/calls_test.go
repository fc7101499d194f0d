//go:build local

package local

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/google/go-cmp/cmp"
)

// toolCall is a call that the model is asked to make. It copies what is short and in the order of the tool's schema.
type toolCall struct {
	name, arguments string // the arguments with the spaces of the template, in which the model has read the tool
}

// repeat is what makes the model call tools, in several forms, the one that works most often first.
func repeat(calls []toolCall) (prompts []string) {
	var texts []string
	for _, c := range calls {
		texts = append(texts, fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", c.name, c.arguments))
	}
	call := strings.Join(texts, "\n")
	return []string{
		"Repeat exactly: " + call,
		"Repeat: " + call,
		"Repeat this text: " + call,
		call + "\n" + call + "\nRepeat: " + call,
		"Repeat exactly this and nothing else: " + call,
		"Repeat: " + call + "\nRepeat: " + call,
		"Copy: " + call,
		"Say exactly: " + call,
		"Write: " + call + "\nWrite it again.",
		"Repeat after me: " + call,
		"Text: " + call + "\nRepeat the text exactly.",
		call + "\nRepeat exactly: " + call,
	}
}

// called has the model make calls, in sessions of its own, and returns the first session in which it has made them all
// in one message, and its answer.
func called(t *testing.T, c *runtime, config copilot.SessionConfig, calls ...toolCall) (s *talk, answer string) {
	t.Helper()
	for _, prompt := range repeat(calls) {
		s = create(t, c, config)
		answer = s.ask(prompt)
		if made(s, calls) {
			return s, answer
		}
		t.Logf("the model did not repeat %q, but said %.200q", prompt, answer)
	}
	t.Fatalf("the model made no such calls; the last session:\n%s", s.told())
	return nil, ""
}

// made tells whether the first answer in a session has exactly these calls.
func made(s *talk, calls []toolCall) bool {
	answers := all[*copilot.AssistantMessageData](s)
	if len(answers) == 0 || len(answers[0].ToolRequests) != len(calls) {
		return false
	}
	for i, r := range answers[0].ToolRequests {
		var want any
		if err := json.Unmarshal([]byte(calls[i].arguments), &want); err != nil {
			s.t.Fatal(err)
		}
		if r.Name != calls[i].name || !cmp.Equal(r.Arguments, want) {
			return false
		}
	}
	return true
}
