//go:build unix

package torture_test

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// scene is another conversation than that of steps.
type scene struct {
	steps   []func(t *talk) error
	replies func(t *talk) []modeltest.Reply // of the model; to all else it says that it is done
	config  map[string]any                  // of both clients
}

// farewell is a last message, whose run must not be taken for an earlier one.
func farewell(t *talk) error { return t.say("bye") }

// say sends a message as A and waits for the end of its run.
func (t *talk) say(step string) error {
	id, err := t.send(t.a, step, "")
	if err != nil {
		return err
	}
	return t.untilIdle(id)
}

// until sends a message as A and waits for the first event of a type, of an agent. Permission
// requests and questions stay open until then. Where the program may refuse, the run may end
// before that; then it reports false.
func (t *talk) until(step string, kind wire.EventType, agentID string) (reached bool, err error) {
	id, err := t.send(t.a, step, "")
	if err != nil {
		return false, err
	}
	said := false
	err = t.attend(
		func(e told) bool {
			said = said || e.Type == "user.message" && read(e).MessageID == id
			reached = e.Type == kind && e.AgentID == agentID
			return reached || said && idle(e) && t.lenient
		},
		func(e told) (bool, error) {
			return e.Type == "permission.requested" || questions[e.Type].method != "", nil
		},
	)
	return reached, err
}

var agentScene = scene{
	steps: []func(*talk) error{delegate, abortNested, apart, farewell},
	replies: func(t *talk) []modeltest.Reply {
		return []modeltest.Reply{
			t.reply("delegate", t.task("a", "sync"), t.task("b", "background")),
			t.reply("job a", t.calls("probe", 1, true)...),
			t.reply("job b", append(t.calls("look", 1, false), t.task("c", "background"))...),
			t.reply("abort", t.task("d", "sync")),
			t.reply("job d", t.task("e", "sync")),
			{When: modeltest.LastIs(t.mark("job e")), Repeat: true, Text: "Late.", Delay: time.Second}, // nobody aborts it after a kill
			t.reply("apart", t.task("f", "background")),
			{When: modeltest.LastIs(t.mark("job f")), Repeat: true, Text: filler(t.v.text), Delay: short},
		}
	},
}

// delegate is two sub-agents, one of them in the background, which starts a third one. Somebody is
// asked about a call of the first.
func delegate(t *talk) error { return t.say("delegate") }

// abortNested is B aborting while the main agent waits for a sub-agent that waits for another.
func abortNested(t *talk) error {
	id, err := t.send(t.a, "abort", "")
	if err != nil {
		return err
	}
	said := false
	return t.attend(func(e told) bool {
		said = said || e.Type == "user.message" && read(e).MessageID == id
		return said && idle(e)
	}, func(e told) (bool, error) {
		if e.Type == "subagent.started" && e.AgentID == "e" {
			return false, t.abort(0)
		}
		return false, nil
	})
}

// apart is A going and coming back while a sub-agent works in the background.
func apart(t *talk) error {
	if reached, err := t.until("apart", "assistant.idle", ""); !reached || err != nil {
		return err
	}
	if err := t.leave(); err != nil {
		return err
	}
	for {
		if e, err := t.b.next(); err != nil || idle(e) {
			return err
		}
	}
}

var suspendScene = scene{
	steps: []func(*talk) error{suspendAsked, detachAsked, suspendNested, detachNested, suspendIdle, farewell},
	replies: func(t *talk) []modeltest.Reply {
		return []modeltest.Reply{
			t.reply("suspend", t.calls("suspend", 2, true)...),
			t.reply("detach", t.calls("detach", 1, true)...),
			t.reply("suspend nested", t.task("g", "sync")),
			t.reply("job g", t.calls("g", 1, true)...),
			t.reply("detach nested", t.task("h", "sync")),
			t.reply("job h", t.calls("h", 1, true)...),
		}
	},
}

// suspendAsked is B suspending the session while somebody is asked.
func suspendAsked(t *talk) error { return t.suspend("suspend", "") }

// suspendNested is the same while a sub-agent asks.
func suspendNested(t *talk) error { return t.suspend("suspend nested", "g") }

func (t *talk) suspend(step, agentID string) error {
	if reached, err := t.until(step, "permission.requested", agentID); !reached || err != nil {
		return err
	}
	return suspendIdle(t)
}

// suspendIdle suspends the session, and both clients come back.
func suspendIdle(t *talk) error {
	if err := t.call(t.b, "session.suspend", map[string]any{}, nil); err != nil {
		return err
	}
	if err := t.hearEnd(); err != nil {
		return err
	}
	left, err := t.back()
	if err != nil || len(left.calls) == 0 {
		return err
	}
	if !t.lenient {
		t.fault(unpaired, "the session was suspended, and the calls %v are open", left.calls)
	}
	return t.finish(left)
}

// back is both clients coming back for what is open.
func (t *talk) back() (open, error) {
	if err := t.reenter(true); err != nil {
		return open{}, err
	}
	events, err := t.history()
	return openOf(events), err
}

// hearEnd waits until both clients have heard that the session has left memory. Where the program
// may not be able to record that, they connect anew.
func (t *talk) hearEnd() error {
	if t.lenient {
		t.hangUp()
		return t.connect(t.addr)
	}
	for _, s := range []*seat{t.a, t.b} {
		for ended := false; !ended; {
			e, err := s.next()
			if err != nil {
				return err
			}
			ended = e.Type == "session.shutdown"
		}
	}
	return nil
}

// detachAsked is both clients leaving while somebody is asked, and coming back with the answer.
func detachAsked(t *talk) error { return t.detach("detach", "") }

// detachNested is the same while a sub-agent asks.
func detachNested(t *talk) error { return t.detach("detach nested", "h") }

func (t *talk) detach(step, agentID string) error {
	if reached, err := t.until(step, "permission.requested", agentID); !reached || err != nil {
		return err
	}
	for _, s := range []*seat{t.b, t.a} {
		if err := t.call(s, "session.detach", map[string]any{}, nil); err != nil {
			return err
		}
	}
	left, err := t.back()
	if err != nil {
		return err
	}
	if len(left.askings) == 0 && !t.lenient {
		t.fault(unanswerable, "the question of the step %q has gone with its clients", step)
	}
	return t.finish(left)
}

// reply is an answer of the model to a step that consists of calls.
func (t *talk) reply(step string, calls ...modeltest.ToolCall) modeltest.Reply {
	return modeltest.Reply{When: modeltest.LastIs(t.mark(step)), Repeat: true, Text: "Let me see.", ToolCalls: calls}
}

// task is a call that starts a sub-agent, whose step is "job" and its name.
func (t *talk) task(name, mode string) modeltest.ToolCall {
	return taskCall(t.id+"-task-"+name, name, t.prompt("job "+name), mode)
}
