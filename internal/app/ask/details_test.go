package ask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// asked is a permission request with one more field.
func asked(t *testing.T, kind, field, value string) timeline.Request {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"kind": kind, field: value, "canOfferSessionApproval": true})
	if err != nil {
		t.Fatal(err)
	}
	return request(t, string(raw))
}

// Characters that nobody sees are shown as their numbers, in all that a model has written for a
// machine.
func TestInvisibleCharactersAreShown(t *testing.T) {
	const hidden = "a\u3164b\u00a0c\u200bd\u202ee\U000e0041f\u2800g\ufe0fh"
	const want = "a<U+3164>b<U+00A0>c<U+200B>d<U+202E>e<U+E0041>f<U+2800>g<U+FE0F>h"
	for _, tc := range []struct{ kind, field string }{
		{"shell", "fullCommandText"},
		{"shell", "resolvedWorkingDirectory"},
		{"write", "fileName"},
		{"write", "diff"},
		{"write", "newFileContents"},
		{"read", "path"},
		{"url", "url"},
		{"url", "redirectedFrom"},
		{"custom-tool", "toolName"},
		{"mcp", "serverName"},
	} {
		s := &scripted{lines: []string{"y"}}
		if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, tc.kind, tc.field, hidden), "", offers(t)); err != nil {
			t.Fatal(err)
		}
		if got := s.String(); !strings.Contains(got, want) || strings.ContainsAny(got, "\u3164\u00a0\u200b\u202e\u2800\ufe0f") {
			t.Errorf("%s, %s is shown as\n%s", tc.kind, tc.field, got)
		}
	}
	s := &scripted{lines: []string{"a"}}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, "write", "fileName", "x"), "", offers(t, "write(a\u00a0b)")); err != nil || !strings.Contains(s.String(), "changing a<U+00A0>b") {
		t.Errorf("a rule is shown as %q", s)
	}
}

// A yes of any kind counts once all of a long request was shown. Refusing needs no reading.
func TestAYesNeedsAllToBeShown(t *testing.T) {
	approved := permit.Answer{Outcome: permit.Approved}
	rules := offers(t, "shell(make)").Rules
	session := permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: rules}
	here := permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: rules, Location: "/src"}
	lines := asked(t, "shell", "fullCommandText", strings.Repeat("make\n", 200)+"rm -rf ~")
	spaces := asked(t, "shell", "fullCommandText", "make"+strings.Repeat(" ", 3000)+"; rm -rf ~")
	for _, tc := range []struct {
		name  string
		q     timeline.Request
		typed []string
		want  permit.Answer
	}{
		{"y", lines, []string{"y", "v", "y"}, approved},
		{"a", lines, []string{"a", "v", "a"}, session},
		{"l", lines, []string{"l", "v", "l"}, here},
		{"spaces", spaces, []string{"yes", "view", "yes"}, approved},
		{"an address", asked(t, "url", "url", "https://example.com/"+strings.Repeat("x", 3000)+"rm -rf ~"), []string{"y", "v", "y"}, approved},
		{"a change", asked(t, "write", "diff", "@@ -1 +1 @@\n"+strings.Repeat("+x\n", 99)+"+rm -rf ~\n"), []string{"y", "v", "y"}, approved},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: tc.typed}
			got, err := (&Asker{Screen: s}).Permission(t.Context(), tc.q, "", offers(t, "shell(make)"))
			if err != nil || !cmp.Equal(got, tc.want) || len(s.lines) > 0 {
				t.Fatalf("answer is %+v, %v; left %q\n%s", got, err, s.lines, s)
			}
			first, rest, _ := strings.Cut(s.String(), "allow? › ")
			if !strings.Contains(first, "press v to read all of it before a yes counts") || strings.Contains(first, "rm -rf ~") && tc.name != "spaces" {
				t.Errorf("the question is\n%s", first)
			}
			if !strings.Contains(rest, "nothing was approved: ") || !strings.Contains(rest, "rm -rf ~") {
				t.Errorf("after the first yes:\n%s", rest)
			}
		})
	}
	s := &scripted{lines: []string{"n", ""}}
	if got, err := (&Asker{Screen: s}).Permission(t.Context(), lines, "", offers(t)); err != nil || got.Outcome != permit.Rejected {
		t.Errorf("a no is %+v, %v", got, err)
	}
}

// The heading folds spaces, so that a command behind many of them is in the first rows.
func TestSpacesHideNoCommand(t *testing.T) {
	s := &scripted{lines: []string{"y"}}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, "shell", "fullCommandText", "make"+strings.Repeat(" ", 300)+"; rm -rf ~"), "", offers(t)); err != nil {
		t.Fatal(err)
	}
	if got := s.String(); strings.Count(got, "; rm -rf ~") != 2 || !strings.Contains(got, "Allow: run $ make ; rm -rf ~\n") {
		t.Errorf("the question is\n%s", got)
	}
}

// The grants of a and l are shown whole, among the details if the option has no room for it.
func TestWhatMoreIsAllowedIsShownWhole(t *testing.T) {
	s := &scripted{lines: []string{"a"}}
	rules := []string{"shell(git status)", "shell(git commit)", "shell(make the-first-target)", "shell(rm)"}
	if _, err := (&Asker{Screen: s}).Permission(t.Context(), asked(t, "shell", "fullCommandText", "make"), "", offers(t, rules...)); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(strings.ReplaceAll(s.String(), "│", "")), " ")
	if !strings.Contains(got, `a and l allow: any "git status", any "git commit", any "make the-first-target", any "rm"`) ||
		!strings.Contains(got, "[a] yes, for this session: all of what a and l allow above") {
		t.Errorf("the question is\n%s", s)
	}
}

// The same holds for a confirmation of an agent, and for a plan.
func TestALongConfirmationAndPlanAreReadFirst(t *testing.T) {
	long := strings.Repeat("more\n", 100) + "and all data is deleted"
	s := &scripted{lines: []string{"y", "v", "y"}}
	got, err := (&Asker{Screen: s}).Confirm(t.Context(), "agent.test", "Clean up?", long)
	if err != nil || got.Outcome != permit.Approved || len(s.lines) > 0 || !strings.Contains(s.String(), "and all data is deleted") {
		t.Errorf("the answer is %+v, %v; left %q", got, err, s.lines)
	}
	s = &scripted{lines: []string{"1", "y", "v", "1"}}
	params, err := json.Marshal(map[string]any{"planContent": long, "actions": []string{"autopilot"}, "recommendedAction": "autopilot"})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Answers("exitPlanMode.request")(&Asker{Screen: s}, t.Context(), params)
	if raw, _ := json.Marshal(plan); err != nil || string(raw) != `{"approved":true,"selectedAction":"autopilot"}` || len(s.lines) > 0 || !strings.Contains(s.String(), "and all data is deleted") {
		t.Errorf("the plan is %+v, %v; left %q", plan, err, s.lines)
	}
}
