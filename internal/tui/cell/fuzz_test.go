package cell

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The templates of fuzzed events: %s is a text as JSON, %d an id.
var templates = []string{
	`{"type":"user.message","data":{"content":%s,"source":"","attachments":[{"path":%s}]}}`,
	`{"type":"assistant.turn_start","data":{}}`,
	`{"type":"assistant.turn_end","data":{}}`,
	`{"type":"assistant.reasoning_delta","data":{"reasoningId":"r%d","deltaContent":%s}}`,
	`{"type":"assistant.reasoning","data":{"reasoningId":"r%d","content":%s}}`,
	`{"type":"assistant.message_start","data":{"messageId":"m%d"}}`,
	`{"type":"assistant.message_delta","data":{"messageId":"m%d","deltaContent":%s}}`,
	`{"type":"assistant.message","data":{"messageId":"m%d","content":%s,"citations":{"sources":[{"title":%s,"url":%s}]}}}`,
	`{"type":"tool.execution_start","data":{"toolCallId":"c%d","toolName":"bash","arguments":{"command":%s}}}`,
	`{"type":"tool.execution_start","data":{"toolCallId":"c%d","toolName":%s,"arguments":{"path":%s}}}`,
	`{"type":"tool.execution_start","agentId":"a%d","data":{"toolCallId":"c%d","toolName":"edit","arguments":{"path":%s}}}`,
	`{"type":"tool.execution_partial_result","data":{"toolCallId":"c%d","partialOutput":%s}}`,
	`{"type":"tool.execution_complete","data":{"toolCallId":"c%d","success":true,"result":{"content":%s}}}`,
	`{"type":"tool.execution_complete","data":{"toolCallId":"c%d","success":true,"result":{"content":"x\n<running, shellId: %d; more>","detailedContent":%s}}}`,
	`{"type":"tool.execution_complete","data":{"toolCallId":"c%d","success":false,"error":{"message":%s}}}`,
	`{"type":"subagent.started","agentId":"a%d","data":{"agentName":%s,"toolCallId":"c%d","task":{"name":%s,"description":%s}}}`,
	`{"type":"subagent.started","agentId":"a%d","data":{"agentName":%s,"parentId":"a%d","executionMode":"background"}}`,
	`{"type":"subagent.completed","agentId":"a%d","data":{"toolCallId":"c%d","agentName":%s}}`,
	`{"type":"subagent.failed","agentId":"a%d","data":{"toolCallId":"c%d","error":%s}}`,
	`{"type":"assistant.usage","agentId":"a%d","data":{"inputTokens":%d,"outputTokens":%d}}`,
	`{"type":"permission.requested","data":{"requestId":"p%d","permissionRequest":{"kind":"shell","toolCallId":"c%d","fullCommandText":%s}}}`,
	`{"type":"permission.completed","data":{"requestId":"p%d","result":{"kind":"approved"}}}`,
	`{"type":"permission.completed","data":{"requestId":"p%d","result":{"kind":"denied-interactively-by-user","feedback":%s}}}`,
	`{"type":"user_input.requested","data":{"requestId":"p%d","question":%s}}`,
	`{"type":"user_input.completed","data":{"requestId":"p%d","answer":%s}}`,
	`{"type":"session.warning","data":{"message":%s}}`,
	`{"type":"session.error","data":{"message":%s}}`,
	`{"type":"model.call_failure","data":{"errorMessage":%s}}`,
	`{"type":"session.compaction_start","data":{}}`,
	`{"type":"session.model_change","data":{"newModel":%s}}`,
	`{"type":"session.usage_info","data":{"currentTokens":%d,"tokenLimit":%d,"systemTokens":%d}}`,
	`{"type":"session.idle","data":{"aborted":true}}`,
	`{"type":"session.idle","data":{}}`,
	`{"type":%s,"data":%s}`,
}

// script turns bytes into events: the first byte of each is its template.
func fuzzed(data []byte) (list []wire.Event) {
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	for len(data) > 0 && len(list) < 200 {
		line := templates[int(next())%len(templates)]
		for {
			i := strings.IndexByte(line, '%')
			if i < 0 {
				break
			}
			value := fmt.Sprint(next() % 4)
			if line[i+1] == 's' {
				n := min(int(next()), len(data))
				text, _ := json.Marshal(string(data[:n])) // a text can be marshalled
				value, data = strings.ReplaceAll(string(text), "%", "x"), data[n:]
			}
			line = line[:i] + value + line[i+2:]
		}
		if e, err := wire.ParseEvent([]byte(line)); err == nil {
			list = append(list, e)
		}
	}
	return list
}

// Whatever the events are: what was taken is final, what is live has room, and nothing controls
// the terminal.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("\x00\x05hello\x00\x01\x06\x01\x0cone\ntwo **bo\x06\x01\x04ld**\x07\x01\x00\x08\x01\x04true\x0b\x01\x05\x1b[2J\n\x0c\x01\x03out"), uint8(60))
	f.Add([]byte("\x0f\x01\x03\x01\x02go\x0a\x01\x02\x01x\x11\x01\x01\x02ab\x1f"), uint8(3))
	f.Add([]byte("\x08\x01\x02ls\x08\x02\x02ls\x08\x03\x02ls\x0c\x02\x01x\x0c\x03\x01x\x19\x01w\x0c\x01\x01x"), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, w uint8) {
		width, height := 20+int(w)%100, 1+int(w)%30
		list := fuzzed(data)
		var took, atOnce []row.Row
		often, once := newFeed(Options{Reasoning: []string{"collapsed", "full", "hidden"}[w%3]}), newFeed(Options{Reasoning: []string{"collapsed", "full", "hidden"}[w%3]})
		for _, e := range list {
			for _, c := range []*feed{often, once} {
				c.at = c.at.Add(300 * time.Millisecond)
				c.Event(read(&c.reader, e), c.at)
			}
			took = append(took, often.Take(width)...)
			live := often.Live(width, height, often.at)
			if len(live) > height {
				t.Fatalf("%d live rows, want at most %d", len(live), height)
			}
			narrow(t, live, width)
			narrow(t, []row.Row{often.Activity(often.at).Row(width), often.Status().Row(width)}, width)
			narrow(t, often.Context().Rows(width), width)
		}
		took = append(took, often.Take(width)...)
		atOnce = once.Take(width)
		if diff := cmp.Diff(texts(atOnce), texts(took)); diff != "" {
			t.Fatalf("taken at once, and step by step:\n%s", diff)
		}
		harmless(t, took)
		tr, err := Read(seq(list, nil))
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Len() {
			harmless(t, tr.Rows(i, width))
		}
	})
}

// narrow checks live rows: they end before the last column.
func narrow(t *testing.T, rows []row.Row, width int) {
	t.Helper()
	harmless(t, rows)
	for _, r := range rows {
		if r.Width() >= width {
			t.Fatalf("a row of %d columns at a width of %d: %q", r.Width(), width, r)
		}
	}
}

func harmless(t *testing.T, rows []row.Row) {
	t.Helper()
	for _, r := range rows {
		if strings.ContainsFunc(r.String(), unicode.IsControl) {
			t.Fatalf("a control character in %q", r)
		}
	}
}
