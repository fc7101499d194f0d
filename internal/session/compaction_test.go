package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// small is a session whose model takes 2,000 tokens, some 8,000 bytes.
func small(cfg wire.Config) wire.Config {
	cfg.SessionID = "s1"
	cfg.SystemMessage = &wire.SystemMessageSet{Mode: "replace", Content: "Be brief."}
	return cfg
}

func narrow(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
		d.stop()
		d.start(registry.Options{Provider: provider.Provider{
			Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 2000,
		}})
		f(d)
	}, replies...)
}

func asksForSummary(r *modeltest.Request) bool {
	last := r.Messages[len(r.Messages)-1]
	return strings.HasPrefix(last.Content, "Please create a detailed summary")
}

func talks(r *modeltest.Request) bool { return !asksForSummary(r) }

// summaries is a model that answers at length, and summarises.
func summaries(size int, summary modeltest.Reply) []modeltest.Reply {
	summary.When, summary.Repeat = asksForSummary, true
	return []modeltest.Reply{summary, {When: talks, Text: strings.Repeat("x", size), Repeat: true}}
}

func TestAConversationIsSummarisedBeforeItsModelIsFull(t *testing.T) {
	for _, tc := range []struct {
		name string
		size int // of an answer, in bytes
	}{
		{"at once", 3800},       // 95 % are reached from below 80 %
		{"in background", 1100}, // 80 % are
	} {
		t.Run(tc.name, func(t *testing.T) {
			narrow(t, func(d *desk) {
				s := d.create(small(wire.Config{}))
				for _, prompt := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} {
					s.send(prompt)
					s.until("session.idle")
				}
				s.rest()
				done := last(t, s.told, "session.compaction_complete")
				if field(done, "success") != "true" || field(done, "summaryContent") != "<overview>It is about numbers.</overview>" {
					t.Errorf("compaction_complete is %s", done.Data)
				}
				if began := last(t, s.told, "session.compaction_start"); len(field(began, "compactionAttemptId")) != 36 || field(began, "compactionAttemptId") != field(done, "compactionAttemptId") {
					t.Errorf("%s ends with %s, want the same attempt", began.Data, done.Data)
				}
				if a, b := count(s.told, "session.compaction_start"), count(s.told, "session.compaction_complete"); a != b || a > 4 {
					t.Errorf("%d compactions started, %d ended, want as many and few", a, b)
				}
				if before := beforeEach(s.told, "session.compaction_start", "user.message", "assistant.turn_start"); strings.Contains(before, "turn") {
					t.Errorf("compactions begin after %s, want before the turn, so that no other begins beside them", before)
				}
				for _, r := range d.model.Requests() {
					if asksForSummary(&r) && len(r.Tools) > 0 {
						t.Errorf("tools are offered with the request for a summary")
					}
				}
				turns := count(s.told, "assistant.turn_start")
				if calls := len(d.model.Requests()); turns != calls || count(s.told, "assistant.turn_end") != turns {
					t.Errorf("%d turns for %d calls", turns, calls)
				}
				said := d.conversation()
				for _, word := range []string{"one", "two", "It is about numbers.", "user: eight"} {
					if !strings.Contains(said, word) {
						t.Errorf("%q is not in what the model read last:\n%s", word, said)
					}
				}
				checkChain(t, s.told)
				if diff := cmp.Diff(persisted(s.told), d.stored("s1")); diff != "" {
					t.Errorf("the sent and the stored events differ (-sent +stored):\n%s", diff)
				}
				d.stop()
				d.start(registry.Options{})
				again := d.resume(small(wire.Config{}))
				again.send("nine")
				again.until("session.idle")
				if got := d.conversation(); !strings.HasPrefix(got, said) {
					t.Errorf("after a resume the model read\n%s\nwant it to begin with\n%s", got, said)
				}
			}, summaries(tc.size, modeltest.Reply{Text: "<overview>It is about numbers.</overview>"})...)
		})
	}
}

// beforeEach lists which of the others came last before each event of that type.
func beforeEach(events []wire.Event, of wire.EventType, others ...wire.EventType) string {
	var last wire.EventType
	var found []string
	for _, e := range events {
		switch {
		case e.Type == of:
			found = append(found, string(last))
		case slices.Contains(others, e.Type):
			last = e.Type
		}
	}
	return strings.Join(found, ", ")
}

// A compaction that fails, or that frees nothing, is not tried over and over, and the conversation
// continues all the same.
func TestACompactionNeverLoops(t *testing.T) {
	for _, tc := range []struct {
		name    string
		summary modeltest.Reply
	}{
		{"that fails", modeltest.Failure(400, "odd", "odd")}, // there is more to summarise each time
		{"that is empty", modeltest.Reply{Text: " "}},
		{"that is longer than the window", modeltest.Reply{Text: strings.Repeat("y", 9000)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			narrow(t, func(d *desk) {
				s := d.create(small(wire.Config{}))
				for range 12 {
					s.send("more")
					s.until("session.idle")
				}
				s.rest()
				asked := 0
				for _, r := range d.model.Requests() {
					if asksForSummary(&r) {
						asked++
					}
				}
				if asked == 0 || asked > 12 {
					t.Errorf("a summary was asked for %d times in 12 runs", asked)
				}
				for i, r := range d.model.Requests() {
					if size := len(r.Raw); size > 8000+2000 { // of JSON; 2,000 tokens are 8,000 bytes
						t.Errorf("request %d has %d bytes", i, size)
					}
				}
				if count(s.told, "session.error") > 0 {
					t.Errorf("a run failed because of a summary:\n%s", types(s.told))
				}
				if count(s.told, "session.idle") != 12 {
					t.Errorf("%d idles for 12 runs", count(s.told, "session.idle"))
				}
			}, summaries(1500, tc.summary)...)
		})
	}
}

func TestACompactionByHand(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(small(wire.Config{}))
		if _, err := s.s.Compaction().Run(context.Background(), ""); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Compact of nothing = %v", err)
		}
		if text, err := s.s.Compaction().Handoff(context.Background()); text != "" || err != nil {
			t.Errorf("Handoff of nothing = %q, %v", text, err)
		}
		s.send("one")
		s.until("session.idle")
		done, err := s.s.Compaction().Run(context.Background(), "the names")
		if err != nil || !done.Success || *done.MessagesRemoved != 1 || *done.CheckpointNumber != 1 {
			t.Fatalf("Compact = %+v, %v", done, err)
		}
		if task := d.model.Requests()[1].Messages[3].Content; !strings.Contains(task, "the names") {
			t.Errorf("the task is %q, want what the user wants", task)
		}
		if text, err := s.s.Compaction().Handoff(context.Background()); !strings.Contains(text, "SUMMARY") || err != nil {
			t.Errorf("Handoff = %q, %v", text, err)
		}
		if list, err := s.s.Workspace().Checkpoints(context.Background()); err != nil || len(list) != 1 {
			t.Errorf("checkpoints are %v, %v", list, err)
		}
		if turns, calls := count(s.rest(), "assistant.turn_start"), len(d.model.Requests()); turns != calls {
			t.Errorf("%d turns for %d calls", turns, calls)
		}
	}, summaries(100, modeltest.Reply{Text: "SUMMARY"})...)
}

func TestACompactionIsCanceled(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(small(wire.Config{}))
		s.send("one")
		s.until("session.idle")
		ended := make(chan error, 1)
		go func() { _, err := s.s.Compaction().Run(context.Background(), ""); ended <- err }()
		s.until("session.compaction_start")
		if did, err := s.s.Compaction().Cancel(context.Background(), false); did || err != nil {
			t.Errorf("CancelCompaction of another = %v, %v", did, err)
		}
		if did, err := s.s.Compaction().Cancel(context.Background(), true); !did || err != nil {
			t.Errorf("CancelCompaction = %v, %v", did, err)
		}
		if err := <-ended; err == nil {
			t.Error("Compact succeeded")
		}
		if e := s.until("session.compaction_complete"); field(e, "success") != "false" {
			t.Errorf("compaction_complete is %s", e.Data)
		}
	}, modeltest.Reply{When: asksForSummary, Silent: true}, modeltest.Reply{When: talks, Text: "x", Repeat: true})
}

// Old results of tools are taken out before anything is summarised.
func TestOldResultsGoFirst(t *testing.T) {
	call := func(id string) modeltest.Reply {
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{{ID: id, Name: "lookup", Arguments: `{"q":"x"}`}}}
	}
	narrow(t, func(d *desk) {
		cfg := tools("lookup")
		cfg.SystemMessage = small(cfg).SystemMessage
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":"` + strings.Repeat("a", 5000) + `"`)
		for range 4 {
			s.answer(`"result":"` + strings.Repeat("b", 350) + `"`)
		}
		s.until("session.idle")
		if count(s.rest(), "session.truncation") != 1 || count(s.told, "session.compaction_start") != 0 {
			t.Errorf("want results taken out and no summary:\n%s", types(s.told))
		}
		said := d.conversation()
		if strings.Contains(said, "aaaa") || !strings.Contains(said, "bbbb") || !strings.Contains(said, "was taken out to make room") {
			t.Errorf("the model read\n%s", said)
		}
		d.stop()
		d.start(registry.Options{})
		again := d.resume(cfg)
		again.send("and?")
		again.until("session.idle")
		if got := d.conversation(); !strings.HasPrefix(got, said) {
			t.Errorf("after a resume the model read\n%s", got)
		}
	}, call("1"), call("2"), call("3"), call("4"), call("5"), modeltest.Reply{Text: "done", Repeat: true})
}

// The last client that leaves does not wait for a summary that no model will read.
// summarizing is a session whose model has been asked for a summary and does not answer.
func (d *desk) summarizing() (s *seat, ended <-chan error) {
	s = d.create(small(wire.Config{}))
	s.send("one")
	s.until("session.idle")
	end := make(chan error, 1)
	go func() { _, err := s.s.Compaction().Run(context.Background(), ""); end <- err }()
	s.until("session.compaction_start")
	synctest.Wait() // until the model is asked
	return s, end
}

func TestASummaryEndsWithItsSession(t *testing.T) {
	equipped(t, func(d *desk) {
		s, ended := d.summarizing()
		begin := time.Now()
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("Detach took %v", took)
		}
		if err := <-ended; err == nil {
			t.Error("Compact succeeded")
		}
	}, modeltest.Reply{When: asksForSummary, Silent: true}, modeltest.Reply{When: talks, Text: "x", Repeat: true})
}

// A client that saw a compaction begin sees its end, also if the process died.
func TestASummaryEndsWithItsProcess(t *testing.T) {
	for _, goOn := range []bool{false, true} {
		equipped(t, func(d *desk) {
			_, _ = d.summarizing()
			d.crash()
			d.resume(small(wire.Config{ContinuePendingWork: goOn}))
			stored := d.stored("s1")
			attempt := field(last(t, stored, "session.compaction_start"), "compactionAttemptId")
			if done := last(t, stored, "session.compaction_complete"); field(done, "success") != "false" || field(done, "compactionAttemptId") != attempt ||
				field(done, "error") != "the process that summarized the conversation has ended" {
				t.Errorf("compaction_complete is %s", done.Data)
			}
			d.crash()
			s := d.resume(small(wire.Config{}))
			if n := count(d.stored("s1"), "session.compaction_complete"); n != 1 {
				t.Errorf("its end was sent %d times", n)
			}
			if _, err := s.s.Compaction().Run(context.Background(), ""); err != nil {
				t.Errorf("Compact = %v", err)
			}
		}, modeltest.Reply{When: asksForSummary, Silent: true}, modeltest.Reply{When: asksForSummary, Text: "<overview>One.</overview>"}, modeltest.Reply{When: talks, Text: "x", Repeat: true})
	}
}

// While a session is summarized, no other process works in it.
func TestASummaryIsWorkInTheSession(t *testing.T) {
	equipped(t, func(d *desk) {
		s, _ := d.summarizing()
		other := &desk{t: d.t, fs: d.fs, model: d.model}
		other.start(registry.Options{})
		defer other.stop()
		if _, err := other.reg.Resume(context.Background(), small(wire.Config{}), nil, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "process") {
			t.Errorf("Resume by another process = %v, want that this one is at work", err)
		}
		if _, err := s.s.Compaction().Cancel(context.Background(), true); err != nil {
			t.Fatal(err)
		}
		s.until("session.compaction_complete")
		s.rest()
		c, err := other.reg.Resume(context.Background(), small(wire.Config{}), nil, nil)
		if err != nil {
			t.Fatalf("Resume by another process = %v after the end", err)
		}
		if err := c.Detach(context.Background()); err != nil {
			t.Error(err)
		}
	}, modeltest.Reply{When: asksForSummary, Silent: true}, modeltest.Reply{When: talks, Text: "x", Repeat: true})
}

// A summary that the budget does not allow is no call, and so no turn.
func TestABudgetBoundsSummariesToo(t *testing.T) {
	narrow(t, func(d *desk) {
		cfg := small(wire.Config{})
		cfg.Budget = &wire.Budget{MaxTokens: 6600, MaxTurns: 1}
		s := d.create(cfg)
		for range 12 {
			s.send("more")
			s.until("session.idle")
		}
		s.rest()
		if turns, calls := count(s.told, "assistant.turn_start"), len(d.model.Requests()); turns != calls {
			t.Errorf("%d turns for %d calls", turns, calls)
		}
		runs := 0
		for _, e := range s.told {
			switch {
			case e.Type == "session.idle":
				runs = 0
			case e.Type == "assistant.turn_start":
				if runs++; runs > 1 {
					t.Error("a run had more than its one turn")
				}
			}
		}
		if count(s.told, "session.compaction_start") == 0 {
			t.Error("the test does not come to a summary")
		}
	}, summaries(900, modeltest.Reply{Text: "<overview>Short.</overview>"})...)
}

// A summary can be longer than what it replaces. Then nothing was removed, which is no negative
// number.
func TestALongSummaryRemovesNothing(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(small(wire.Config{}))
		s.send("hi")
		s.until("session.idle")
		if _, err := s.s.Compaction().Run(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		if e := s.until("session.compaction_complete"); field(e, "success") != "true" || field(e, "tokensRemoved") != "0" {
			t.Errorf("compaction_complete is %s", e.Data)
		}
	}, modeltest.Reply{When: asksForSummary, Text: "<overview>" + strings.Repeat("They said hi. ", 50) + "</overview>"}, modeltest.Reply{When: talks, Text: "hi"})
}

// A summary that was cut off or refused replaces nothing.
func TestAnIncompleteSummaryIsNone(t *testing.T) {
	for _, finish := range []string{"length", "content_filter", "sudden_death"} {
		t.Run(finish, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(small(wire.Config{}))
				s.send("hi")
				s.until("session.idle")
				if _, err := s.s.Compaction().Run(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "no complete summary") {
					t.Errorf("the compaction ends with %v", err)
				}
				if e := s.until("session.compaction_complete"); field(e, "success") != "false" {
					t.Errorf("compaction_complete is %s", e.Data)
				}
			}, modeltest.Reply{When: asksForSummary, Text: "<overview>They said", Finish: finish}, modeltest.Reply{When: talks, Text: "hi"})
		})
	}
}
