package session_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A session that has had 1,000 sub-agents has no more goroutines than after twenty.
func TestAThousandSubAgentsLeaveNothing(t *testing.T) {
	const rounds, each = 50, 20
	d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Subagents: agent.Limits{Running: each, Total: each}}}
	var calls []modeltest.ToolCall
	for i := range each {
		calls = append(calls, taskCall(fmt.Sprint("c", i), "explore", fmt.Sprint("a", i), []string{"sync", "background"}[i%2]))
	}
	asked := func(r *modeltest.Request) bool { return strings.HasSuffix(r.Last().Content, "go") }
	bubble(t, d, func(d *desk) {
		s := d.create(tools())
		round := func() {
			d.model.Add(modeltest.Reply{When: asked, ToolCalls: calls})
			s.send("go")
			s.until("session.idle")
			synctest.Wait()
		}
		round()
		before := runtime.NumGoroutine()
		for range rounds - 1 {
			round()
		}
		// Some goroutines are not of the session: the runtime and other packages start one now and then.
		if now := runtime.NumGoroutine(); now > before+rounds/5 {
			t.Errorf("there are %d goroutines, and %d before", now, before)
		}
		checkEnds(t, s.told, rounds*each)
	},
		modeltest.Reply{When: func(r *modeltest.Request) bool { return !asked(r) }, Text: "ok", Repeat: true, Delay: time.Second})
}
