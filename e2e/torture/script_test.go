//go:build unix

package torture_test

import "github.com/sidestick-dev/sidestick/internal/wire"

// variant is one way to hold the conversation.
type variant struct {
	name      string
	sessions  int  // held at once
	calls     int  // that the model makes side by side
	asks      bool // somebody is asked for each of them
	text      int  // bytes of prompts, answers and results, roughly
	streaming bool
	queue     int    // messages sent while the session is busy
	scene     *scene // what is said instead of steps; nil: steps
}

// steps are the conversation, in order.
var steps = []func(t *talk) error{
	(*talk).one, (*talk).many, (*talk).leave, (*talk).stall, (*talk).change, (*talk).bye,
}

// play holds the conversation. Where the program may refuse, it is asked again, as
// a person would: it comes back to the session and goes on with the next step.
func (t *talk) play() error {
	if err := t.begin(); err != nil {
		return err
	}
	script := steps
	if t.v.scene != nil {
		script = t.v.scene.steps
	}
	for _, step := range script {
		err := step(t)
		if refused(err) && t.lenient {
			err = t.comeBack()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one is a tool call that somebody is asked about.
func (t *talk) one() error {
	if _, err := t.send(t.a, "one", ""); err != nil {
		return err
	}
	return t.attend(idle, nil)
}

// many is several calls at once; before any is answered, B steers, and A sends
// what is to come after.
func (t *talk) many() error {
	if _, err := t.send(t.b, "many", ""); err != nil {
		return err
	}
	return t.attend(idle, once("external_tool.requested", func() error {
		_, err := t.send(t.b, "steer", "immediate")
		for i := 0; i < t.v.queue && err == nil; i++ {
			_, err = t.send(t.a, "later", "enqueue")
		}
		return err
	}))
}

// leave is A going and coming back while B stays.
func (t *talk) leave() error {
	if err := t.call(t.a, "session.detach", map[string]any{}, nil); err != nil {
		return err
	}
	if err := t.join(t.a, "session.resume", t.params(map[string]any{"tools": tools})); err != nil {
		return err
	}
	t.ofA = append(t.ofA, t.a.ear)
	return nil
}

// stall is a model that stops in the middle of its answer, and B aborting.
func (t *talk) stall() error {
	if _, err := t.send(t.a, "stall", ""); err != nil {
		return err
	}
	began := wire.EventType("assistant.turn_start")
	if t.v.streaming {
		began = "assistant.message_delta"
	}
	return t.attend(idle, once(began, func() error { return t.abort(0) }))
}

// change answers a permission request with a new message and then aborts.
func (t *talk) change() error {
	if _, err := t.send(t.b, "change", ""); err != nil {
		return err
	}
	return t.attend(idle, once("permission.requested", func() error {
		before := len(t.sent)
		if _, err := t.send(t.a, "never", "enqueue"); err != nil {
			return err
		}
		return t.abort(len(t.sent) - before)
	}))
}

// abort stops the run as B. As many of the last messages may be dropped by it.
func (t *talk) abort(dropped int) error {
	for _, id := range t.sent[len(t.sent)-dropped:] {
		t.dropped[id] = true
	}
	return t.call(t.b, "session.abort", map[string]any{}, nil)
}

func (t *talk) bye() error {
	if _, err := t.send(t.a, "bye", ""); err != nil {
		return err
	}
	return t.attend(idle, nil)
}

func idle(e told) bool { return e.Type == "session.idle" }

// once is a reaction to the first event of a type, in place of the usual one.
func once(on wire.EventType, do func() error) func(told) (bool, error) {
	done := false
	return func(e told) (bool, error) {
		if done || e.Type != on {
			return false, nil
		}
		done = true
		return on == "permission.requested", do()
	}
}

// attend does what the session wants of its clients until an event that ends it,
// as A hears it. instead, unless nil, may take an event over.
func (t *talk) attend(end func(told) bool, instead func(told) (bool, error)) error {
	for {
		e, err := t.a.next()
		if err != nil {
			return err
		}
		taken := false
		if instead != nil {
			if taken, err = instead(e); err != nil && !(t.lenient && refused(err)) {
				return err
			}
		}
		if !taken {
			if err := t.react(e); err != nil && !(t.lenient && refused(err)) {
				return err
			}
		}
		if end(e) {
			return t.b.until(e.ID)
		}
	}
}

// react answers what the session asks. Whether it wanted the answer does not
// matter: a run may have ended meanwhile.
func (t *talk) react(e told) error {
	d := read(e)
	var err error
	switch {
	case e.Type == "permission.requested" && !t.approved[d.RequestID]:
		_, err = t.approve(d.RequestID)
	case e.Type == "external_tool.requested":
		_, err = t.answer(d.RequestID, d.ToolCallID)
	case questions[e.Type].method != "" && !t.answered[d.RequestID]:
		err = t.answerQuestion(questions[e.Type], d.RequestID)
	}
	return err
}
