package model

import (
	"strings"
	"testing"
)

// An answer without content is empty, one with calls calls tools, whatever the provider says, and one
// that only announces calls is broken.
func TestHowAnAnswerEnded(t *testing.T) {
	call := []ToolCall{{ID: "c", Name: "view", Arguments: "{}"}}
	for _, tc := range []struct {
		name string
		in   Response
		want Finish
	}{
		{"text", Response{Text: "a", FinishReason: FinishStop}, FinishStop},
		{"text without a reason", Response{Text: "a"}, ""},
		{"nothing", Response{FinishReason: FinishStop}, FinishEmpty},
		{"nothing, and no reason", Response{}, FinishEmpty},
		{"white space alone", Response{Text: " \n \n", FinishReason: FinishStop}, FinishEmpty},
		{"reasoning alone", Response{Reasoning: []Reasoning{{Text: "hm"}}, FinishReason: FinishStop}, FinishEmpty},
		{"nothing but the errors of an agent", Response{FinishReason: FinishStop, Extension: ExtensionParts{Faults: []string{"no"}}}, FinishStop},
		{"calls", Response{ToolCalls: call, FinishReason: FinishStop}, FinishToolCalls},
		{"calls with an unknown reason", Response{ToolCalls: call, FinishReason: FinishUnknown}, FinishToolCalls},
		{"calls that were cut off", Response{ToolCalls: call, FinishReason: FinishLength}, FinishLength},
		{"announced calls", Response{Text: "I look.", FinishReason: FinishToolCalls}, FinishMalformed},
		{"text, though the provider says that there is none", Response{Text: "a", FinishReason: FinishEmpty, FinishWord: "load"}, FinishUnknown},
		{"no text within the limit", Response{FinishReason: FinishLength}, FinishLength},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.in.ended()
			if got := tc.in.FinishReason; got != tc.want {
				t.Errorf("it ended with %q, want %q", got, tc.want)
			}
			if tc.in.Incomplete() == "" != tc.want.Complete() {
				t.Errorf("complete: %v, but the sentence is %q", tc.want.Complete(), tc.in.Incomplete())
			}
		})
	}
}

// The sentence about an answer names the word of the provider.
func TestASentenceNamesTheWordOfTheProvider(t *testing.T) {
	for f, word := range map[Finish]string{FinishFilter: "SAFETY", FinishUnknown: "sudden_death", FinishRefusal: "refusal: cyber"} {
		if r := (Response{FinishReason: f, FinishWord: word}); !strings.Contains(r.Incomplete(), word) {
			t.Errorf("%q does not name %q", r.Incomplete(), word)
		}
	}
	known := Finishes{"max_tokens": FinishLength}
	if known.Of("MAX_TOKENS") != FinishLength || known.Of("other") != FinishUnknown || known.Of("") != "" {
		t.Error("a word is looked up wrongly")
	}
}
