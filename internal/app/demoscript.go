package app

import (
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// What the demo is about. The list is a real file in the scratch folder.
const (
	todoList = `[ ] 2026-12-04  send the invoice
[ ] 2026-11-27  book the train
[x] 2026-11-20  water the plants
`
	firstPrompt  = "Which open task in todo.txt is due first? Mark it as done."
	secondPrompt = "And what is left to do?"
)

// pace is the time between two pieces of an answer: fast for a model, slow enough
// to be seen.
const pace = 35 * time.Millisecond

// demoModel plays the model. It does not take part in what the demo shows: each
// answer is given only to a request that holds what the answer needs, the result
// of a tool or the conversation from before the restart. If the runtime lost
// any of it, the model would have nothing to say, and the demo would fail.
func demoModel() *modeltest.Server {
	script := []modeltest.Reply{{
		When:      modeltest.LastIs(firstPrompt),
		Reasoning: "I have not seen the list yet, so I read it first.",
		ToolCalls: []modeltest.ToolCall{{ID: "call_read", Name: "read_todo", Arguments: `{}`}},
		Usage:     &modeltest.Usage{Input: 231, Output: 24},
	}, {
		When:      modeltest.LastIs("2026-11-27  book the train"),
		Reasoning: "Two tasks are open. Line 2, the train, comes a week before line 1.",
		Text:      "The train is due first. I mark it as done.",
		ToolCalls: []modeltest.ToolCall{{ID: "call_mark", Name: "mark_done", Arguments: `{"line":2}`}},
		Usage:     &modeltest.Usage{Input: 318, Output: 47},
	}, {
		When:  modeltest.LastIs("line 2 is marked as done"),
		Text:  "Done. \"Book the train\" was due first, on 27 November; it is marked as done in todo.txt.",
		Usage: &modeltest.Usage{Input: 372, Output: 29},
	}, {
		When:  remembers,
		Text:  "One task: \"send the invoice\", due on 4 December. I did not read the file again; it is in our conversation.",
		Usage: &modeltest.Usage{Input: 421, Output: 30},
	}}
	for i := range script {
		script[i].Piece, script[i].Gap = 6, pace
	}
	return modeltest.NewServer(script...)
}

// remembers wants the follow-up question, and the first one and the list from
// before the restart.
func remembers(r *modeltest.Request) bool {
	holds := func(text string) bool {
		return slices.ContainsFunc(r.Messages, func(m modeltest.Message) bool { return strings.Contains(m.Content, text) })
	}
	return modeltest.LastIs(secondPrompt)(r) && holds(firstPrompt) && holds("2026-12-04  send the invoice")
}
