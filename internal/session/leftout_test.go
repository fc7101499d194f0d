package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// counted runs f with a model that has a window of 2,000 tokens of three bytes, which nothing tells before
// the first refusal. The model answers with 600 bytes, unless replies say otherwise.
func counted(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	replies = append(replies, modeltest.Reply{When: talks, Text: strings.Repeat("x", 600), Repeat: true})
	bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
		d.model.SetWindow(2000, 3)
		f(d)
	}, replies...)
}

// again starts another process on the same disk.
func (d *desk) again(cfg wire.Config) *seat {
	d.stop()
	d.start(d.opts)
	return d.resume(cfg)
}

func summary(r modeltest.Reply) modeltest.Reply {
	r.When, r.Repeat = asksForSummary, true
	return r
}

// long is a prompt of about n bytes with a name.
func long(name string, n int) string { return name + " " + strings.Repeat("y", n) }

// answeredEach reports whether each prompt was answered, and none has failed.
func (s *seat) answeredEach(t *testing.T, prompts int) {
	t.Helper()
	s.rest()
	if n := count(s.told, "session.error"); n > 0 {
		t.Errorf("%d errors: %s", n, last(t, s.told, "session.error").Data)
	}
	if n := count(s.told, "session.idle"); n != prompts {
		t.Errorf("%d idles for %d prompts", n, prompts)
	}
}

// refusals counts the calls after the first ones that the model has refused as too long.
func (d *desk) refusals(first int) (n int) {
	for _, r := range d.model.Requests()[first:] {
		if d.model.Counted(&r) >= 2000 {
			n++
		}
	}
	return n
}

// sent returns the last request as it was sent.
func (d *desk) sent() string {
	all := d.model.Requests()
	return string(all[len(all)-1].Raw)
}

// leftOutWarnings returns the warnings that a part of the conversation is left out.
func leftOutWarnings(events []wire.Event) (texts []string) {
	for _, e := range events {
		if e.Type == "session.warning" && field(e, "warningType") == wire.WarningLeftOut {
			texts = append(texts, field(e, "message"))
		}
	}
	return texts
}

// A session that has outgrown a window that this process does not know goes on with its next prompt.
func TestTheNextProcessGoesOnWithALongConversation(t *testing.T) {
	for _, tc := range []struct {
		name     string
		summary  modeltest.Reply
		warnings int
	}{
		{"by a summary", modeltest.Reply{Text: "<overview>It is about numbers.</overview>"}, 0},
		{"without one that fails", modeltest.Failure(400, "odd", "odd"), 1},
		{"without one that is cut off", modeltest.Reply{Text: "and so on", Finish: "length"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			counted(t, func(d *desk) {
				d.model.SetWindow(20_000, 3)
				s := d.create(small(wire.Config{}))
				for i := range 8 {
					s.talk(long(fmt.Sprint("prompt-", i), 600))
				}
				d.model.SetWindow(2000, 3)
				before := len(d.model.Requests())
				s = d.again(small(wire.Config{}))
				s.talk("and now?")
				s.answeredEach(t, 1)
				if n := d.refusals(before); n != 1 {
					t.Errorf("%d calls were refused, want 1", n)
				}
				if said := d.conversation(); !strings.Contains(said, "and now?") {
					t.Errorf("the model read\n%s", said)
				}
				warned := leftOutWarnings(s.told)
				if len(warned) != tc.warnings {
					t.Fatalf("the user was warned %d times, want %d: %q", len(warned), tc.warnings, warned)
				}
				if tc.warnings == 0 {
					return
				}
				if !strings.Contains(warned[0], "earlier messages") || !strings.Contains(warned[0], "window of m") {
					t.Errorf("the warning is %q", warned[0])
				}
				if said := d.sent(); !strings.Contains(said, "earlier messages are left out here") || strings.Contains(said, "prompt-0") {
					t.Errorf("the model read\n%s", said)
				}
				// The process after that does not know the window either, and reads in the log what to leave out.
				s = d.again(small(wire.Config{}))
				s.talk("and then?")
				s.answeredEach(t, 1)
				if n := d.refusals(before); n != 1 || len(leftOutWarnings(s.told)) > 0 {
					t.Errorf("%d calls were refused in all, want 1; warnings %q, want none", n, leftOutWarnings(s.told))
				}
				if n := count(d.stored("s1"), "user.message"); n != 10 {
					t.Errorf("the log has %d prompts, want all 10", n)
				}
			}, summary(tc.summary))
		})
	}
}

// A message that alone is longer than the window is refused by name, once, and the session goes on without it.
func TestAMessageLongerThanTheWindowIsRefusedAndTheSessionGoesOn(t *testing.T) {
	counted(t, func(d *desk) {
		s := d.create(small(wire.Config{}))
		s.talk("hello")
		s.talk(long("huge", 9000))
		e := last(t, s.told, "session.error")
		if text := field(e, "message"); field(e, "errorType") != "context_limit" || !strings.Contains(text, "2000 tokens") || !strings.Contains(text, "request (3") {
			t.Errorf("the error is %s, want both numbers", e.Data)
		}
		if n := len(d.model.Requests()); n != 2 {
			t.Errorf("%d calls, want one for each message", n)
		}
		for _, prompt := range []string{long("huge", 9000), long("huge", 9000), "shorter"} {
			s.talk(prompt)
		}
		s.rest()
		if n := count(s.told, "session.error"); n != 3 {
			t.Errorf("%d errors, want one for each huge message", n)
		}
		said := d.conversation()
		if n := strings.Count(said, "huge"); n != 1 || len(said) > 4000 || !strings.Contains(said, "has refused this message as too long") || !strings.Contains(said, "shorter") {
			t.Errorf("the model read the huge message %d times, want a part of it once:\n%s", n, said)
		}
		if n := count(d.stored("s1"), "user.message"); n != 5 {
			t.Errorf("the log has %d messages, want 5", n)
		}
		s = d.again(small(wire.Config{}))
		s.talk("still there?")
		s.answeredEach(t, 1)
		if n := len(leftOutWarnings(s.told)); n > 0 {
			t.Errorf("%d warnings", n)
		}
	})
}

func lookup(id string) modeltest.Reply {
	return modeltest.Reply{When: talks, ToolCalls: []modeltest.ToolCall{{ID: id, Name: "lookup", Arguments: `{"q":"x"}`}}}
}

// Results of tools are left out before messages, and the newest ones are cut where they alone are too long.
func TestResultsAreLeftOutBeforeMessages(t *testing.T) {
	counted(t, func(d *desk) {
		cfg := whole(tools("lookup"))
		cfg.SystemMessage = small(cfg).SystemMessage
		s := d.create(cfg)
		s.send("first")
		s.answer(`"result":"` + strings.Repeat("a", 2900) + `"`)
		s.until("session.idle")
		s.send("second")
		s.answer(`"result":"` + strings.Repeat("b", 2900) + `"`)
		s.until("session.idle")
		s.answeredEach(t, 2)
		said := d.conversation()
		if strings.Contains(said, "aaa") || !strings.Contains(said, "bbb") || !strings.Contains(said, "first") || !strings.Contains(said, "was taken out to make room") {
			t.Errorf("the model read\n%s", said)
		}
		if warned := leftOutWarnings(s.told); len(warned) != 1 || !strings.Contains(warned[0], "the whole result of 1 tool call") {
			t.Errorf("the warnings are %q", warned)
		}
		s.send("third")
		s.answer(`"result":"` + strings.Repeat("c", 12_000) + `"`)
		s.until("session.idle")
		s.answeredEach(t, 3)
		if said := d.conversation(); !strings.Contains(said, "third") || !strings.Contains(said, "ccc") || !strings.Contains(said, "bytes are left out here") {
			t.Errorf("the model read\n%s", said)
		}
		var stored strings.Builder
		for _, e := range d.stored("s1") {
			stored.Write(e.Data)
		}
		if !strings.Contains(stored.String(), strings.Repeat("a", 2900)) || !strings.Contains(stored.String(), strings.Repeat("c", 12_000)) {
			t.Error("the log has lost a result")
		}
	}, summary(modeltest.Failure(400, "odd", "odd")), lookup("1"), modeltest.Reply{When: talks, Text: "one"}, lookup("2"), modeltest.Reply{When: talks, Text: "two"}, lookup("3"))
}

// The user is told once for each change, not with each turn, and what is left out does not change with each turn
// either, so that the provider's cache stays valid.
func TestWhatIsLeftOutChangesSeldom(t *testing.T) {
	counted(t, func(d *desk) {
		s := d.create(small(wire.Config{}))
		for i := range 30 {
			s.talk(long(fmt.Sprint("prompt-", i), 200))
		}
		s.answeredEach(t, 30)
		if n := len(leftOutWarnings(s.told)); n < 2 || n > 20 {
			t.Errorf("%d warnings for 30 prompts", n)
		}
		if n := d.refusals(0); n > 2 { // the first, and the request for a summary of it
			t.Errorf("%d calls were refused", n)
		}
		var before wire.Event
		for _, e := range s.told {
			if e.Type == "session.warning" {
				if string(e.Data) == string(before.Data) {
					t.Errorf("the same twice: %s", e.Data)
				}
				before = e
			}
		}
		var l struct{ LeftOut wire.LeftOut }
		if err := json.Unmarshal(before.Data, &l); err != nil || l.LeftOut.Model != "m" || l.LeftOut.Window != 2000 || len(l.LeftOut.Spans) != 1 {
			t.Errorf("the last warning has %+v: %v", l.LeftOut, err)
		}
	}, summary(modeltest.Failure(400, "odd", "odd")))
}

// A model with more room reads everything again.
func TestALargerWindowReadsEverythingAgain(t *testing.T) {
	counted(t, func(d *desk) {
		d.opts = registry.Options{}
		s := d.create(small(wire.Config{}))
		for i := range 10 {
			s.talk(long(fmt.Sprint("prompt-", i), 200))
		}
		if said := d.conversation(); strings.Contains(said, "prompt-0") {
			t.Fatalf("nothing was left out:\n%s", said)
		}
		d.model.SetWindow(50_000, 3)
		cfg := small(wire.Config{Model: "large"})
		s = d.again(cfg)
		s.talk("and now?")
		s.answeredEach(t, 1)
		if said := d.conversation(); !strings.Contains(said, "prompt-0") {
			t.Errorf("the model read\n%s", said)
		}
	}, summary(modeltest.Failure(400, "odd", "odd")))
}

// A summary of a conversation that is longer than the window is asked for with as much of it as fits, by the
// provider's count.
func TestTheRequestForASummaryFitsTheWindow(t *testing.T) {
	counted(t, func(d *desk) {
		d.model.SetWindow(50_000, 1.2) // far from the four bytes that are assumed
		s := d.create(small(wire.Config{}))
		for i := range 12 {
			s.talk(long(fmt.Sprint("prompt-", i), 300))
		}
		d.model.SetWindow(2000, 1.2)
		before := len(d.model.Requests())
		s = d.again(small(wire.Config{}))
		for range 3 {
			s.talk("and now?")
		}
		s.answeredEach(t, 3)
		if n := d.refusals(before); n != 1 {
			t.Errorf("%d calls were refused, want 1: it says how many bytes a token has", n)
		}
		if done := last(t, s.told, "session.compaction_complete"); field(done, "success") != "true" {
			t.Errorf("the summary failed: %s", done.Data)
		}
	}, summary(modeltest.Reply{Text: "<overview>Numbers.</overview>"}))
}
