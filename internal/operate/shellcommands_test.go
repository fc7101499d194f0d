package operate_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ran are the events of a log in which a message has the id "m" and these calls of bash are made, each
// with the code of its error, "" for none.
func ran(t *testing.T, calls ...[2]string) func(yield func(wire.Event, error) bool) {
	t.Helper()
	event := func(id, kind, data string) wire.Event {
		e, err := wire.ParseEvent(fmt.Appendf(nil, `{"type":%q,"id":%q,"timestamp":"2026-11-23T00:00:00.000Z","parentId":null,"data":%s}`, kind, id, data))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	events := []wire.Event{
		event("a", "tool.execution_start", `{"toolCallId":"0","toolName":"bash","arguments":{"command":"touch before"}}`),
		event("m", "user.message", `{"content":"go"}`),
	}
	for i, c := range calls {
		id := fmt.Sprint(i + 1)
		kind := "tool.execution_start"
		if i == 0 {
			kind = "tool.user_requested"
		}
		end := fmt.Sprintf(`{"toolCallId":%q,"success":true}`, id)
		if c[1] != "" {
			end = fmt.Sprintf(`{"toolCallId":%q,"success":false,"error":{"message":"no","code":%q}}`, id, c[1])
		}
		events = append(events, event("s"+id, kind, fmt.Sprintf(`{"toolCallId":%q,"toolName":"bash","arguments":{"command":%q}}`, id, c[0])),
			event("e"+id, "tool.execution_complete", end))
	}
	return func(yield func(wire.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A rewind and a diff name the commands that may have changed files: those that ran, and do not only
// read.
func TestCommandsThatMayHaveChangedFiles(t *testing.T) {
	calls := [][2]string{{"echo x > a\nrm b", ""}, {"ls -l && git status", ""}, {"rm denied", "denied"}, {"rm c", "rejected"}, {"make", "failure"}}
	for from, want := range map[string]operate.Commands{
		"m": {Texts: []string{"echo x > a rm b", "make"}, Count: 2},
		"":  {Texts: []string{"touch before", "echo x > a rm b", "make"}, Count: 3},
	} {
		got, err := operate.CommandsOf(ran(t, calls...), from)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("since %q (-want +got):\n%s", from, diff)
		}
	}
	var many [][2]string
	for i := range 600 {
		many = append(many, [2]string{fmt.Sprint("rm ", i), ""})
	}
	got, err := operate.CommandsOf(ran(t, many...), "m")
	if err != nil || got.Count != 600 || len(got.Texts) != 20 || got.More() != "… and 580 more" {
		t.Errorf("%d commands, %d named, %q, %v", got.Count, len(got.Texts), got.More(), err)
	}
	if text := got.String("since then"); text != "600 shell commands that may have changed files have run since then; their changes are not known, and are not undone" {
		t.Errorf("the sentence is %q", text)
	}
	if text := (operate.Commands{}).String("since then"); text != "" {
		t.Errorf("without commands the sentence is %q", text)
	}
}
