package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// printing follows events for a printer, as package chat does.
type printing struct {
	*Answer
	follower follow.Follower
	rows     timeline.Reader
	missed   bool // before the next event
}

func printTo(a *Answer) *printing {
	a.fit = func() {}
	p := &printing{Answer: a}
	p.follower.Begin("")
	return p
}

func (p *printing) Event(e follow.Event) (enough bool, err error) { return false, p.Answer.Event(e) }

func (p *printing) take(t *testing.T, kind wire.EventType, agent, data string) {
	t.Helper()
	e := wire.Event{Header: wire.Header{Type: kind, AgentID: agent}, Data: []byte(data)}
	if _, err := p.follower.Take(follow.Event{Event: e, Row: p.rows.Add(e), Missed: p.missed}, p); err != nil {
		t.Fatal(err)
	}
	p.missed = false
}

// A slow reader misses pieces, but no text: the complete message fills the gap.
func TestAnswerWithPiecesMissing(t *testing.T) {
	var out strings.Builder
	p := printTo(&Answer{out: &out, rows: &rows{out: &out, width: 80}})
	event := func(kind wire.EventType, data string) { p.take(t, kind, "", data) }
	event("assistant.message_start", `{"messageId":"1"}`)
	event("assistant.message_delta", `{"messageId":"1","deltaContent":"One, "}`)
	p.missed = true // "two, "
	event("assistant.message_delta", `{"messageId":"1","deltaContent":"three."}`)
	event("assistant.message", `{"messageId":"1","content":"One, two, three."}`)
	p.missed = true // the beginning of the second
	event("assistant.message_delta", `{"messageId":"2","deltaContent":"five."}`)
	event("assistant.message", `{"messageId":"2","content":"Four, five."}`)
	event("assistant.message_start", `{"messageId":"3"}`)
	event("assistant.message_delta", `{"messageId":"3","deltaContent":"Six"}`)
	event("assistant.message", `{"messageId":"3","content":"Six."}`)
	if got, want := out.String(), "One, two, three.\n\nFour, five.\n\nSix.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// On a screen an answer begins right below what was asked, and a blank line keeps
// what follows something else apart.
func TestAnswersAreApart(t *testing.T) {
	var out strings.Builder
	p := printTo(&Answer{out: &out, flow: &terminal.Flow{Out: &out, Width: 80}, rows: &rows{out: &out, width: 80}})
	event := func(kind wire.EventType, data string) { p.take(t, kind, "", data) }
	p.Begin()
	event("assistant.message", `{"messageId":"1","content":"One."}`)
	event("assistant.message", `{"messageId":"2","content":"Two."}`)
	p.Begin()
	event("assistant.message", `{"messageId":"3","content":"Three."}`)
	p.Begin()
	event("session.warning", `{"message":"nearly full"}`)
	event("assistant.message", `{"messageId":"4","content":"Four."}`)
	if got, want := out.String(), "│ One.\n\n│ Two.\n│ Three.\nwarning: nearly full\n\n│ Four.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// Each tool call is one line. A result that does not follow its call names the call, and a
// failed call shows the end of its output.
func TestNotes(t *testing.T) {
	var out strings.Builder
	p := printTo(&Answer{out: &out, rows: &rows{out: &out, width: 60}})
	for _, e := range []struct{ kind, agent, data string }{
		{"tool.execution_start", "", `{"toolCallId":"a","toolName":"bash","arguments":{"command":"go test ./..."}}`},
		{"tool.execution_start", "", `{"toolCallId":"b","toolName":"view","arguments":{"path":"a.go"}}`},
		{"tool.execution_complete", "", `{"toolCallId":"a","success":true,"result":{"content":"1\n2\n3\n4\n5\n6\n7\n\tFAIL\n<exited with exit code 1>"}}`},
		{"tool.execution_complete", "", `{"toolCallId":"b","success":true,"result":{"content":"1. package a\n2. const b = 1\n3. "}}`},
		{"tool.execution_start", "", `{"toolCallId":"c","toolName":"deploy","arguments":{"to":"a place with a name that is far too long for the line"}}`},
		{"tool.execution_complete", "", `{"toolCallId":"c","success":false,"error":{"message":"no such place"}}`},
		{"assistant.message", "scout", `{"content":"I, a sub-agent, say this to the model"}`},
		{"subagent.started", "scout", `{"agentName":"scout"}`},
		{"session.warning", "", `{"message":"nearly\nfull"}`},
		{"tool.execution_start", "", `{"toolCallId":"d","toolName":"task_complete","arguments":{"summary":"All is well."}}`},
		{"tool.execution_complete", "", `{"toolCallId":"d","success":true,"result":{"content":"Task completed."}}`},
		{"session.task_complete", "", `{"summary":"All is well.\n\nNothing is left."}`},
		{"session.idle", "", `{}`},
	} {
		p.take(t, wire.EventType(e.kind), e.agent, e.data)
	}
	want := `
· $ go test ./...
· view a.go
  $ go test ./...: exit code 1, 8 lines
    … 2 lines before
  │ 3
  │ 4
  │ 5
  │ 6
  │ 7
  │     FAIL
  view a.go: 2 lines
· deploy {"to":"a place with a name that is far too long fo…
  failed: no such place
· agent scout begins
warning: nearly full
· task complete
All is well.

Nothing is left.
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Error("notes (-want +got):\n" + diff)
	}
}

// The output of a running command is one row on a screen, which is removed afterwards; in
// a log it is not printed.
func TestProgress(t *testing.T) {
	for _, tc := range []struct {
		live bool
		want string
	}{
		{true, "· $ make\n\r\x1b[K  one\r\x1b[K  two \ufffd[2J and a text that i…\r\x1b[K  one … 1 more line\n"},
		{false, "· $ make\n  one … 1 more line\n"},
	} {
		var out strings.Builder
		p := printTo(&Answer{out: &out, rows: &rows{out: &out, width: 30, live: tc.live}})
		for _, e := range []struct{ kind, data string }{
			{"tool.execution_start", `{"toolCallId":"a","toolName":"bash","arguments":{"command":"make"}}`},
			{"tool.execution_partial_result", `{"toolCallId":"a","partialOutput":"one\n"}`},
			{"tool.execution_partial_result", `{"toolCallId":"a","partialOutput":"\n"}`},
			{"tool.execution_partial_result", `{"toolCallId":"a","partialOutput":"two \u001b[2J and a text that is too long\n\n"}`},
			{"tool.execution_complete", `{"toolCallId":"a","success":true,"result":{"content":"one\ntwo\n<exited with exit code 0>"}}`},
		} {
			p.take(t, wire.EventType(e.kind), "", e.data)
		}
		if diff := cmp.Diff(tc.want, out.String()); diff != "" {
			t.Errorf("live %v (-want +got):\n%s", tc.live, diff)
		}
	}
}
