package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

// recording is a display that writes down what it gets.
type recording struct {
	strings.Builder
	until string // has enough at this type; "" never has
	err   error  // of the next text
}

func (r *recording) Text(piece string, begins bool) error {
	if begins {
		r.WriteString("\n>")
	}
	fmt.Fprintf(r, "[%s]", piece)
	return r.err
}

func (r *recording) Event(e Event) (enough bool, err error) {
	if e.Type != "assistant.message_delta" {
		fmt.Fprintf(r, " %s%s", e.AgentID, string(e.Type[strings.LastIndex(string(e.Type), ".")+1:]))
	}
	return string(e.Type) == r.until, nil
}

// fakeTail is a tail with these records, some of which come after a gap.
type fakeTail struct {
	records []string // "gap" is no record: events are missing there
	missed  uint64
	end     error
}

func (f *fakeTail) Missed() uint64 { return f.missed }

func (f *fakeTail) Records(context.Context) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for len(f.records) > 0 {
			r := f.records[0]
			f.records = f.records[1:]
			if r == "gap" {
				f.missed++
				continue
			}
			if !yield(eventlog.Record{JSON: []byte(r)}, nil) {
				return
			}
		}
		yield(eventlog.Record{}, f.end)
	}
}

// event is an event as JSON.
func event(kind, data string) string { return eventOf("", kind, data) }

func eventOf(agent, kind, data string) string {
	of := ""
	if agent != "" {
		of = fmt.Sprintf(`"agentId":%q,`, agent)
	}
	return fmt.Sprintf(`{"id":"e","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z",%s"type":%q,"data":%s}`, of, kind, data)
}

func delta(message, text string) string {
	return event("assistant.message_delta", fmt.Sprintf(`{"messageId":%q,"deltaContent":%q}`, message, text))
}

func whole(message, text string) string {
	return event("assistant.message", fmt.Sprintf(`{"messageId":%q,"content":%q}`, message, text))
}

func start(message string) string {
	return event("assistant.message_start", fmt.Sprintf(`{"messageId":%q}`, message))
}

var (
	asked = event("user.message", `{"messageId":"m"}`)
	idle  = event("session.idle", `{}`)
)

func TestFollow(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []string
		want   string
	}{
		{
			"pieces, then the whole message",
			[]string{asked, start("1"), delta("1", "One, "), delta("1", "two"), whole("1", "One, two."), idle},
			" message message_start\n>[One, ][two][.] message idle",
		},
		{"a provider that does not stream", []string{asked, whole("1", "One."), whole("2", "Two."), idle}, " message\n>[One.] message\n>[Two.] message idle"},
		{
			"pieces are missing: the whole message fills the gap",
			[]string{asked, start("1"), delta("1", "One, "), "gap", delta("1", "three."), whole("1", "One, two, three."), start("2"), delta("2", "Four."), idle},
			" message message_start\n>[One, ][two, three.] message message_start\n>[Four.] idle",
		},
		{
			"a complete text that differs from what has streamed corrects nothing",
			[]string{asked, delta("1", "One"), whole("1", "Other"), idle},
			" message\n>[One] message idle",
		},
		{
			"an earlier run is not this one's",
			[]string{delta("0", "Zero"), whole("0", "Zero"), idle, asked, whole("1", "One."), idle},
			" message idle message\n>[One.] message idle",
		},
		{"a model without a word", []string{asked, whole("1", ""), idle}, " message message idle"},
		{
			"a sub-agent's text is for its model",
			[]string{asked, eventOf("scout", "assistant.message", `{"messageId":"s","content":"There."}`), eventOf("scout", "session.idle", `{}`), idle},
			" message scoutmessage scoutidle idle",
		},
		{
			"a message that a hook blocks is not recorded, and its run ends",
			[]string{
				idle, event("session.info", `{"infoType":"messages_dropped","dropped":{"messageIds":["other"]}}`), idle,
				event("session.info", `{"infoType":"messages_dropped","dropped":{"messageIds":["m"]}}`), event("session.warning", `{"warningType":"policy_blocked","message":"no"}`), idle, asked,
			},
			" idle info idle info warning idle",
		},
		{"the summary of a task is its last message", []string{asked, event("session.task_complete", `{"summary":"Done."}`), idle}, " message\n>[Done.] task_complete idle"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, f, display := &Reader{tail: &fakeTail{records: tc.events, end: io.EOF}}, &Follower{}, &recording{}
			f.Begin("m")
			if err := f.Follow(r.Events(t.Context()), display); err != nil || !f.Idle {
				t.Errorf("Follow = %v, idle %v", err, f.Idle)
			}
			if diff := cmp.Diff(tc.want, display.String()); diff != "" {
				t.Error("the display (-want +got):\n" + diff)
			}
		})
	}
}

// A display that prints the session's whole life gets the text of earlier runs too; the
// outcome is the run's own.
func TestEarlierRuns(t *testing.T) {
	f, display := &Follower{Earlier: true}, &recording{}
	r := &Reader{tail: &fakeTail{records: []string{event("session.error", `{"message":"no"}`), whole("0", "Zero."), idle, asked, whole("1", "One."), idle}}}
	f.Begin("m")
	if err := f.Follow(r.Events(t.Context()), display); err != nil || f.Failure != nil {
		t.Errorf("Follow = %v, %+v", err, f.Outcome)
	}
	if got, want := display.String(), " error\n>[Zero.] message idle message\n>[One.] message idle"; got != want {
		t.Errorf("the display got %q, want %q", got, want)
	}
}

// A display that has enough, as at a question, is followed on where it stopped.
func TestFollowingOn(t *testing.T) {
	f, display := &Follower{}, &recording{until: "permission.requested"}
	r := &Reader{tail: &fakeTail{records: []string{asked, delta("1", "May I"), event("permission.requested", `{}`), whole("1", "May I?"), idle}}}
	f.Begin("m")
	for range 2 {
		if err := f.Follow(r.Events(t.Context()), display); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := display.String(), " message\n>[May I] requested[?] message idle"; got != want || !f.Idle {
		t.Errorf("the display got %q, want %q; idle %v", got, want, f.Idle)
	}
}

func TestOutcome(t *testing.T) {
	usage := event("assistant.usage", `{"inputTokens":10,"outputTokens":3}`)
	turn := event("assistant.turn_start", `{}`)
	for _, tc := range []struct {
		name   string
		events []string
		want   Outcome
	}{
		{"done", []string{turn, usage, turn, usage, idle}, Outcome{Idle: true, Turns: 2, Answers: 2, TokensIn: 20, TokensOut: 6, Unpriced: 2}},
		{
			"priced by the provider's price, and by the Copilot API in units of its own",
			[]string{
				event("assistant.usage", `{"cost":0.25,"isByok":true}`), event("assistant.usage", `{"cost":0.5,"isByok":true}`),
				event("assistant.usage", `{"cost":3,"isByok":false}`), idle,
			},
			Outcome{Idle: true, Answers: 3, Cost: 0.75, Unpriced: 1},
		},
		{"aborted", []string{turn, event("session.idle", `{"aborted":true}`)}, Outcome{Idle: true, Aborted: true, Turns: 1, Unpriced: 1}},
		{
			"failed",
			[]string{turn, event("session.error", `{"errorType":"quota","message":"no more"}`), idle},
			Outcome{Idle: true, Turns: 1, Unpriced: 1, Failure: &Failure{Type: "quota", Message: "no more"}},
		},
		{
			"its budget is used up",
			[]string{event("session.warning", `{"warningType":"budget_exhausted","message":"All used."}`), idle},
			Outcome{Idle: true, Exhausted: "All used."},
		},
		{
			"a sub-agent counts in tokens alone",
			[]string{eventOf("scout", "assistant.turn_start", `{}`), eventOf("scout", "assistant.usage", `{"inputTokens":10,"outputTokens":3}`), eventOf("scout", "session.error", `{}`), idle},
			Outcome{Idle: true, Answers: 1, TokensIn: 10, TokensOut: 3, Unpriced: 1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &Follower{}
			f.Begin("") // the run is under way
			r := &Reader{tail: &fakeTail{records: tc.events, end: io.EOF}}
			if err := f.Follow(r.Events(t.Context()), &recording{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, f.Outcome); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

// An aborted run may end before its message was recorded.
func TestCount(t *testing.T) {
	f := &Follower{}
	f.Begin("never recorded")
	f.Count()
	r := &Reader{tail: &fakeTail{records: []string{event("session.idle", `{"aborted":true}`)}, end: io.EOF}}
	if err := f.Follow(r.Events(t.Context()), &recording{}); err != nil || !f.Aborted {
		t.Errorf("Follow = %v, %+v", err, f.Outcome)
	}
}

func TestErrorsEndFollow(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		name    string
		events  []string
		end     error
		display recording
	}{
		{"of the tail", nil, broken, recording{}},
		{"of the display", []string{whole("1", "One.")}, nil, recording{err: broken}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &Follower{}
			f.Begin("")
			r := &Reader{tail: &fakeTail{records: tc.events, end: tc.end}}
			if err := f.Follow(r.Events(t.Context()), &tc.display); !errors.Is(err, broken) {
				t.Errorf("Follow = %v, want %v", err, broken)
			}
		})
	}
	r := &Reader{tail: &fakeTail{records: []string{"no JSON"}}}
	f := &Follower{}
	if err := f.Follow(r.Events(t.Context()), &recording{}); err == nil {
		t.Error("what is no event is no error")
	}
}

func TestReader(t *testing.T) {
	r := &Reader{tail: &fakeTail{records: []string{
		event("session.start", `{"context":{"cwd":"/work"}}`), "gap",
		event("tool.execution_start", `{"toolCallId":"c","toolName":"view","arguments":{"path":"/work/a.go"}}`), idle,
	}, end: io.EOF}}
	var got []string
	for e, err := range r.Events(t.Context()) {
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s missed=%v %q %v", e.Type, e.Cwd, e.Missed, e.Row.Title, strings.Contains(string(e.Line), string(e.Type))))
	}
	want := []string{
		`session.start /work missed=false "begins in /work" true`,
		`tool.execution_start /work missed=true "view a.go" true`,
		`session.idle /work missed=false "" true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}
