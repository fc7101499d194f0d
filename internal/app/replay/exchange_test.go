package replay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A log is read as the messages of the user with what followed each: what the runtime has said in
// the user's place, and sub-agents, are parts of an answer.
func TestStory(t *testing.T) {
	s := &story{}
	for _, line := range []string{
		`{"type":"session.start","timestamp":"2026-01-01T00:00:00Z","data":{"sessionId":"s1","context":{"cwd":"/work"}}}`,
		`{"type":"user.message","timestamp":"2026-01-01T00:00:01Z","data":{"content":"One","attachments":[{"type":"file"}]}}`,
		`{"type":"assistant.message","timestamp":"2026-01-01T00:00:02Z","data":{"content":"I look.\n","model":"m"}}`,
		`{"type":"tool.execution_start","timestamp":"2026-01-01T00:00:02Z","data":{"toolCallId":"c1","toolName":"view","arguments":{"path":"a"}}}`,
		`{"type":"tool.execution_complete","timestamp":"2026-01-01T00:00:03Z","data":{"toolCallId":"c1","success":false,"error":{"message":"no such file"}}}`,
		`{"type":"assistant.message","timestamp":"2026-01-01T00:00:03Z","agentId":"a1","data":{"content":"of a sub-agent","model":"small"}}`,
		`{"type":"user.message","timestamp":"2026-01-01T00:00:04Z","data":{"content":"go on","source":"autopilot","isAutopilotContinuation":true}}`,
		`{"type":"assistant.message","timestamp":"2026-01-01T00:00:05Z","data":{"content":"Nothing.\u001b[2J","model":"m"}}`,
		`{"type":"user.message","timestamp":"2026-01-01T01:00:00Z","data":{"content":"Two","agentMode":"plan"}}`,
		`{"type":"session.error","timestamp":"2026-01-01T01:00:01Z","data":{"errorType":"query","message":"no"}}`,
		`{"type":"session.shutdown","timestamp":"2026-01-01T09:00:00Z","data":{"modelMetrics":{"m":{"requests":{},"usage":{"inputTokens":10,"outputTokens":2}},"n":{"requests":{},"usage":{"inputTokens":5,"outputTokens":1}}}}}`,
	} {
		e, err := wire.ParseEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		s.add(e)
	}
	if len(s.exchanges) != 2 || s.id != "s1" || s.cwd != "/work" || s.model != "m" || s.tokens != (tokens{in: 15, out: 3}) {
		t.Fatalf("%+v", s)
	}
	one, two := s.exchanges[0], s.exchanges[1]
	if d := cmp.Diff([]string{"I look.", "· view a", "  failed: no such file", "", "Nothing.\uFFFD[2J"}, one.rows); d != "" {
		t.Error(d)
	}
	if one.prompt != "One" || one.attached != 1 || one.calls != 1 || one.failed || seconds(one.took()) != "4.0 s" {
		t.Errorf("%+v", one)
	}
	if two.prompt != "Two" || two.mode != "plan" || !two.failed || seconds(two.took()) != "1.0 s" || !strings.HasPrefix(two.rows[0], "error: ") {
		t.Errorf("%+v", two)
	}
}

// No line is wider than the screen, whatever it contains.
func TestColumns(t *testing.T) {
	var out strings.Builder
	c := &columns{out: &out, look: terminal.Paint{}, width: 40}
	if err := c.heading(12, strings.Repeat("word ", 20)+"\n"+strings.Repeat("x", 90)); err != nil {
		t.Fatal(err)
	}
	if err := c.beside([]string{"世界世界世界世界世界世界 and more", "", "\tindented"}, []string{strings.Repeat("long ", 12)}, nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := timeline.Width(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(out.String(), "世界世界世界世界世 │ ") && !strings.Contains(out.String(), "世界世界世界世界世界世界") {
		t.Errorf("wide characters are lost:\n%s", &out)
	}
}

// The cost is printed as run prints it: in US dollars, and with the calls whose price is not known.
func TestTheCostOfAReplay(t *testing.T) {
	s := &story{}
	for _, line := range []string{
		`{"type":"user.message","data":{"content":"Hello?"}}`,
		`{"type":"assistant.usage","data":{"inputTokens":1200,"outputTokens":80,"cost":1.25,"isByok":true}}`,
	} {
		e, err := wire.ParseEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		s.add(e)
	}
	if got, want := s.exchanges[0].tokens.String(), "1,200 in, 80 out, "+timeline.Dollars(1.25); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e, err := wire.ParseEvent([]byte(`{"type":"assistant.usage","data":{"inputTokens":1,"outputTokens":1,"cost":3,"isByok":false}}`))
	if err != nil {
		t.Fatal(err)
	}
	s.add(e)
	if got, want := s.exchanges[0].tokens.String(), "1,201 in, 81 out, "+timeline.Dollars(1.25)+" and calls of unknown price"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
