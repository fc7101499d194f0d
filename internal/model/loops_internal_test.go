package model

import (
	"strings"
	"testing"
)

// Arguments that come in one piece have ended, so they are no loop.
func TestWholeArgumentsAreNoLoop(t *testing.T) {
	whole := `{"text":"` + strings.Repeat("The end of the task. ", 500) + `"}`
	var l loops
	if l.add(Delta{Kind: DeltaToolCall, CallID: "a"}); l.found != 0 {
		t.Error("without arguments a call is a loop")
	}
	if l.add(Delta{Kind: DeltaToolCall, CallID: "a", Text: whole}); l.found != 0 {
		t.Error("whole arguments are a loop")
	}
	l.add(Delta{Kind: DeltaToolCall, CallID: "b", Text: whole[:100]})
	if l.add(Delta{Kind: DeltaToolCall, CallID: "b", Text: whole[100 : len(whole)-2]}); l.found == 0 {
		t.Error("arguments in two pieces are no loop")
	}
	if l.add(Delta{Kind: DeltaToolCall, CallID: "b", Text: whole[len(whole)-2:]}); l.found != 0 {
		t.Error("arguments that have ended are a loop")
	}
}

// Of an answer that repeats itself the text, the thought or the arguments are kept up to the first copy, and what came before.
func TestAnAnswerIsCutAfterTheFirstCopy(t *testing.T) {
	const copies = "The end of the task.\n"
	long := strings.Repeat(copies, 200)
	for name, tc := range map[string]struct {
		kind   DeltaKind
		before string
	}{"text": {DeltaText, "I begin. "}, "reasoning": {DeltaReasoning, "I think. "}, "arguments": {DeltaToolCall, `{"a":"`}} {
		var l loops
		for _, c := range tc.before + long {
			l.add(Delta{Kind: tc.kind, Text: string(c), CallID: "c"})
		}
		if l.found != tc.kind {
			t.Errorf("%s: found %d", name, l.found)
			continue
		}
		whole, want := tc.before+long, tc.before+copies
		r := &Response{
			Text: "said", Reasoning: []Reasoning{{Text: "thought", Opaque: "sealed"}},
			ToolCalls: []ToolCall{{ID: "b", Arguments: "{}"}, {ID: "c", Arguments: "{"}, {ID: "d"}},
		}
		got := func() string { return "" }
		switch tc.kind {
		case DeltaText:
			r.Text, got = whole, func() string { return r.Text }
		case DeltaReasoning:
			r.Reasoning[0].Text, got = whole, func() string { return r.Reasoning[0].Text + r.Reasoning[0].Opaque }
		case DeltaToolCall:
			r.ToolCalls[1].Arguments, got = whole, func() string { return r.ToolCalls[len(r.ToolCalls)-1].Arguments }
		}
		l.cut(r)
		if r.ended(); got() != want || r.FinishReason != FinishRepetition || r.Incomplete() == "" {
			t.Errorf("%s: %q, %s; want %q", name, got(), r.FinishReason, want)
		}
	}
}
