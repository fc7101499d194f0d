package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/mcp"
)

// What a client has not brought it reads without values, and it can change the rest of it.
func TestConcealedAndRestored(t *testing.T) {
	stored := `{"args":["--key","k1"],"command":"tool","env":{"A":"k2","B":"k3"},"oauth":{"secret":"k4"},"timeout":5,"tools":["*"]}`
	shown := `{"args":["«not shown»","«not shown»"],"command":"tool","env":{"A":"«not shown»","B":"«not shown»"},"oauth":{"secret":"«not shown»"},"timeout":5,"tools":["*"]}`
	change := func(from, to string) string { return strings.Replace(shown, from, to, 1) }
	for _, tc := range []struct{ name, stored, shown string }{
		{"a program", stored, shown},
		{"a web service", `{"headers":{"X":"k"},"url":"https://u:p@x.test/mcp?key=k#f"}`, `{"headers":{"X":"«not shown»"},"url":"https://x.test/«not shown»"}`},
		{"a secret in a path", `{"url":"https://x.test/s/k/mcp"}`, `{"url":"https://x.test/«not shown»"}`},
		{"an address without a host", `{"url":"k:k"}`, `{"url":"«not shown»"}`},
		{"nothing secret", `{"url":"https://x.test/"}`, `{"url":"https://x.test/"}`},
		{"no object", `["k"]`, `{}`},
	} {
		if got := string(mcp.Concealed(json.RawMessage(tc.stored))); got != tc.shown {
			t.Errorf("%s is shown as %s, want %s", tc.name, got, tc.shown)
		}
	}
	for _, tc := range []struct{ name, sent, want string }{
		{"all of it", shown, stored},
		{"written with escapes", strings.NewReplacer("«", `\u00ab`, "»", `\u00bb`).Replace(shown), stored},
		{"another timeout and other tools", change(`"timeout":5,"tools":["*"]`, `"disabled":true,"timeout":6,"tools":["t"]`), `{"args":["--key","k1"],"command":"tool","disabled":true,"env":{"A":"k2","B":"k3"},"oauth":{"secret":"k4"},"timeout":6,"tools":["t"]}`},
		{"a further variable", change(`"env":{`, `"env":{"PATH":"/mine",`), ""},
		{"a variable with another value", change(`"B":"«not shown»"`, `"B":"mine"`), ""},
		{"a variable less", change(`,"B":"«not shown»"`, ``), ""},
		{"an argument less", change(`"args":["«not shown»",`, `"args":[`), ""},
		{"arguments under a name that folds", change(`"command"`, `"arg\u017f":["send"],"command"`), ""},
		{"arguments under a name in capitals", change(`"command"`, `"Args":["send"],"command"`), ""},
		{"an address besides", change(`"command"`, `"url":"https://mine.test/","command"`), ""},
		{"another type", change(`"command"`, `"type":"http","command"`), ""},
		{"a folder", change(`"command"`, `"cwd":"/mine","command"`), ""},
		{"an unknown field", change(`"command"`, `"transport":"sse","command"`), ""},
		{"a name of a variable", change(`"A":`, `"«not shown»":`), ""},
		{"tools in capitals", change(`"tools"`, `"Tools"`), ""},
		{"a value as an address has it", `{"url":"https://x.test/%C2%ABnot%20shown%C2%BB"}`, ""},
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
	for _, new := range []string{`{"command":"c","args":["«not shown»"]}`, `{"command":"c","args":["\u00abnot shown\u00bb"]}`} {
		if _, err := mcp.Restored(json.RawMessage(new), nil); err == nil {
			t.Errorf("%s is taken as a new configuration", new)
		}
	}
}
