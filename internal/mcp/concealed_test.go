package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/mcp"
)

// What a client has not brought it reads without values, and it can change the rest of it.
func TestConcealedAndRestored(t *testing.T) {
	stored := `{"args":["--key","k1"],"command":"tool","env":{"A":"k2","B":"k3"},"oauth":{"secret":"k4"},"timeout":5,"tools":["*"]}`
	shown := `{"args":["«not shown»","«not shown»"],"command":"tool","env":{"A":"«not shown»","B":"«not shown»"},"oauth":{"secret":"«not shown»"},"timeout":5,"tools":["*"]}`
	for _, tc := range []struct{ name, stored, shown string }{
		{"a program", stored, shown},
		{"a web service", `{"headers":{"X":"k"},"url":"https://u:p@x.test/mcp?key=k#f"}`, `{"headers":{"X":"«not shown»"},"url":"https://x.test/mcp?«not shown»"}`},
		{"nothing secret", `{"url":"https://x.test/mcp"}`, `{"url":"https://x.test/mcp"}`},
		{"no object", `["k"]`, `{}`},
	} {
		if got := string(mcp.Concealed(json.RawMessage(tc.stored))); got != tc.shown {
			t.Errorf("%s is shown as %s, want %s", tc.name, got, tc.shown)
		}
	}
	for _, tc := range []struct{ name, sent, want string }{
		{"all of it", shown, stored},
		{"another timeout", `{"args":["«not shown»","«not shown»"],"command":"tool","env":{"B":"«not shown»","C":"new"},"timeout":6}`, `{"args":["--key","k1"],"command":"tool","env":{"B":"k3","C":"new"},"timeout":6}`},
		{"another program", `{"args":["«not shown»","«not shown»"],"command":"mine","env":{"A":"«not shown»"}}`, ""},
		{"other arguments", `{"args":["send"],"command":"tool","env":{"A":"«not shown»"}}`, ""},
		{"a value that there is none of", `{"args":["«not shown»","«not shown»"],"command":"tool","env":{"C":"«not shown»"}}`, ""},
		{"a value inside a text", `{"args":["«not shown»","«not shown»"],"command":"tool","env":{"A":"x «not shown»"}}`, ""},
		{"a value at another command's place", `{"command":"«not shown»"}`, ""},
	} {
		got, err := mcp.Restored(json.RawMessage(tc.sent), json.RawMessage(stored))
		if string(got) != tc.want || (err != nil) != (tc.want == "") {
			t.Errorf("%s becomes %s, %v, want %s", tc.name, got, err, tc.want)
		}
	}
}
