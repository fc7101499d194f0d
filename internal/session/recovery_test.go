package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// longer reports whether a request is no summary and has more than n bytes of messages.
func longer(n int) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool {
		size := 0
		for _, m := range r.Messages {
			size += len(m.Content)
		}
		return size > n && !asksForSummary(r)
	}
}

func TestAConversationThatTheProviderRefusesAsTooLongIsSummarisedOnce(t *testing.T) {
	tooLong := modeltest.Failure(400, "context_length_exceeded", "This model's maximum context length is 1500 tokens.")
	for _, tc := range []struct {
		name    string
		summary modeltest.Reply
		takes   int // bytes of messages that the provider takes
		off     bool
		again   bool // the message is answered
	}{
		{"and then answered", modeltest.Reply{Text: "<overview>It is about numbers.</overview>"}, 4000, false, true},
		{"and refused again", modeltest.Reply{Text: "<overview>It is about numbers.</overview>"}, 0, false, false},
		{"and answered without its beginning if the summary fails", modeltest.Failure(400, "odd", "odd"), 4000, false, true},
		{"unless the client switched that off", modeltest.Reply{Text: "<overview>x</overview>"}, 4000, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refuses := false
			summary := tc.summary
			summary.When, summary.Repeat = asksForSummary, true
			over := tooLong
			over.When, over.Repeat = func(r *modeltest.Request) bool { return refuses && longer(tc.takes)(r) }, true
			replies := []modeltest.Reply{summary, over, {When: talks, Text: strings.Repeat("x", 1900), Repeat: true}}
			bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
				cfg := small(wire.Config{})
				if tc.off {
					no := false
					cfg.InfiniteSessions = &wire.InfiniteSessions{Enabled: &no}
				}
				s := d.create(cfg)
				for _, prompt := range []string{"one", "two", "three"} {
					s.send(prompt)
					s.until("session.idle")
				}
				refuses = true
				s.send("four")
				s.until("session.idle")
				s.rest()
				failures, started := count(s.told, "session.error"), count(s.told, "session.compaction_start")
				if tc.again != (failures == 0) || failures > 1 || tc.off != (started == 0) || started > 1 {
					t.Errorf("%d errors after %d compactions:\n%s", failures, started, types(s.told))
				}
				if started > 0 {
					if trigger := field(last(t, s.told, "session.compaction_start"), "trigger"); trigger != "context_limit_retry" {
						t.Errorf("the trigger is %s", trigger)
					}
				}
				if failures > 0 {
					if kind := field(last(t, s.told, "session.error"), "errorType"); kind != model.CategoryContextLimit {
						t.Errorf("the error is %s", kind)
					}
				} else if said := d.conversation(); tc.summary.Status == 0 != strings.Contains(said, "It is about numbers.") || !strings.Contains(said, "four") {
					t.Errorf("the model read last\n%s", said)
				}
				checkChain(t, s.told)
			}, replies...)
		})
	}
}

// ofModel answers calls of one model only.
func ofModel(name string, r modeltest.Reply) modeltest.Reply {
	r.When, r.Repeat = func(q *modeltest.Request) bool { return q.Model == name }, true
	return r
}

func TestAnotherModelTakesOverWhereThatHelps(t *testing.T) {
	answers := ofModel("other", modeltest.Reply{Text: "I am here."})
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		helps bool
	}{
		{"overloaded", modeltest.Failure(529, "overloaded_error", "busy"), true},
		{"too many calls", modeltest.Failure(429, "rate_limit_exceeded", "slow down"), true},
		{"no credit", modeltest.Failure(402, "", "pay"), true},
		{"broken", modeltest.Failure(500, "", "oh"), true},
		{"silent", modeltest.Silent(), true},
		{"no such model", modeltest.Failure(404, "model_not_found", "what?"), true},
		{"a bad request", modeltest.Failure(400, "invalid_value", "bad"), false},
		{"a wrong key", modeltest.Failure(401, "", "no"), false},
		{"a refused permission", modeltest.Failure(403, "", "no"), false},
		{"refused by policy", modeltest.Failure(400, "content_filter", "no"), false},
		{"cut after text", modeltest.Reply{Events: []string{`{"choices":[{"delta":{"content":"half"}}]}`, `{"error":{"message":"busy","code":503}}`}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Named: far, Fallback: []string{"far:gone", "far:other"}}}, func(d *desk) {
				yes := true
				s := d.create(wire.Config{SessionID: "s1", Streaming: &yes})
				s.send("hello")
				s.until("session.idle")
				s.rest()
				if helped := count(s.told, "session.error") == 0; helped != tc.helps {
					t.Errorf("it helped: %v\n%s", helped, types(s.told))
					return
				}
				if !tc.helps {
					if n := count(s.told, "session.model_change"); n != 0 {
						t.Errorf("%d changes of the model", n)
					}
					return
				}
				change := last(t, s.told, "session.model_change")
				if field(change, "newModel") != "far:other" || field(change, "previousModel") != "far:gone" || field(change, "cause") != "fallback" {
					t.Errorf("model_change is %s", change.Data)
				}
				if n := count(s.told, "session.model_change"); n != 2 {
					t.Errorf("%d changes, want one for each model", n)
				}
				if warning := field(last(t, s.told, "session.warning"), "message"); !strings.Contains(warning, "far:gone could not be called, so far:other is used instead") {
					t.Errorf("the user is told %q", warning)
				}
				before := len(d.model.Requests())
				s.send("and now?")
				s.until("session.idle")
				if made := d.model.Requests()[before:]; len(made) != 1 || made[0].Model != "other" {
					t.Errorf("the next message took %d calls; the session does not stay with the model", len(made))
				}
			}, ofModel("m", tc.reply), ofModel("gone", modeltest.Failure(503, "", "no")), answers)
		})
	}
}

// Each call of a model asks whether another one would take over. The log says only once that a model of the list
// cannot be called: when it is to take over.
func TestAModelThatCannotBeCalledIsLoggedWhenItIsToTakeOver(t *testing.T) {
	var log bytes.Buffer
	missing := func(name string) (provider.Provider, bool) {
		p, ok := far(name)
		if ok && name == "far:gone" {
			p.Missing = errors.New("there is no key")
		}
		return p, ok
	}
	o := registry.Options{Named: missing, Fallback: []string{"far:gone", "far:other"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	bubble(t, &desk{fs: vfs.NewMem(), opts: o}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hello")
		s.until("session.idle")
		s.rest()
		if n := strings.Count(log.String(), "a model of the fallback list cannot be called"); n != 1 {
			t.Errorf("it is logged %d times, want once:\n%s", n, log.String())
		}
	}, ofModel("m", modeltest.Failure(402, "", "pay")), modeltest.Reply{Text: "hi", Repeat: true})
}

func TestTheListEndsAndABudgetHolds(t *testing.T) {
	down := func(name string) modeltest.Reply { return ofModel(name, modeltest.Failure(402, "", "pay")) }
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Named: far, Fallback: []string{"far:a", "m", "far:b"}}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hello")
		s.until("session.idle")
		if n := len(d.model.Requests()); n != 3 || count(s.told, "session.error") != 1 {
			t.Errorf("%d calls, want one of each model and then the error:\n%s", n, types(s.told))
		}
		c := d.create(wire.Config{SessionID: "s2", Budget: &wire.Budget{MaxTurns: 2}})
		c.send("hello")
		c.until("session.idle")
		if n := len(d.model.Requests()); n != 5 || count(c.told, "session.error") != 0 {
			t.Errorf("%d calls with a budget of two, want it to stop the third:\n%s", n-3, types(c.told))
		}
	}, down("m"), down("a"), down("b"))
}

// A client that brings a provider has only its own list: nothing of its session goes elsewhere
// unasked.
func TestTheProviderOfAClientFallsBackOnlyToTheClientsList(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Named: far, Fallback: []string{"far:other"}}}, func(d *desk) {
		own := &wire.Provider{BaseURL: "http://model.test/v1", ModelID: "m"}
		s := d.create(wire.Config{SessionID: "s1", Provider: own})
		s.send("hello")
		s.until("session.idle")
		if n := count(s.told, "session.error"); n != 1 || len(d.model.Requests()) != 1 {
			t.Errorf("%d errors after %d calls, want one of each", n, len(d.model.Requests()))
		}
		c := d.create(wire.Config{SessionID: "s2", Provider: own, FallbackModels: []string{"mine", "far:other"}})
		for range 2 {
			c.send("hello")
			c.until("session.idle")
		}
		var called []string
		for _, r := range d.model.Requests()[1:] {
			called = append(called, r.Model)
		}
		if got := strings.Join(called, " "); got != "m mine other other" {
			t.Errorf("the calls went to %s", got)
		}
		for _, list := range [][]string{{""}, {"extension:https://agent.test"}, make([]string, 17)} {
			if _, err := d.reg.Create(context.Background(), wire.Config{FallbackModels: list}, nil); fault.KindOf(err) != fault.Invalid {
				t.Errorf("the list %q: %v, want it refused", list, err)
			}
		}
	}, ofModel("m", modeltest.Failure(402, "", "pay")), ofModel("mine", modeltest.Failure(402, "", "pay")), ofModel("other", modeltest.Reply{Text: "Here."}))
}

// A sub-agent goes on with the next model, and its session keeps its own.
func TestASubAgentFallsBackOnItsOwn(t *testing.T) {
	broken := first("do find it", modeltest.Failure(402, "", "pay"))
	ofFirst := broken.When
	broken.When = func(q *modeltest.Request) bool { return q.Model == "small" && ofFirst(q) }
	bubble(t, &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Named: far, Fallback: []string{"far:other"}}}, func(d *desk) {
		cfg := tools()
		cfg.Model = "large"
		cfg.CustomAgents = []wire.CustomAgent{{Name: "scout", DisplayName: "Scout", Description: "finds things", Prompt: "Be quick.", Model: "small"}}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if n := count(s.told, "session.model_change") + count(s.told, "session.error"); n != 0 {
			t.Errorf("the session changed its model or failed:\n%s", types(s.told))
		}
		if got := field(last(t, s.told, "subagent.configured"), "model"); got != "far:other" {
			t.Errorf("the sub-agent runs on %s", got)
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "It is there." {
			t.Errorf("the result is %q", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "scout", "find it", "sync")}}, broken,
		first("do find it", modeltest.Reply{Text: "It is there."}), modeltest.Reply{Text: "Done."})
}
