package state

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FuzzEveryWayToReadALogGivesTheSameState generates a log from a seed and folds it in four
// ways: event by event as a live session does, the same with the messages leaving memory
// now and then, in one go as a resume does, and with all messages kept in memory.
func FuzzEveryWayToReadALogGivesTheSameState(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := generator{r: rand.New(rand.NewPCG(seed, 7)), log: []string{`{"type":"session.start","id":"1","data":{}}`}}
		live, released := fold(t, g.log...), fold(t, g.log...)
		for n := 2 + g.r.IntN(40); len(g.log) < n; {
			g.add(live)
			for _, s := range []*State{live, released} {
				apply(t, s, g.log[len(g.log)-1])
				rebuild(t, s, g.log)
			}
			if g.r.IntN(4) == 0 {
				released.Main.Release(released.Seq)
			}
		}
		resumed := fold(t, g.log...)
		rebuild(t, resumed, g.log)
		whole := &State{Conversation: Conversation{Main: Thread{keepAll: true}, keepAll: true}}
		for rec := range resumed.Cuts().Kept(records(g.log)) {
			e, err := wire.ParseEvent(rec.JSON)
			if err != nil {
				t.Fatal(err)
			}
			whole.Apply(rec.Pos, e)
		}
		want := dump(t, live, g.log)
		for how, s := range map[string]*State{"released": released, "resumed": resumed, "whole": whole} {
			if got := dump(t, s, g.log); got != want {
				t.Errorf("the log:\n%s\nlive:\n%s\n%s:\n%s", strings.Join(g.log, "\n"), want, how, got)
			}
		}
	})
}

func apply(t *testing.T, s *State, line string) {
	t.Helper()
	e, err := wire.ParseEvent([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	s.Apply(s.Seq+1, e)
}

// rebuild removes from a state what its log says was removed.
func rebuild(t *testing.T, s *State, log []string) {
	t.Helper()
	if !s.Torn() {
		return
	}
	rebuilt, err := s.Rebuild(func() iter.Seq2[eventlog.Record, error] { return records(log) })
	if err != nil || !s.Adopt(rebuilt) {
		t.Fatalf("the state was not rebuilt: %v", err)
	}
}

// dump is the conversation of a state as text.
func dump(t *testing.T, s *State, log []string) string {
	t.Helper()
	var b strings.Builder
	for _, th := range s.Threads() {
		all, err := th.All(s.Cuts(), records(log))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "[%s] turn %q finished %v open %d permissions %d external %d\n%s",
			th.AgentID, th.OpenTurn, th.Finished, len(th.Open()), len(th.Permissions), len(th.External), read(all))
	}
	fmt.Fprintf(&b, "system %d command %q %v offered %v skills %d\n", s.Main.SystemBytes, s.Command, s.Commands, s.OfferedTools, len(s.SkillRules))
	return b.String()
}

// generator makes a log of events, also in an order in which no session records them.
type generator struct {
	r   *rand.Rand
	log []string
}

// add adds one event to the log. now is the state that the log so far has led to.
func (g *generator) add(now *State) {
	id, agent := len(g.log)+1, ""
	kind, data := g.ofThread(id)
	switch g.r.IntN(6) {
	case 0:
		kind, data = g.ofSession(id, now)
	case 1, 2:
		agent = fmt.Sprintf(`,"agentId":"a%d"`, g.r.IntN(2))
	}
	g.log = append(g.log, fmt.Sprintf(`{"type":%q,"id":"%d"%s,"data":%s}`, kind, id, agent, data))
}

// ofThread is an event of the main agent or of a sub-agent.
func (g *generator) ofThread(id int) (kind, data string) {
	c := g.r.IntN(3)
	switch g.r.IntN(12) {
	case 0, 1:
		return "user.message", fmt.Sprintf(`{"content":"u%d"}`, id)
	case 2, 3, 4:
		return "assistant.message", fmt.Sprintf(
			`{"content":"a%d","toolRequests":[{"toolCallId":"c%d","name":"t","arguments":{}},{"toolCallId":"c%d","name":"t","arguments":{}}]}`, id, c, (c+1)%3)
	case 5, 6, 7:
		long := strings.Repeat("x", 3000*g.r.IntN(2)) // a truncation shortens it
		return "tool.execution_complete", fmt.Sprintf(`{"toolCallId":"c%d","isUserRequested":%v,"result":{"content":"r%d%s"}}`, c, g.r.IntN(9) == 0, id, long)
	case 8:
		return "permission.requested", fmt.Sprintf(`{"requestId":"r%d","permissionRequest":{"toolCallId":"c%d"}}`, id, c)
	case 9:
		return "tool.execution_start", fmt.Sprintf(`{"toolCallId":"c%d","arguments":{"n":%d}}`, c, id)
	case 10:
		return "session.truncation", fmt.Sprintf(`{"performedBy":%q}`, wire.TruncatedByUs)
	}
	return "subagent.completed", `{}`
}

// ofSession is an event of the session as a whole. A removal may name an event that is
// already removed, or that comes later.
func (g *generator) ofSession(id int, now *State) (kind, data string) {
	switch g.r.IntN(4) {
	case 0:
		return "session.context_cleared", `{"initialMessage":"again"}`
	case 1:
		return "session.compaction_complete", fmt.Sprintf(`{"success":true,"summaryContent":"S%d","condensed":{"entries":%d}}`, id, g.r.IntN(now.Main.Len()+1))
	case 2:
		return "external_tool.requested", fmt.Sprintf(`{"requestId":"x%d","toolCallId":"c%d","toolName":"t"}`, id, g.r.IntN(3))
	}
	return "session.info", fmt.Sprintf(
		`{"infoType":"history_truncated","message":"","truncated":{"eventId":"%d","from":%d,"removed":1}}`, 1+g.r.IntN(len(g.log)+8), g.r.IntN(len(g.log)+3))
}
