package ask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/question"
)

const orderForm = `{"type":"object","properties":{
	"size":{"type":"string","title":"Size","description":"Of the pizza.","oneOf":[{"const":"s","title":"small"},{"const":"l","title":"large"}]},
	"number":{"type":"integer","minimum":1,"default":1},
	"tops":{"type":"array","items":{"enum":["olives","tuna"]},"maxItems":1},
	"fast":{"type":"boolean"},
	"mail":{"type":"string","format":"email"}
},"required":["size","fast"]}`

// A form is filled in field by field; what does not fit is asked again.
func TestAFormIsFilledInFieldByField(t *testing.T) {
	for _, tc := range []struct {
		name          string
		typed         []string
		action, want  string
		remarks, asks []string
	}{
		{"all", []string{"y", "2", "3", "tuna", "n", "a@example.com"}, "accept", `{"fast":false,"mail":"a@example.com","number":3,"size":"l","tops":["tuna"]}`, nil, []string{"1  small (s)", "Of the pizza.", "number, a number, Enter: 1 › "}},
		{"least", []string{"yes", "small", "", "", "y", ""}, "accept", `{"fast":true,"number":1,"size":"s"}`, nil, []string{"mail, Enter: leave out › "}},
		{
			"corrected",
			[]string{"y", "", "medium", "1", "0", "x", "2", "1, 2", "1", "perhaps", "y", "nobody", ""},
			"accept", `{"fast":true,"number":2,"size":"s","tops":["olives"]}`,
			[]string{`"medium" is none of the choices: type a number from 1 to 2`, `"number": minimum`, `"x" is not a number`, `maxItems`, "answer y or n", `has not the format "email"`},
			nil,
		},
		{"declined", []string{"what", "n"}, "decline", "", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &scripted{lines: tc.typed}
			got, err := (&Asker{Screen: s}).Form(t.Context(), question.Elicitation{Source: "pizza", Message: "What shall it be?", Schema: json.RawMessage(orderForm)})
			if err != nil || got.Action != tc.action || string(got.Content) != tc.want || len(s.lines) > 0 {
				t.Errorf("the answer is %s %s, %v; left %q", got.Action, got.Content, err, s.lines)
			}
			for _, want := range append(append(tc.remarks, tc.asks...), "The MCP server pizza asks: What shall it be?") {
				if !strings.Contains(s.String(), want) {
					t.Errorf("%q is not shown:\n%s", want, s)
				}
			}
		})
	}
}

// Nothing that a server writes into a form reaches the terminal as it is.
func TestAFormControlsNoTerminal(t *testing.T) {
	evil := `\u001b[2J\u001b]0;x\u0007\u202e`
	form := `{"type":"object","properties":{"a` + evil + `":{"type":"string","title":"t` + evil + `","description":"d` + evil + `","default":"x` + evil + `","enum":["x` + evil + `","y"]},
		"b` + evil + `":{"type":"number","description":"d` + evil + `"}}}`
	s := &scripted{lines: []string{"y", "3", "", "x", "7"}}
	got, err := (&Asker{Screen: s}).Form(t.Context(), question.Elicitation{Source: "s\x1b[2J", Message: "m\x1b[2J\u202e", Schema: json.RawMessage(form)})
	if err != nil || got.Action != "accept" || strings.ContainsAny(s.String(), "\x1b\x07\u202e") {
		t.Errorf("%+v, %v: %q", got, err, s.String())
	}
}

// A page is shown and never opened; its address is shown whole.
func TestAPageIsShown(t *testing.T) {
	for typed, want := range map[string]string{"y": "accept", "n": "decline"} {
		s := &scripted{lines: []string{typed}}
		got, err := (&Asker{Screen: s}).Form(t.Context(), question.Elicitation{Message: "Sign in.", URL: "https://example.com/\u202elogin"})
		if err != nil || got.Action != want || !strings.Contains(s.String(), "page: https://example.com/<U+202E>login") {
			t.Errorf("%+v, %v:\n%s", got, err, s)
		}
	}
}

// The question about another model takes yes, always and no.
func TestAnotherModel(t *testing.T) {
	for typed, want := range map[string]string{"y": "yes", "a": "yes_always", "n": "no"} {
		s := &scripted{lines: []string{"?", typed}}
		answer, err := Answers("autoModeSwitch.request")(&Asker{Screen: s}, t.Context(), json.RawMessage(`{"errorCode":"user_weekly_rate_limited"}`))
		if raw, _ := json.Marshal(answer); err != nil || string(raw) != `{"response":"`+want+`"}` {
			t.Errorf("%s: %s, %v", typed, raw, err)
		}
	}
}
