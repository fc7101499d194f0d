package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// accounts is a ledger that notes what it is asked and told.
type accounts struct {
	most int64 // the bound of answers
	max  int   // calls

	mu       sync.Mutex
	asked    []string // the agents of the calls
	open     int      // holds of calls under way
	used     int64
	problems []string
}

func (a *accounts) Reserve(_ context.Context, c ledger.Call) (ledger.Hold, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.asked) == a.max {
		return nil, &ledger.Exhausted{Why: "the month is over"}
	}
	if c.Session != "s1" || c.Run == "" || c.Model != "m" || c.Request <= 0 || c.Answer <= 0 {
		a.problems = append(a.problems, fmt.Sprintf("%+v", c))
	}
	a.asked = append(a.asked, c.Agent)
	a.open++
	return &entry{of: a}, nil
}

// entry is what accounts hold for a call.
type entry struct {
	of    *accounts
	ended bool
}

func (e *entry) Answer() int64        { return e.of.most }
func (e *entry) Settle(u ledger.Used) { e.end(u.Tokens) }
func (e *entry) Free()                { e.end(0) }

func (e *entry) end(tokens int64) {
	e.of.mu.Lock()
	defer e.of.mu.Unlock()
	if !e.ended {
		e.ended, e.of.open, e.of.used = true, e.of.open-1, e.of.used+tokens
	}
}

// The ledger of the process is asked before every call, also in a run without a budget: of the main agent, of a
// sub-agent, for a side question, and for a summary. It bounds each answer, and is told what each has used.
func TestALedgerIsAskedBeforeEveryCall(t *testing.T) {
	a := &accounts{most: 777, max: -1}
	counted := &modeltest.Usage{Input: 2000, Output: 100}
	d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Ledger: a}}
	bubble(t, d, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		if _, err := s.client.EphemeralQuery(context.Background(), "Why?"); err != nil {
			t.Error(err)
		}
		if _, err := s.s.Compaction().Run(context.Background(), ""); err != nil {
			t.Error(err)
		}
		requests := d.model.Requests()
		if got, want := strings.Join(a.asked, ","), ",a,,,"; got != want || len(requests) != len(a.asked) {
			t.Errorf("asked for the agents %q in %d calls, want %q in 5", got, len(requests), want)
		}
		for _, r := range requests {
			if !strings.Contains(string(r.Raw), `:777`) {
				t.Errorf("the answer is not bounded in %s", r.Raw)
			}
		}
		if a.open != 0 || a.used != 5*2100 || len(a.problems) > 0 {
			t.Errorf("%d calls are still held, %d tokens used, want 10500; %q", a.open, a.used, a.problems)
		}
	},
		modeltest.Reply{When: asksForSummary, Usage: counted, Text: "<overview>Short.</overview>", Repeat: true},
		modeltest.Reply{Usage: counted, ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "a", "sync")}},
		modeltest.Reply{Usage: counted, Text: "one", Repeat: true})
}

// A ledger that refuses ends the run with its reason, which is no failure. A call that the provider refuses
// has used nothing, and nothing stays held for it.
func TestALedgerEndsARun(t *testing.T) {
	a := &accounts{max: 2}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Ledger: a}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		s.until("session.idle")
		if a.open != 0 || a.used != 0 || count(s.told, "session.error") != 1 {
			t.Errorf("after a call that was refused, %d are held and %d tokens used:\n%s", a.open, a.used, types(s.told))
		}
		s.send("go")
		s.until("session.idle")
		if e := last(t, s.told, "session.warning"); !strings.Contains(field(e, "message"), "the month is over") || count(s.told, "session.error") != 1 || a.open != 0 {
			t.Errorf("%s; %d are held:\n%s", e.Data, a.open, types(s.told))
		}
	}, modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "nosuch", `{}`)}, Repeat: true})
}
