package session_test

import (
	"context"
	"strings"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// step does one action. An action that is not possible now must return an error, which is
// no failure of the test.
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

// takeBack removes everything from the last message on, if the session is idle.
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
