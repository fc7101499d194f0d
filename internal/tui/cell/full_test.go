package cell

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// logged are the persisted events of a script.
func logged(t testing.TB, script string) []wire.Event {
	t.Helper()
	var list []wire.Event
	at := start
	for l := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		agent := ""
		if strings.HasPrefix(word, "@") {
			agent = word[1:]
			word, rest, _ = strings.Cut(rest, " ")
		}
		if rest == "" || !wire.Kinds[wire.EventType(word)].Persisted() {
			continue
		}
		e, err := wire.ParseEvent(fmt.Appendf(nil, `{"type":%q,"agentId":%q,"data":%s}`, word, agent, rest))
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(100e6)
		e.Time = at
		list = append(list, e)
	}
	return list
}

func seq(list []wire.Event, end error) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
		if end != nil {
			yield(wire.Event{}, end)
		}
	}
}

// script is the persisted part of one of the scripts.
func script(t testing.TB, name string) []wire.Event {
	_, after, ok := strings.Cut(readFile(t, "testdata/scripts.txtar"), "-- "+name+" --\n")
	if !ok {
		t.Fatalf("there is no script %s", name)
	}
	text, _, _ := strings.Cut(after, "\n-- ")
	return logged(t, text)
}

// A transcript holds everything that the log has, unfolded.
func TestTranscript(t *testing.T) {
	for _, name := range []string{"run", "agents", "trouble"} {
		tr, err := Read(seq(script(t, name), nil))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, width := range widths {
			fmt.Fprintf(&b, "== %d columns\n", width)
			for i := range tr.Len() {
				if tr.Mark(i) {
					b.WriteString("<mark>\n")
				}
				b.WriteString(texts(tr.Rows(i, width)))
			}
		}
		golden.Text(t, "transcript-"+name, b.String())
	}
}

// The pager finds a call by its number, asks for the same item again, and gets what is added.
func TestTranscriptItems(t *testing.T) {
	list := script(t, "run")
	tr, err := Read(seq(list[:len(list)-3], errors.New("damaged")))
	if err == nil || err.Error() != "damaged" {
		t.Errorf("the error is %v", err)
	}
	i := tr.Call(4)
	if i < 0 || i != tr.Call(0) || tr.Call(5) != -1 {
		t.Fatalf("call 4 is item %d, the last is %d, call 5 is %d", i, tr.Call(0), tr.Call(5))
	}
	first, again := texts(tr.Rows(i, 80)), texts(tr.Rows(i, 80))
	if first != again || !strings.Contains(first, "[4] $ set -e") || !strings.Contains(first, "\ngo vet ./...\n") {
		t.Errorf("the call is\n%s\nand then\n%s", first, again)
	}
	before := tr.Len()
	changed := before
	for _, e := range list[len(list)-3:] {
		changed = min(changed, tr.Event(e))
	}
	if tr.Len() <= before || changed > before {
		t.Errorf("%d items are now %d, the first that changed is %d", before, tr.Len(), changed)
	}
	if text := texts(tr.Rows(tr.Len()-1, 80)); !strings.Contains(text, "returned 0 instead of 1") {
		t.Errorf("the last item is %q", text)
	}
}

// The tokens of a session that is opened again are also those of the processes before.
func TestResumedTokens(t *testing.T) {
	ended := wire.Event{Header: wire.Header{ID: "1", Type: "session.shutdown"}, Data: []byte(`{"modelMetrics":{"a":{"requests":{"cost":3},"usage":{"inputTokens":40000,"outputTokens":6100}},"b":{"usage":{"inputTokens":300}}}}`)}
	f := newFeed(Options{})
	if err := f.Resume(seq([]wire.Event{ended, ended}, nil), false); err != nil {
		t.Fatal(err)
	}
	if s := f.Status(); s.Tokens != 92_800 || s.Cost != 0 {
		t.Errorf("%d tokens, $%v", s.Tokens, s.Cost)
	}
	f.event(t, "assistant.usage", `{"inputTokens":1000,"outputTokens":200}`)
	f.event(t, "session.shutdown", string(ended.Data)) // of which each call was counted here
	if s := f.Status(); s.Tokens != 94_000 {
		t.Errorf("%d tokens after a call", s.Tokens)
	}
}

// A session that is opened again shows its last exchange, and what was interrupted.
func TestResume(t *testing.T) {
	var b strings.Builder
	for _, tc := range []struct {
		name string
		list []wire.Event
	}{
		{"finished", append(script(t, "run"), script(t, "trouble")...)},
		{"interrupted", append(script(t, "run"), script(t, "agents")[:8]...)},
		{"working", append(script(t, "run"), script(t, "agents")[:8]...)},
		{"recovered", inLog(t, "resume_interrupted", "log/s1")[:10]},
		{"new", nil},
	} {
		for _, width := range widths {
			c := New(Options{})
			if err := c.Resume(seq(tc.list, nil), tc.name == "working"); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "== %s, %d columns\n%s-- live\n%s", tc.name, width, texts(c.Take(width)), texts(c.Live(width, 10, start.Add(time.Minute))))
			b.WriteString(texts([]row.Row{c.Activity(start.Add(time.Minute)).Row(width), c.Status().Row(width)}))
		}
	}
	golden.Text(t, "resume", b.String())
	if err := New(Options{}).Resume(seq(nil, errors.New("damaged")), false); err == nil {
		t.Error("the error of the log is lost")
	}
}

// Of an exchange of thousands of calls, the message, how much followed, and the end are shown.
func TestResumeALongExchange(t *testing.T) {
	script := "user.message {\"content\":\"Do all of it.\"}\nassistant.turn_start {\"turnId\":\"0\"}\n"
	for i := range 5000 {
		script += fmt.Sprintf("tool.execution_start {\"toolCallId\":\"c%[1]d\",\"toolName\":\"view\",\"arguments\":{\"path\":\"x\"}}\n"+
			"tool.execution_complete {\"toolCallId\":\"c%[1]d\",\"success\":true,\"result\":{\"content\":\"ok\"}}\n", i)
	}
	list := logged(t, script)
	c := New(Options{})
	if err := c.Resume(seq(list, nil), true); err != nil {
		t.Fatal(err)
	}
	text := texts(c.Take(80))
	if !strings.HasPrefix(text, "› Do all of it.\n\n4,800 earlier messages and calls (Ctrl+O shows them)\n") || !strings.Contains(text, "[5000] view x") || strings.Contains(text, "[4800] ") {
		t.Errorf("%.200s", text)
	}
}

// After a session was opened again, calls are numbered on, and as in the transcript.
func TestNumbersGoOn(t *testing.T) {
	again := `{"toolCallId":"z","toolName":"view","arguments":{"path":"x"}}`
	for _, name := range []string{"run", "agents", "trouble", "parallel"} {
		list := script(t, name)
		list = append(list, logged(t, `user.message {"content":"Go on."}`)...)
		f := newFeed(Options{})
		if err := f.Resume(seq(list, nil), false); err != nil {
			t.Fatal(err)
		}
		f.Take(80)
		f.event(t, "tool.execution_start", again)
		tr, err := Read(seq(append(list, logged(t, "tool.execution_start "+again)...), nil))
		if err != nil {
			t.Fatal(err)
		}
		last := tr.at(tr.Call(0)).(*call).number
		if text := texts(f.Live(80, 10, f.at)); last < 2 || !strings.Contains(text, fmt.Sprintf("[%d] view x", last)) {
			t.Errorf("%s: the next call is %q, in the transcript it is %d", name, text, last)
		}
	}
}

// After a rewind calls have the numbers that they have in the log without what was removed, also if a
// session was opened again before.
func TestNumbersAfterARewind(t *testing.T) {
	prompt := func(id string) string {
		return fmt.Sprintf(`{"type":"user.message","id":%q,"data":{"content":"go on"}}`, id)
	}
	call := func(id string) string {
		return fmt.Sprintf(`{"type":"tool.execution_start","id":"e%s","data":{"toolCallId":%q,"toolName":"bash","arguments":{"command":"true"}}}`, id, id)
	}
	before := []string{prompt("m1"), call("a"), prompt("m2"), call("b"), call("c"), prompt("m3"), call("d")}
	cut := `{"type":"session.info","id":"t","data":{"infoType":"history_truncated","message":"","truncated":{"eventId":"m2","from":3,"removed":5}}}`
	opened := newFeed(Options{})
	var log []wire.Event
	for _, l := range before {
		e, err := wire.ParseEvent([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	if err := opened.Resume(seq(log, nil), true); err != nil {
		t.Fatal(err)
	}
	live := newFeed(Options{})
	for _, l := range before {
		live.line(t, l)
	}
	for name, f := range map[string]*feed{"live": live, "opened again": opened} {
		f.line(t, cut)
		f.line(t, prompt("m4"))
		f.line(t, call("e"))
		if n := f.calls["e"].number; n != 2 {
			t.Errorf("%s: the second call is number %d", name, n)
		}
	}
}
