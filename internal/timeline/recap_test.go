package timeline

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recapOf feeds lines of the form "type {data}" to a recap.
func recapOf(t *testing.T, lines ...string) *Recap {
	t.Helper()
	r := &Recap{}
	for _, l := range lines {
		kind, data, _ := strings.Cut(l, " ")
		r.Add(wire.Event{Header: wire.Header{Type: wire.EventType(kind)}, Data: []byte(data)})
	}
	return r
}

func TestRecap(t *testing.T) {
	const (
		first  = `user.message {"content":"One?"}`
		second = `user.message {"content":"Two?"}`
		begins = `assistant.turn_start {}`
		ends   = `assistant.turn_end {}`
		says   = `assistant.message {"content":"Yes."}`
		calls  = `tool.execution_start {"toolCallId":"c","toolName":"bash","arguments":{"command":"go test ./..."}}`
		asks   = `permission.requested {"requestId":"p","permissionRequest":{"kind":"shell","fullCommandText":"rm x"}}`
	)
	for _, tc := range []struct {
		name        string
		events      []string
		earlier     int
		interrupted string
	}{
		{"no message", []string{`session.start {}`}, 0, ""},
		{"answered", []string{first, begins, says, ends}, 0, ""},
		{"the second is the last", []string{first, begins, says, ends, second, begins, says, ends}, 1, ""},
		{"no answer yet", []string{first}, 0, "the model was answering"},
		{"killed while the model answers", []string{first, begins}, 0, "the model was answering"},
		{"the same, after the session was resumed", []string{first, begins, `session.resume {}`, ends}, 0, "the model was answering"},
		{"killed in a call", []string{first, begins, calls}, 0, "$ go test ./..."},
		{
			"the same, after the session was resumed",
			[]string{first, begins, calls, `session.resume {}`, `tool.execution_complete {"toolCallId":"c","success":false,"error":{"code":"interrupted","message":"x"}}`, ends},
			0, "$ go test ./...",
		},
		{"killed at a question", []string{first, begins, asks}, 0, "a question, which is asked again: "},
		{"stopped by the user", []string{first, begins, `abort {}`, ends}, 0, "you stopped it"},
		{"failed", []string{first, begins, `session.error {"message":"HTTP 500"}`, ends}, 0, "it failed: HTTP 500"},
		{"a sub-agent is its own", []string{first, begins, says, ends}, 0, ""},
	} {
		r := recapOf(t, tc.events...)
		got := r.Interrupted()
		if r.Earlier != tc.earlier || (got == "") != (tc.interrupted == "") || !strings.HasPrefix(got, tc.interrupted) {
			t.Errorf("%s: %d earlier, interrupted %q, want %d and %q", tc.name, r.Earlier, got, tc.earlier, tc.interrupted)
		}
	}
	r := recapOf(t, first, begins, calls, `tool.execution_complete {"toolCallId":"c","success":true}`, says, ends)
	if r.Asked.Body != "One?" || r.Answer.Body != "Yes." || r.Calls != 1 {
		t.Errorf("asked %q, answered %q, %d calls", r.Asked.Body, r.Answer.Body, r.Calls)
	}
}
