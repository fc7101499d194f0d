package session_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FuzzAutomaton reads its bytes as what a model answers and what clients do to one
// session: send, steer, abort, answer, refuse, leave, come back, or lose the whole
// process; call hooks that answer, are slow, fail or never answer; run commands,
// summarise, take back. Whatever the order, decision D4 must hold: a run ends in exactly one
// session.idle and nothing but idle follows it; a call has at most one completion,
// and one in the end; a question is answered once; the chain is whole; and what
// anybody was told is in the log.
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

// TestRandomSessions is a hundred of these scripts, the same each time.
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
		d.opts.Provider = session.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 2000}
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

// first is the client that acts; nil if nobody is there.
func (a *automaton) first() *seat {
	if len(a.seats) == 0 {
		return nil
	}
	return a.seats[0]
}

// step does one thing. What cannot be done now is no failure, but must say so.
func (a *automaton) step(op byte) {
	synctest.Wait()
	s := a.first()
	if s == nil {
		a.comeBack(op == 'C')
		return
	}
	switch op {
	case 's', 'q':
		a.send(s, wire.Send{Prompt: "do it"})
	case 'i':
		a.send(s, wire.Send{Prompt: "aside", Mode: "immediate"})
	case 'a':
		a.check(s.s.Abort(context.Background(), ""))
	case 'r', 'e', '1', '2':
		a.answerCall(s, map[byte]string{'r': `"result":"r"`, 'e': `"error":"boom"`, '1': `"result":{"textResultForLlm":"x","resultType":"rejected"}`, '2': `"result":"second"`}[op])
	case 'p':
		a.decide(s, permit.Answer{Outcome: permit.Approved})
	case 'n', 'x':
		a.decide(s, permit.Answer{Outcome: permit.Rejected})
	case 'l', 'w':
		a.leave()
	case 'c', 'C':
		a.crashed(op == 'C')
	case 'j':
		if len(a.seats) < 3 {
			cfg := a.config()
			cfg.Tools, cfg.ContinuePendingWork = nil, true
			a.enter(a.resumeWith(cfg, a))
		}
	case 't', 'D', 'z':
		time.Sleep(40 * time.Second)
	case 'h':
		a.mood.Add(1)
	case 'A':
		for _, id := range a.open(s, "user_input.requested") {
			_, err := s.s.Questions().AnswerUserInput(context.Background(), id, wire.UserInputAnswer{Answer: "that one"})
			a.check(err)
		}
	case 'k', 'K':
		a.send(s, wire.Send{Prompt: "ls", AgentMode: "shell", Mode: map[byte]string{'k': "enqueue", 'K': "immediate"}[op]})
	case 'o', 'P':
		a.send(s, wire.Send{Prompt: "do it", AgentMode: map[byte]string{'o': "autopilot", 'P': "plan"}[op]})
	case 'W':
		a.send(s, wire.Send{Prompt: strings.Repeat("long ", 300)})
	case 'm':
		go func() { _, _ = s.s.Compaction().Run(context.Background(), "") }()
	case 'M':
		for _, manual := range []bool{true, false} {
			_, err := s.s.Compaction().Cancel(context.Background(), manual)
			a.check(err)
		}
	case 'T':
		a.takeBack(s)
	case 'd':
		_, err := s.s.Queue().RemoveLast(context.Background())
		a.check(err)
	}
}

// takeBack takes back all from the last message on, if the session is idle.
func (a *automaton) takeBack(s *seat) {
	told := s.rest()
	for i := len(told) - 1; i >= 0; i-- {
		if told[i].Type == "user.message" {
			if _, err := s.s.History().Truncate(context.Background(), told[i].ID); fault.KindOf(err) != fault.Conflict {
				a.check(err)
			}
			return
		}
	}
}

// check takes the errors that a client may get at any time.
func (a *automaton) check(err error) {
	if kind := fault.KindOf(err); err != nil && kind != fault.Unavailable && kind != fault.NotFound {
		a.t.Errorf("unexpected: %v", err)
	}
}

func (a *automaton) send(s *seat, m wire.Send) {
	id, err := s.s.Send(context.Background(), m)
	if err == nil {
		a.accepted = append(a.accepted, id)
	}
	a.check(err)
}

// open are the events of a type that nothing has answered, as this client saw them.
func (a *automaton) open(s *seat, asked wire.EventType) (ids []string) {
	seen := map[string]bool{}
	for _, e := range s.rest() {
		if id := field(e, "requestId"); e.Type == asked && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func (a *automaton) answerCall(s *seat, result string) {
	for _, id := range a.open(s, "external_tool.requested") {
		ok, err := s.tryReply(id, result)
		a.check(err)
		if ok {
			return
		}
	}
}

func (a *automaton) decide(s *seat, answer permit.Answer) {
	for _, id := range a.open(s, "permission.requested") {
		ok, err := s.s.Permissions().Answer(context.Background(), id, answer)
		a.check(err)
		if ok {
			return
		}
	}
}

func (a *automaton) leave() {
	s := a.seats[0]
	a.seats = a.seats[1:]
	a.check(s.client.Detach(context.Background()))
	a.inspect(s)
}

func (a *automaton) comeBack(goOn bool) {
	cfg := a.config()
	cfg.ContinuePendingWork = goOn
	a.enter(a.resumeWith(cfg, a))
}

func (a *automaton) crashed(goOn bool) {
	told := a.seats
	a.seats = nil
	for _, s := range told {
		s.rest()
	}
	log := a.stored("s1")
	before, settled := told[0].s.Folded()
	a.desk.crash()
	for i, e := range a.stored("s1")[:len(log)] {
		if e.ID != log[i].ID {
			a.t.Fatalf("event %d of the log is %s, was %s", i, e.ID, log[i].ID)
		}
	}
	for _, s := range told {
		a.inspect(s)
	}
	a.comeBack(goOn)
	if after, _ := a.first().s.Folded(); settled {
		if diff := cmp.Diff(before, after); diff != "" {
			a.t.Errorf("a resume came to something else (-live +replayed):\n%s", diff)
		}
	}
}

// settle answers nothing more, stops what works, and checks the whole log.
func (a *automaton) settle() {
	synctest.Wait()
	if a.first() == nil {
		a.comeBack(false)
	}
	s := a.first()
	a.check(s.s.Abort(context.Background(), ""))
	synctest.Wait()
	a.crashed(false)
	for len(a.seats) > 0 {
		a.seats[0].rest()
		a.leave()
	}
	a.desk.stop()
	a.desk.start(a.desk.opts)
	last := a.resume(wire.Config{SessionID: "s1"})
	last.rest()
	a.whole(a.stored("s1"))
}

// inspect checks what one client was told: it is in the log, and each run that it
// saw begin ended in one idle.
func (a *automaton) inspect(s *seat) {
	a.t.Helper()
	stored := map[string]bool{}
	for _, e := range a.stored("s1") {
		stored[e.ID] = true
	}
	running, known := false, false
	for _, e := range s.rest() {
		if !e.Ephemeral && !stored[e.ID] {
			a.t.Errorf("a client was told of a %s that is not in the log", e.Type)
		}
		switch e.Type {
		case "user.message":
			if field(e, "delivery") == "idle" {
				if running && !a.hooked {
					a.t.Errorf("a message found the session idle before its idle was told:\n%s", types(s.told))
				}
				running, known = true, true
			}
		case "session.info": // of a message that hooks are to see first
			if field(e, "infoType") == "message_queued" {
				running, known = true, true
			}
		case "assistant.turn_start":
			if field(e, "purpose") == "compaction" {
				continue
			}
			if known && !running {
				a.t.Errorf("a turn began after the idle:\n%s", types(s.told))
			}
			running = true
		case "session.idle":
			if known && !running {
				a.t.Errorf("two idles for one run:\n%s", types(s.told))
			}
			running, known = false, true
		}
	}
}

// whole checks a log that nobody works on any more.
func (a *automaton) whole(log []wire.Event) {
	a.t.Helper()
	checkChain(a.t, log)
	said, open, asked := map[string]int{}, map[string]int{}, map[string]int{}
	turns, begun := 0, 0
	var waiting []string
	for _, e := range log {
		switch e.Type {
		case "user.message":
			said[field(e, "messageId")]++
		case "session.info":
			waiting = append(waiting, field(e, "queued", "messageId"))
			if field(e, "infoType") == "messages_dropped" {
				for _, id := range a.accepted {
					if strings.Contains(string(e.Data), id) {
						said[id]++
					}
				}
			}
		case "abort": // drops what waits
			for _, id := range waiting {
				said[id] = max(said[id], 1)
			}
		case "tool.execution_start", "tool.user_requested":
			open[field(e, "toolCallId")]++
		case "tool.execution_complete":
			if open[field(e, "toolCallId")]--; open[field(e, "toolCallId")] < 0 {
				a.t.Errorf("a completion without a start: %s", e.Data)
			}
		case "permission.requested":
			asked[field(e, "requestId")]++
		case "permission.completed":
			asked[field(e, "requestId")]--
		case "assistant.turn_start":
			if id := field(e, "turnId"); id != strconv.Itoa(begun) {
				a.t.Errorf("turn %d has the id %s", begun, id)
			}
			begun++
			turns++
		case "assistant.turn_end":
			turns--
		}
	}
	for id, n := range open {
		if n != 0 {
			a.t.Errorf("call %s has %d completions too few", id, n)
		}
	}
	for id, n := range asked {
		if n != 0 {
			a.t.Errorf("question %s has %d answers too few", id, n)
		}
	}
	if turns != 0 {
		a.t.Errorf("%d turns have no end", turns)
	}
	for _, id := range a.accepted {
		if n := said[id]; n != 1 {
			a.t.Errorf("message %s was taken, and was said %d times", id, n)
		}
	}
}
