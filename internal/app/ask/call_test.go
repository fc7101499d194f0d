package ask

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestUserInput(t *testing.T) {
	for _, tc := range []struct {
		name, params string
		lines        []string
		want         string
	}{
		{"a number", `{"question":"Which?","choices":["red","blue"]}`, []string{"2"}, `{"answer":"blue","wasFreeform":false}`},
		{"a choice in words", `{"question":"Which?","choices":["red","blue"]}`, []string{"Blue"}, `{"answer":"blue","wasFreeform":false}`},
		{"own words", `{"question":"Which?","choices":["red","blue"]}`, []string{"", " green "}, `{"answer":"green","wasFreeform":true}`},
		{"a number that is no choice is words", `{"question":"How many?","choices":["1","2"]}`, []string{"7"}, `{"answer":"7","wasFreeform":true}`},
		{"no own words", `{"question":"Which?","choices":["red","blue"],"allowFreeform":false}`, []string{"green", "0", "1"}, `{"answer":"red","wasFreeform":false}`},
		{"no choices", `{"question":"Why?","allowFreeform":false}`, []string{"so"}, `{"answer":"so","wasFreeform":true}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: tc.lines}
			got, err := Answers("userInput.request")(&Asker{Screen: s}, t.Context(), json.RawMessage(tc.params))
			if err != nil {
				t.Fatal(err)
			}
			if raw, _ := json.Marshal(got); string(raw) != tc.want {
				t.Errorf("answer is %s, want %s\n%s", raw, tc.want, s)
			}
		})
	}
}

func TestExitPlan(t *testing.T) {
	const params = `{"summary":"Two steps.","planContent":"# Plan\n1. one\n2. two","actions":["autopilot","interactive","exit_only"],"recommendedAction":"interactive"}`
	for _, tc := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"a number", []string{"1"}, `{"approved":true,"selectedAction":"autopilot"}`},
		{"yes is what is recommended", []string{"y"}, `{"approved":true,"selectedAction":"interactive"}`},
		{"view and then a number", []string{"v", "3"}, `{"approved":true,"selectedAction":"exit_only"}`},
		{"no", []string{"n", "too long"}, `{"approved":false,"feedback":"too long"}`},
		{"what to change", []string{"leave out step 2"}, `{"approved":false,"feedback":"leave out step 2"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: tc.lines}
			got, err := Answers("exitPlanMode.request")(&Asker{Screen: s}, t.Context(), json.RawMessage(params))
			if err != nil {
				t.Fatal(err)
			}
			if raw, _ := json.Marshal(got); string(raw) != tc.want {
				t.Errorf("answer is %s, want %s\n%s", raw, tc.want, s)
			}
			if !strings.Contains(s.String(), "1. one") || !strings.Contains(s.String(), "(recommended)") {
				t.Errorf("the plan is not shown:\n%s", s)
			}
		})
	}
	if Answers("hooks.invoke") != nil {
		t.Error("a terminal answers hooks")
	}
}
