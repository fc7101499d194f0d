//go:build unix

package torture_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	agentsEach     = 10 // sub-agents that each session must start at least
	agentsAtOnce   = 8  // sessions that work side by side
	agentKillFirst = 60 // operations that a process does at least before it is killed
	agentKillMore  = 25 // and at most as many more for each session that is not done
)

var agentSeed = flag.Uint64("torture.seed", 12, "the `number` that decides when processes with sub-agents are killed")

// Sub-agents, nested three deep, in the foreground and in the background, in sessions whose
// process is killed again and again: each has exactly one end, its starter gets it, each session
// comes to rest, and nothing that a client received is lost.
func TestSubAgentsSurviveKills(t *testing.T) {
	g := newGrove(t, agentSessions)
	began := time.Now()
	for n := 0; len(g.pending()) > 0; n++ {
		f := fault{kind: none}
		if n < agentKills {
			f = g.kill()
		}
		g.process(f)
		if n > agentKills {
			break // what is not done now does not get done
		}
	}
	sum := g.check()
	t.Logf("%d sessions, %d sub-agents (%d nested three deep, %d in the background): %d completed, %d failed; %d kills, %d events received, %d faults, %.1f s",
		len(g.talks), sum.started, sum.deep, sum.background, sum.completed, sum.failed, g.kills, sum.told, len(sum.problems), time.Since(began).Seconds())
	for _, p := range sum.problems {
		t.Errorf("%s: %s", className[p.class], p.text)
	}
	if len(g.pending()) > 0 || sum.started < agentsEach*agentSessions || sum.deep == 0 || g.kills == 0 {
		t.Errorf("%d sessions are not done; %+v, %d kills", len(g.pending()), sum, g.kills)
	}
}

// grove is the sessions whose agents start sub-agents.
type grove struct {
	t      *testing.T
	home   string
	random *rand.Rand
	talks  []*growing
	kills  int // that happened
}

// growing is one of the sessions.
type growing struct {
	*talk
	plan *plan
	done bool
}

func newGrove(t *testing.T, sessions int) *grove {
	t.Helper()
	g := &grove{t: t, home: t.TempDir(), random: rand.New(rand.NewPCG(*agentSeed, 1))}
	model := newAgentModel(t)
	for i := range sessions {
		p := &plan{model: model, random: rand.New(rand.NewPCG(*agentSeed, 100+uint64(i)))}
		v := variant{name: "agents", sessions: 1, text: 20, streaming: i%2 == 0}
		s := newTalk(fmt.Sprintf("s%d", i+1), v, model.URL(), g.home)
		p.talk = s
		g.talks = append(g.talks, &growing{talk: s, plan: p})
	}
	return g
}

func (g *grove) pending() (left []*growing) {
	for _, s := range g.talks {
		if !s.done {
			left = append(left, s)
		}
	}
	return left
}

// kill chooses how the next process dies.
func (g *grove) kill() fault {
	f := fault{kind: []string{before, after, tear}[g.random.IntN(3)], op: agentKillFirst + g.random.IntN(agentKillMore*len(g.pending()))}
	if f.kind == tear {
		f.arg = g.random.IntN(1000)
	}
	return f
}

// process is one process from its start to its kill, with all sessions that are not done.
func (g *grove) process(f fault) {
	proc, err := start(g.home, f)
	if err != nil {
		g.t.Fatal(err)
	}
	var killed atomic.Bool
	inParallel(agentsAtOnce, g.pending(), func(s *growing) {
		err := s.meet(proc.addr, func(*talk) error { return s.grow() })
		s.hangUp()
		s.judge(f, err)
		if isGone(err) {
			killed.Store(true)
			return
		}
		s.done = true // or it never will be
	})
	if killed.Load() {
		g.kills++
	}
	proc.kill()
	if err := proc.died(); err != nil {
		g.talks[0].fault(died, "%v", err)
	}
}

// grow opens the session and has it start sub-agents until there were enough.
func (s *growing) grow() error {
	if err := s.open(); err != nil {
		return err
	}
	for {
		log, err := s.history()
		if err != nil {
			return err
		}
		if countOf(log, "subagent.started") >= agentsEach {
			return s.last()
		}
		s.plan.try++
		s.plan.prepare()
		id, err := s.send(s.a, s.plan.step(""), "")
		if err != nil {
			return err
		}
		if err := s.untilIdle(id); err != nil {
			return err
		}
	}
}

// open creates or resumes the session, and waits for what an earlier process has left to be done.
func (s *growing) open() error {
	if !s.known() {
		return s.enter("session.create", map[string]any{"requestPermission": true})
	}
	continued := s.plan.random.IntN(2) == 0
	if err := s.reenter(continued); err != nil {
		return err
	}
	log, err := s.history()
	if err != nil {
		return err
	}
	if left := openOf(log); continued && len(left.calls) > 0 {
		return s.finish(left)
	}
	return nil
}

func countOf(log []told, kind string) (n int) {
	for _, e := range log {
		if string(e.Type) == kind {
			n++
		}
	}
	return n
}

// harvest is what came of all sessions.
type harvest struct {
	started, completed, failed, deep, background, told int
	problems                                           []problem
}

// check checks the logs of all sessions, also with the program's own command.
func (g *grove) check() (sum harvest) {
	for _, s := range g.talks {
		log, err := readLog(logOf(g.home, s.id))
		if err != nil {
			g.t.Errorf("%s: %v", s.id, err)
			continue
		}
		s.talk.check(log)
		sum.problems = append(sum.problems, s.problems...)
		sum.add(log)
		for _, e := range s.ears {
			for _, event := range e.all() {
				if !event.Ephemeral {
					sum.told++
				}
			}
		}
	}
	if err := verify(g.home); err != nil {
		g.t.Error(err)
	}
	return sum
}

func (h *harvest) add(log []told) {
	depth := map[string]int{}
	h.completed += countOf(log, "subagent.completed")
	h.failed += countOf(log, "subagent.failed")
	for _, e := range log {
		if e.Type != "subagent.started" {
			continue
		}
		d := read(e)
		h.started++
		depth[e.AgentID] = depth[d.ParentID] + 1
		if depth[e.AgentID] == 3 {
			h.deep++
		}
		if d.ExecutionMode == "background" {
			h.background++
		}
	}
}

// verify runs sessions verify on all sessions of a home.
func verify(home string) error {
	var out, errs bytes.Buffer
	env := map[string]string{"COPILOT_HOME": home, "HOME": home}
	code := app.Main(context.Background(), []string{"sessions", "verify", "--all"}, cli.System{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, FS: vfs.OS{}, Getenv: func(name string) string { return env[name] },
	})
	if code != 0 {
		return fmt.Errorf("sessions verify ended with %d:\n%.2000s\n%.2000s", code, &out, &errs)
	}
	return nil
}
