package session_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FuzzAutomaton reads its bytes as what a model answers and what clients do to one
// session: send, steer, abort, answer, refuse, leave, come back, or lose the whole
// process; call hooks that answer, are slow, fail or never answer; run commands,
// summarise, take back. In every order, decision D4 must hold: a run ends in exactly one
// session.idle and nothing but idle follows it; a call has at most one completion,
// and one in the end; a question is answered once; the chain is whole; and every
// persisted event that a client received is in the log.
func FuzzAutomaton(f *testing.F) {
	for _, seed := range []string{
		"\x00\x00\x00\x00\x00\x00", "\x11s", "\x11\x21sp.e.", "\x61sqia", "\x22sw.r", "\x22sC.e", "\x22sc.e", "\x21sqqC", "\x51sa", "\x71ss.", "\x21s.aas",
		"\x00hs.hs.hs.hs.", "\x11hs.rhs.eC.r", "\x11hsCrhc", "\x11hhhs.a.s.lC", "\x08sA.s.", "\x08s.sl.C.A", "\x09P.A.", "\x00k.K.s.kC.", "\x00WWWWmMW.C.", "\x00Wm.Wma.WmcWml",
		"\x11brsr.r.", "\x00bWWW.WW.", "\x00obs.", "\x00zWWzmzWCz", "\x00s.s.T.sC.", "\x0ePrc", "\x0ePr.sCc", "\x0ehhhPttttrac", "\x11hs.pT.d.ids.",
		"\x33s2p..e.1", "\x33s2xs.", "\x22s.l.rc.", "\x61sq.aCs", "\x21sei.qa.", "\x44stt.", "\x21sDs.", "\x31sn.pe.", "\x61sqtCqa.", "\x33spCpeCe.s", "\x03sqC", "\x03sqqc", "\x03siqCs", "\x03sqCqas",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 64 {
			return // longer ones find nothing that these do not
		}
		play(t, script)
	})
}

// TestRandomSessions plays a hundred of these scripts, the same ones each time.
func TestRandomSessions(t *testing.T) {
	const ops = "sssqiiarre12pnxlwcCjt" + "hhhAkKoPWWWmMbzTd..."
	for n := range uint64(100) {
		r := rand.New(rand.NewPCG(n, 1))
		script := []byte{byte(r.Uint32())}
		for range 24 {
			script = append(script, ops[r.IntN(len(ops))])
		}
		t.Run(fmt.Sprintf("%q", script), func(t *testing.T) { play(t, script) })
	}
}

// play carries out a script. Its first byte says what the model answers; some letters
// say what the session is like, wherever they stand.
func play(t *testing.T, script []byte) {
	var replies []modeltest.Reply
	if len(script) > 0 {
		for n := range 4 {
			replies = append(replies, says(script[0]>>(2*n)&3+script[0]%8, n))
		}
		script = script[1:]
	}
	replies = append(replies, modeltest.Reply{Text: "ok", Repeat: true})
	mem := vfs.NewMem()
	d := &desk{fs: traced(t, mem), disk: mem, tools: workshop}
	if bytes.Contains(script, []byte("W")) {
		d.opts.Provider = provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 2000}
		replies = append([]modeltest.Reply{{When: asksForSummary, Text: "<overview>It goes on.</overview>", Repeat: true}}, replies...)
	}
	if bytes.Contains(script, []byte("z")) {
		d.opts.IdleTimeout = 30 * time.Second
	}
	bubble(t, d, func(d *desk) {
		a := &automaton{desk: d, hooked: bytes.Contains(script, []byte("h")), bounded: bytes.Contains(script, []byte("b"))}
		a.enter(d.createWith(a.config(), a))
		for _, op := range script {
			a.step(op)
		}
		a.settle()
	}, replies...)
}

// workshop is toolbox with a shell.
func workshop(h tool.Host) session.Toolbox {
	box := toolbox(h)
	box.Tools = append(box.Tools, echo{})
	return box
}

// says is one of the things that a model does.
func says(kind byte, n int) modeltest.Reply {
	id := func(i int) string { return fmt.Sprintf("c%d-%d", n, i) }
	switch kind {
	case 0:
		return modeltest.Reply{Text: "ok"}
	case 1:
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "lookup", `{"q":"1"}`)}}
	case 2:
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "ask", `{"q":"1"}`), call(id(1), "lookup", `{"q":"2"}`)}}
	case 3:
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "nothing", `{}`), call(id(1), "lookup", `{"q":7}`), call(id(2), "ask", `{"q":"2"}`)}}
	case 4:
		return modeltest.Failure(401, "invalid_api_key", "bad key")
	case 5:
		return modeltest.Reply{Text: "half of an answer that is cut off", CutAfter: 2}
	case 6:
		return modeltest.Silent()
	case 7:
		return modeltest.Reply{Text: "stalls after a while", StallAfter: 2}
	case 8:
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "ask_user", `{"question":"which?"}`), call(id(1), "lookup", `{"q":"3"}`)}}
	case 9:
		return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "exit_plan_mode", `{"summary":"a plan"}`)}}
	}
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id(0), "task_complete", `{"summary":"done"}`)}}
}

// automaton drives a session and remembers what was promised.
type automaton struct {
	*desk
	seats    []*seat
	accepted []string // ids of messages that were answered
	hooked   bool
	bounded  bool
	mood     atomic.Int32 // of the client, when it is called
}

func (a *automaton) config() wire.Config {
	cfg := tools("lookup", "ask")
	cfg.RequestUserInput, cfg.RequestExitPlan, cfg.Hooks = yes(), yes(), &a.hooked
	cfg.SystemMessage = small(cfg).SystemMessage
	if a.bounded {
		cfg.Budget = &wire.Budget{MaxTurns: 4, MaxTokens: 9000, TimeoutMs: 50_000}
	}
	return cfg
}

// Call implements [session.Peer]: the client answers, is slow, fails, or is silent.
func (a *automaton) Call(ctx context.Context, method string, params, result any) error {
	switch a.mood.Load() % 4 {
	case 1:
		select {
		case <-time.After(20 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	case 2:
		return fault.New(fault.Internal, "client", method, "out of order")
	case 3:
		<-ctx.Done()
		return ctx.Err()
	}
	var hook struct {
		HookType string `json:"hookType"`
		Input    struct {
			ToolName string `json:"toolName"`
		} `json:"input"`
	}
	if err := recode(params, &hook); err != nil {
		return err
	}
	switch {
	case method == "userInput.request":
		return recode(map[string]any{"answer": "this one"}, result)
	case method == "exitPlanMode.request":
		return recode(map[string]any{"approved": true}, result)
	case hook.HookType == "userPromptSubmitted", hook.HookType == "sessionStart", hook.HookType == "postToolUse":
		return recode(map[string]any{"output": map[string]any{"additionalContext": "by the way"}}, result)
	case hook.HookType == "preToolUse" && (hook.Input.ToolName == "lookup" || hook.Input.ToolName == "ask"):
		return recode(map[string]any{"output": map[string]any{"modifiedArgs": map[string]any{"q": "changed"}}}, result)
	case hook.HookType == "errorOccurred":
		return recode(map[string]any{"output": map[string]any{"errorHandling": "retry"}}, result)
	}
	return nil
}

func (a *automaton) enter(s *seat) { a.seats = append(a.seats, s) }

// first is the client that acts; nil if no client is attached.
func (a *automaton) first() *seat {
	if len(a.seats) == 0 {
		return nil
	}
	return a.seats[0]
}
