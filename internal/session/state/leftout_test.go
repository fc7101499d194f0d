package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// longTalk has a summary, then prompts with an answer each, then a prompt whose answer has made calls.
func longTalk(prompts, calls int) (out []Message) {
	out = append(out, Message{FromUser: true, Text: "SUMMARY", Earlier: []string{"before"}})
	called := func(name string) Message {
		return Message{Text: name, Calls: []Call{{ToolCall: model.ToolCall{ID: name, Name: "grep", Arguments: "{}"}, Done: true, Result: "result of " + name + strings.Repeat(".", 990)}}}
	}
	for i := range prompts {
		text := fmt.Sprintf("prompt %d", i)
		out = append(out, Message{FromUser: true, Text: text, Typed: text}, called(fmt.Sprintf("call %d", i)), Message{Text: fmt.Sprintf("answer %d", i)})
	}
	out = append(out, Message{FromUser: true, Text: "newest", Typed: "newest"})
	for i := range calls {
		out = append(out, called(fmt.Sprintf("step %d", i)))
	}
	return out
}

func transcript(messages []Message) string {
	var b strings.Builder
	for _, m := range Transcript("", messages) {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// The last four messages with calls keep their results first, whether or not the newest message is one of them.
func TestTheLastFourResultsAreKeptFirst(t *testing.T) {
	for steps, want := range map[int]string{0: "result of call 2", 3: "result of call 5"} {
		all := longTalk(6, steps)
		first := true
		l, _ := LeaveOut(all, func(wire.LeftOut) bool { ok := first; first = false; return ok })
		kept, _, _ := Without(all, l)
		if got := transcript(kept); strings.Count(got, "result of ") != 4 || !strings.Contains(got, want) {
			t.Errorf("with %d steps:\n%s", steps, got)
		}
	}
}

// Results are left out first, the oldest first, then whole prompts, the summary last, then the steps of the run; the
// newest prompt is always there, and so is the newest result, or a part of it.
func TestWhatIsLeftOutFirst(t *testing.T) {
	all := longTalk(6, 3)
	for _, tc := range []struct {
		budget      int // bytes
		there, gone []string
		fits        bool
		spans       bool // whole messages are left out
	}{
		{100_000, []string{"result of call 5", "result of step 0"}, nil, true, false}, // what is asked for is not needed
		{7000, []string{"prompt 0", "result of step 2", "was taken out"}, []string{"result of call 0"}, true, false},
		{3500, []string{"SUMMARY", "prompt 0", "result of step 2"}, []string{"result of call 5", "result of step 0"}, true, false},
		{2000, []string{"SUMMARY", "newest", "result of step 2", "earlier messages are left out here", "answer 5"}, []string{"prompt 0"}, true, true},
		{1250, []string{"newest", "result of step 2"}, []string{"SUMMARY", "prompt 5", "step 0"}, true, true},
		{900, []string{"newest", "step 2", "bytes are left out here"}, []string{"SUMMARY", "prompt 5", "step 0"}, true, true},
		{100, []string{"newest"}, []string{"SUMMARY"}, false, true},
	} {
		t.Run(fmt.Sprint(tc.budget), func(t *testing.T) {
			asked := 0
			l, ok := LeaveOut(all, func(l wire.LeftOut) bool {
				asked++
				kept, _, _ := Without(all, l)
				return len(transcript(kept)) <= tc.budget
			})
			kept, missing, _ := Without(all, l)
			got := transcript(kept)
			if ok != tc.fits || len(l.Spans) > 0 != tc.spans || asked > 30 {
				t.Errorf("%v with %+v after %d questions", ok, l, asked)
			}
			if missing+len(kept) != len(all) {
				t.Errorf("%d messages are kept and %d are missing of %d", len(kept), missing, len(all))
			}
			for _, text := range tc.there {
				if !strings.Contains(got, text) {
					t.Errorf("%q is not in\n%s", text, got)
				}
			}
			for _, text := range tc.gone {
				if strings.Contains(got, text) {
					t.Errorf("%q is in\n%s", text, got)
				}
			}
		})
	}
	if got := transcript(all); strings.Contains(got, "left out") || strings.Contains(got, "taken out") {
		t.Errorf("the conversation itself was changed:\n%s", got)
	}
}

// Whatever the log says, nothing breaks: a log may be another program's.
func TestWhatALogLeavesOutMayBeWrong(t *testing.T) {
	all := longTalk(2, 1)
	for _, l := range []wire.LeftOut{
		{Spans: [][2]int{{-5, 3}, {7, 2}, {4, 1 << 40}}}, {Noted: -1}, {Noted: 1 << 40, Cut: 1 << 41, Bytes: -3}, {Cut: 1 << 40, Bytes: -3}, {Spans: [][2]int{{0, 100}}},
	} {
		kept, missing, _ := Without(all, l)
		if len(kept)+missing != len(all) {
			t.Errorf("%+v: %d kept, %d missing", l, len(kept), missing)
		}
	}
}

// A message that was refused as too long is sent in full until another one follows, then in part, and not at all
// before the same message.
func TestARefusedMessageIsNotSentInFullAgain(t *testing.T) {
	var s State
	apply := func(kind wire.EventType, data string) {
		e, err := wire.ParseEvent(fmt.Appendf(nil, `{"id":"e%d","timestamp":"2026-11-28T12:00:00Z","type":%q,"data":%s}`, s.Seq, kind, data))
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(s.Seq+1, e)
	}
	said := func(text string) { apply("user.message", fmt.Sprintf(`{"content":%q}`, text)) }
	refused := func() { apply("session.error", `{"errorType":"context_limit","message":"too long"}`) }
	huge := "huge" + strings.Repeat("x", 5000)
	in := func() (n, bytes int) {
		got := transcript(s.Main.Messages)
		return strings.Count(got, "huge"), len(got)
	}
	said(huge)
	refused()
	if n, bytes := in(); n != 1 || bytes < 5000 {
		t.Errorf("before the next message the model reads it %d times, in %d bytes: it can be tried again", n, bytes)
	}
	said(huge)
	refused()
	if n, bytes := in(); n != 1 || bytes > 5100 {
		t.Errorf("after the same message again the model reads it %d times, in %d bytes", n, bytes)
	}
	said("short")
	if n, bytes := in(); n != 1 || bytes > 1400 {
		t.Errorf("after another message the model reads it %d times, in %d bytes", n, bytes)
	}
	if items := Items(s.Main.Messages); len(items) != 2 {
		t.Errorf("a summary is made of %d messages, want 2", len(items))
	}
	refused()
	apply("assistant.message", `{"content":"answer","messageId":"m"}`)
	said("more")
	if got := transcript(s.Main.Messages); !strings.Contains(got, "short\n") {
		t.Errorf("the model reads\n%s", got)
	}
	huge2 := "later" + strings.Repeat("y", 5000)
	said(huge2)
	refused()
	apply("assistant.message", `{"content":"answer","messageId":"m"}`) // of a larger model
	said("more")
	if got := transcript(s.Main.Messages); !strings.Contains(got, huge2) {
		t.Error("a message that was answered after all is cut")
	}
}
