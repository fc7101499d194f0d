package demo

import (
	"embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// demoFiles is the small project that the scripted model repairs: a short program with a
// bug, and its test. They need sh and tr, which every machine with a shell has.
//
//go:embed slug.sh test.sh
var demoFiles embed.FS

// demoNames are its files. docs/walkthrough.md writes the same ones.
var demoNames = []string{"slug.sh", "test.sh"}

// writeDemo creates a folder and writes the project into it.
func writeDemo(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range demoNames {
		text, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// The prompts of the demo.
const (
	firstPrompt  = "The test fails. Why? Fix it."
	secondPrompt = "What was wrong?"
)

// The time between two pieces of an answer: fast for a model, slow enough to be seen.
const (
	demoPace  = 25 * time.Millisecond // where each event is shown
	modelPace = 8 * time.Millisecond
)

// demoScript is the answers of the scripted model. Each answer is given only to a request
// that contains what the answer needs: the result of a tool, or the conversation from
// before the restart. If the runtime lost any of it, the model would have no answer.
// Answers can be given again, so that the same prompt can be sent again.
func demoScript(pace time.Duration) []modeltest.Reply {
	script := []modeltest.Reply{{
		When:      modeltest.LastIs(firstPrompt),
		Reasoning: "First I have to see how it fails.",
		Text:      "I run the test.",
		ToolCalls: []modeltest.ToolCall{{ID: "call_test", Name: "bash", Arguments: `{"command": "./test.sh", "description": "Run the test"}`}},
		Usage:     &modeltest.Usage{Input: 2231, Output: 31},
	}, {
		When:      modeltest.LastIs("got release_notes, want release-notes"),
		Text:      "A space becomes an underscore, and should become a hyphen. Where is that done?",
		ToolCalls: []modeltest.ToolCall{{ID: "call_grep", Name: "grep", Arguments: `{"pattern": "_", "path": ".", "glob": "*.sh", "output_mode": "content"}`}},
		Usage:     &modeltest.Usage{Input: 2318, Output: 47},
	}, {
		When:      modeltest.LastIs("slug.sh:4:"),
		ToolCalls: []modeltest.ToolCall{{ID: "call_view", Name: "view", Arguments: `{"path": "slug.sh"}`}},
		Usage:     &modeltest.Usage{Input: 2390, Output: 18},
	}, {
		When:      modeltest.LastIs("4. printf"),
		Text:      "Here it is, in line 4.",
		ToolCalls: []modeltest.ToolCall{{ID: "call_edit", Name: "edit", Arguments: `{"path": "slug.sh", "old_str": "tr ' ' '_'", "new_str": "tr ' ' '-'"}`}},
		Usage:     &modeltest.Usage{Input: 2472, Output: 52},
	}, {
		When:      modeltest.LastIs("updated with changes"),
		Text:      "Does the test pass now?",
		ToolCalls: []modeltest.ToolCall{{ID: "call_again", Name: "bash", Arguments: `{"command": "./test.sh", "description": "Run the test again"}`}},
		Usage:     &modeltest.Usage{Input: 2540, Output: 33},
	}, {
		When:      modeltest.LastIs("ok    Release Notes"),
		ToolCalls: []modeltest.ToolCall{{ID: "call_done", Name: "task_complete", Arguments: `{"summary": "slug.sh now turns spaces into hyphens, and the test passes."}`}},
		Usage:     &modeltest.Usage{Input: 2601, Output: 41},
	}, {
		When: allOf(modeltest.LastIs(secondPrompt), holds(firstPrompt), holds("got release_notes"), holds("updated with changes")),
		Text: "Line 4 of slug.sh turned spaces into underscores, where the test wants hyphens. I changed that one character. " +
			"I read no file again: our conversation has it.",
		Usage: &modeltest.Usage{Input: 2702, Output: 38},
	}}
	for i := range script {
		script[i].Piece, script[i].Gap, script[i].Repeat = 6, pace, true
	}
	return script
}

// holds requires a text anywhere in the conversation.
func holds(text string) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool {
		return slices.ContainsFunc(r.Messages, func(m modeltest.Message) bool { return strings.Contains(m.Content, text) })
	}
}

func allOf(conditions ...func(*modeltest.Request) bool) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool {
		return !slices.ContainsFunc(conditions, func(c func(*modeltest.Request) bool) bool { return !c(r) })
	}
}
