package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// fold is the state of a log given as its lines.
func fold(t *testing.T, lines ...string) *State {
	t.Helper()
	s := &State{}
	for _, l := range lines {
		e, err := wire.ParseEvent([]byte(l))
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		s.Apply(s.Seq+1, e)
	}
	return s
}

// TestTheTranscriptIsValidWhateverTheLogHolds gives the fold logs that no run of
// ours would write: each call has exactly one result, right after its message.
func TestTheTranscriptIsValidWhateverTheLogHolds(t *testing.T) {
	const message = `{"type":"assistant.message","data":{"content":"x","toolRequests":[{"toolCallId":"c1","name":"a","arguments":{"z":1,"a":2}},{"toolCallId":"c1","name":"b","arguments":"oops"}]}}`
	done := func(id, text string) string {
		return `{"type":"tool.execution_complete","data":{"toolCallId":"` + id + `","success":true,"result":{"content":"` + text + `"}}}`
	}
	const interrupted = "The execution of this tool, or a previous tool was interrupted."
	for _, tc := range []struct {
		name string
		log  []string
		want []string // role: content
	}{
		{"no results", []string{message}, []string{"assistant: x", "tool: " + interrupted, "tool: " + interrupted}},
		{"a result without a call", []string{done("c9", "stray"), message}, []string{"assistant: x", "tool: " + interrupted, "tool: " + interrupted}},
		{"one id twice in a message", []string{message, done("c1", "1"), done("c1", "2"), done("c1", "3")}, []string{"assistant: x", "tool: 1", "tool: 2"}},
		{"an id used again later", []string{message, done("c1", "1"), done("c1", "2"), message, done("c1", "3")}, []string{"assistant: x", "tool: 1", "tool: 2", "assistant: x", "tool: 3", "tool: " + interrupted}},
		{"a message in between", []string{message, `{"type":"user.message","data":{"content":"u"}}`, done("c1", "1")}, []string{"assistant: x", "tool: 1", "tool: " + interrupted, "user: u"}},
		{"data of a wrong shape", []string{`{"type":"assistant.message","data":{"content":7}}`, `{"type":"assistant.message","data":null}`, `{"type":"user.message","data":{"content":"u"}}`}, []string{"user: u"}},
		{"an empty answer", []string{`{"type":"assistant.message","data":{"content":""}}`}, nil},
		{"a sub-agent's conversation", []string{`{"type":"user.message","agentId":"sub","data":{"content":"u"}}`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, m := range Transcript("", fold(t, tc.log...).Main.Messages) {
				got = append(got, string(m.Role)+": "+m.Content)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
		})
	}
	calls := Transcript("S", fold(t, message).Main.Messages)[1].ToolCalls
	want := []model.ToolCall{{ID: "c1", Name: "a", Arguments: `{"z":1,"a":2}`}, {ID: "c1", Name: "b", Arguments: "oops"}}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("arguments as the model reads them again (-want +got):\n%s", diff)
	}
}

func TestTitle(t *testing.T) {
	for message, want := range map[string]string{
		"  Fix the   bug\nin x": "Fix the bug", "\n\n second": "second", "": "",
		strings.Repeat("ä", 61): strings.Repeat("ä", 59) + "…", strings.Repeat("ä", 60): strings.Repeat("ä", 60),
	} {
		if got := titleOf(message); got != want {
			t.Errorf("titleOf(%q) = %q, want %q", message, got, want)
		}
	}
}

// A session keeps a bounded part of a long conversation in memory, and the model still
// gets all of it.
func TestALongConversationLeavesMemoryAndNotTheTranscript(t *testing.T) {
	text := strings.Repeat("x", 100<<10)
	var log []string
	for i := range 120 {
		id := fmt.Sprint("c", i)
		log = append(log,
			fmt.Sprintf(`{"type":"user.message","data":{"content":"%d%s"}}`, i, text),
			fmt.Sprintf(`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":%q,"name":"a","arguments":{"n":%d}}]}}`, id, i),
			fmt.Sprintf(`{"type":"tool.execution_complete","data":{"toolCallId":%q,"success":true,"result":{"content":"%d%s"}}}`, id, i, text))
	}
	h, whole := fold(t, log...), &State{Conversation: Conversation{Main: Thread{keepAll: true}}}
	records := func(yield func(eventlog.Record, error) bool) {
		for i, line := range log {
			if !yield(eventlog.Record{Pos: uint64(i + 1), JSON: []byte(line)}, nil) {
				return
			}
		}
	}
	for rec := range records {
		e, _ := wire.ParseEvent(rec.JSON)
		whole.Apply(rec.Pos, e)
	}
	bare := slices.Clone(h.Main.Messages)
	for i := range bare {
		bare[i].Typed = "" // a piece of the text
	}
	if held := len(fmt.Sprint(bare)); held > maxHeld+len(text) || h.Main.Released == 0 {
		t.Errorf("%d bytes are held and %d messages were released, want at most %d bytes", held, h.Main.Released, maxHeld)
	}
	messages, err := h.Main.All(nil, records)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(Transcript("", messages), Transcript("", whole.Main.Messages), func(a, b model.Message) bool { return cmp.Equal(a, b) }) {
		t.Error("the transcript is not that of the whole conversation")
	}
}
