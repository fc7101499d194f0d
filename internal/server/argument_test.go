package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/server"
)

// JSON-RPC libraries send a call without an argument in several forms. To every method they are what an
// empty object is.
func TestACallWithoutAnArgumentHasAnEmptyObject(t *testing.T) {
	want := answersWithout(t, `{}`)
	for _, params := range []string{`[]`, `[null]`, `[ null, null ]`, `null`, ``} {
		if diff := cmp.Diff(want, answersWithout(t, params)); diff != "" {
			t.Errorf("with the parameters %q (-{} +these):\n%s", params, diff)
		}
	}
	if got := answersWithout(t, `[{}]`)["ping"]; !strings.Contains(got, "not one JSON object") {
		t.Errorf("a list with an object is not refused: %s", got)
	}
}

// answersWithout calls every method with the same parameters, absent if they are empty, and returns whether
// it succeeded, or the error.
func answersWithout(t *testing.T, params string) map[string]string {
	answers := map[string]string{}
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		methods := slices.DeleteFunc(server.Methods(), func(name string) bool { return name == "runtime.shutdown" })
		for _, name := range append(methods, "runtime.shutdown") { // after which nothing else is answered
			c := p.connect() // the settings of a connection are for this call only
			sent := ""
			if params != "" {
				sent = `,"params":` + params
			}
			c.write(`{"jsonrpc":"2.0","id":1,"method":"` + name + `"` + sent + `}`)
			got := c.answer("1")
			answers[name] = "succeeds"
			if got.failure.Code != 0 {
				answers[name] = fmt.Sprint(got.failure.Code, " ", got.failure.Message)
			}
		}
	})
	return answers
}
