package cell

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// widths are those at which the rows are compared.
var widths = []int{40, 80, 200}

// start is when the scripted events begin.
var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// feed is a conversation with a clock, and the reader of its events.
type feed struct {
	*Conversation
	reader timeline.Reader
	at     time.Time
}

func newFeed(o Options) *feed { return &feed{Conversation: New(o), at: start} }

// line takes an event as JSON, after 100 ms.
func (f *feed) line(t testing.TB, line string) {
	t.Helper()
	e, err := wire.ParseEvent([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	f.at = f.at.Add(100 * time.Millisecond)
	f.Event(read(&f.reader, e), f.at)
}

// event takes an event of a type with its data.
func (f *feed) event(t testing.TB, typ, data string) {
	t.Helper()
	f.line(t, fmt.Sprintf(`{"type":%q,"data":%s}`, typ, data))
}

// texts are rows, one a line, with a mark where an animated row is too wide.
func texts(rows []row.Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(r.String(), " ") + "\n")
	}
	return b.String()
}

// inLog are the events of a log in a transcript of the server's tests.
func inLog(t testing.TB, name, file string) (list []wire.Event) {
	t.Helper()
	archive, err := txtar.ParseFile("../../server/testdata/wire/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name != file {
			continue
		}
		for l := range strings.Lines(string(f.Data)) {
			e, err := wire.ParseEvent([]byte(strings.TrimSpace(l)))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, e)
		}
	}
	return list
}

// recorded are the events of a session in a transcript of the server's tests.
func recorded(t testing.TB, name, session string) (lines []string) {
	t.Helper()
	archive, err := txtar.ParseFile("../../server/testdata/wire/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name != "server" {
			continue
		}
		for s := bufio.NewScanner(bytes.NewReader(f.Data)); s.Scan(); {
			raw := wire.Raw(s.Text())
			if raw.Get("method").Text() == "session.event" && raw.Get("params").Get("sessionId").Text() == session {
				lines = append(lines, string(raw.Get("params").Get("event")))
			}
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no events of session %s", name, session)
	}
	return lines
}

// The rows of sessions that the tests of the server have recorded.
func TestRecordedSessions(t *testing.T) {
	for _, tc := range []struct{ file, session string }{
		{"conversation", "s1"},
		{"permission", "s1"},
		{"fallback", "s1"},
		{"provider_fails", "s1"},
		{"subagents", "s1"},
		{"tasks", "s1"},
		{"sandbox_bypass", "s1"},
		{"elicitation", "s1"},
		{"tool_results", "s1"},
		{"abort_tool", "s1"},
		{"attachments", "s1"},
		{"schedule", "s1"},
		{"queue", "s1"},
		{"user_shell", "s1"},
		{"mcp", "s1"},
		{"model_switch", "s1"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			var b strings.Builder
			for _, width := range widths {
				fmt.Fprintf(&b, "== %d columns\n", width)
				f := newFeed(Options{})
				for _, l := range recorded(t, tc.file, tc.session) {
					f.line(t, l)
				}
				b.WriteString(texts(f.Take(width)))
				b.WriteString("-- live\n" + texts(f.Live(width, 20, f.at)))
				b.WriteString(texts([]row.Row{f.Activity(f.at).Row(width), f.Status().Row(width)}))
			}
			golden.Text(t, "recorded-"+tc.file, b.String())
		})
	}
}
