package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A row grows word by word, however the words are split into pieces, and continues below
// its text where the line is full.
func TestTimelineGrowsARow(t *testing.T) {
	var out strings.Builder
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	show := &eventRows{out: &out, begin: begin, width: 80}
	event := func(kind wire.EventType, data string) {
		show.event(wire.Event{
			Header: wire.Header{Type: kind, Time: begin.Add(1500 * time.Millisecond), Ephemeral: true}, Data: []byte(data),
		})
	}
	event("assistant.message_delta", `{"deltaContent":"Done. \"Book the tr"}`)
	event("assistant.streaming_delta", `{"totalResponseSizeBytes":1200}`)
	event("assistant.message_delta", `{"deltaContent":"ain\" was due first, on 27 November"}`)
	event("assistant.message_delta", `{"deltaContent":":\nit is\u001b done."}`)
	event("assistant.tool_call_delta", `{"toolName":"mark","inputDelta":"{\"line\""}`)
	event("assistant.tool_call_delta", `{"toolName":"mark","inputDelta":":2}"}`)
	event("assistant.streaming_delta", `{"totalResponseSizeBytes":2400}`)
	event("session.idle", `{}`)
	want := `
·  1.500  assistant.message_delta       Done. "Book the train" was due first, on
                                        27 November:
                                        it is� done.  ×3
·  1.500  assistant.tool_call_delta     mark {"line":2}  ×2
·  1.500  assistant.streaming_delta     2,400 bytes of the answer  ×2
·  1.500  session.idle
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Error("timeline (-want +got):\n" + diff)
	}
}

// A row uses the width of the terminal.
func TestRowsHaveTheWidthOfTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		var out strings.Builder
		show := &eventRows{out: &out, width: width}
		words := strings.Repeat("word ", 60)
		show.event(wire.Event{Header: wire.Header{Type: "assistant.message_delta", Ephemeral: true}, Data: []byte(`{"deltaContent":"` + words + `"}`)})
		show.event(wire.Event{Header: wire.Header{Type: "assistant.message"}, Data: []byte(`{"content":"` + words + `"}`)})
		widest := 0
		for line := range strings.Lines(out.String()) {
			widest = max(widest, len([]rune(strings.TrimSuffix(line, "\n"))))
		}
		if widest > width || widest < width-5 {
			t.Errorf("the widest row of %d columns has %d:\n%s", width, widest, out.String())
		}
	}
}
