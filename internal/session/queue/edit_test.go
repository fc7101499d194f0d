package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// busy is a session whose run is under way, with messages that wait, and one that steers; ids are those of
// the messages that wait.
func busy(t *testing.T) (s *scene, ids []string) {
	t.Helper()
	s = newScene()
	s.say(t, "run")
	ids = s.say(t, "one", "two", "three")
	s.send(t, wire.Send{Prompt: "steers", Mode: "immediate"})
	s.waits(t, "one", "two", "three", "!steers")
	return s, ids
}

// edits are what clients do to a queue that is busy.
var edits = map[string]struct {
	edit func(s *scene, ids []string) (bool, error)
	want []string
	kind fault.Kind // of the error; zero for none
	no   bool       // it changes nothing
}{
	"insert before all": {edit: func(s *scene, _ []string) (bool, error) {
		id, err := s.q.Insert(context.Background(), wire.Send{Prompt: "new", Mode: "immediate"}, -3)
		return id != "", err
	}, want: []string{"!steers", "new", "one", "two", "three"}},
	"insert between": {edit: func(s *scene, _ []string) (bool, error) {
		id, err := s.q.Insert(context.Background(), wire.Send{Prompt: "new"}, 2)
		return id != "", err
	}, want: []string{"!steers", "one", "two", "new", "three"}},
	"insert behind all": {edit: func(s *scene, _ []string) (bool, error) {
		id, err := s.q.Insert(context.Background(), wire.Send{Prompt: "new"}, 99)
		return id != "", err
	}, want: []string{"one", "two", "three", "!steers", "new"}},
	"insert of the system": {edit: func(s *scene, _ []string) (bool, error) {
		id, err := s.q.Insert(context.Background(), wire.Send{Prompt: "new", Source: "system"}, 0)
		return id != "", err
	}, kind: fault.Invalid, no: true},
	"move": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Move(context.Background(), ids[2], 0)
	}, want: []string{"!steers", "three", "one", "two"}},
	"move beyond the end": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Move(context.Background(), ids[0], 9)
	}, want: []string{"!steers", "two", "three", "one"}},
	"move to where it is": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Move(context.Background(), ids[2], 2)
	}, no: true},
	"move nothing": {edit: func(s *scene, _ []string) (bool, error) {
		return s.q.Move(context.Background(), "none", 0)
	}, kind: fault.NotFound, no: true},
	"remove": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Remove(context.Background(), ids[1])
	}, want: []string{"one", "three", "!steers"}},
	"remove what steers": {edit: func(s *scene, _ []string) (bool, error) {
		return s.q.Remove(context.Background(), s.Fold.Queue[3].ID)
	}, no: true},
	"remove the last": {edit: func(s *scene, _ []string) (bool, error) {
		return s.q.RemoveLast(context.Background())
	}, want: []string{"one", "two", "three"}},
	"clear": {edit: func(s *scene, _ []string) (bool, error) { return true, s.q.Clear(context.Background()) }},
	"edit": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Edit(context.Background(), ids[1], "zwei", nil)
	}, want: []string{"one", "zwei", "three", "!steers"}},
	"edit nothing": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Edit(context.Background(), ids[1], "two", nil)
	}, no: true},
	"edit to nothing": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.Edit(context.Background(), ids[1], "", nil)
	}, kind: fault.Invalid, no: true},
	"edit what steers": {edit: func(s *scene, _ []string) (bool, error) {
		return s.q.Edit(context.Background(), s.Fold.Queue[3].ID, "x", nil)
	}, kind: fault.NotFound, no: true},
	"duplicate": {edit: func(s *scene, ids []string) (bool, error) {
		id, err := s.q.Duplicate(context.Background(), ids[0])
		return id != ids[0], err
	}, want: []string{"!steers", "one", "one", "two", "three"}},
	"send now": {edit: func(s *scene, ids []string) (bool, error) {
		return s.q.SendNow(context.Background(), ids[1])
	}, want: []string{"one", "!two", "three", "!steers"}},
	"send nothing now": {edit: func(s *scene, _ []string) (bool, error) {
		return s.q.SendNow(context.Background(), "none")
	}, kind: fault.NotFound, no: true},
	"hand over": {edit: func(s *scene, _ []string) (bool, error) {
		return true, s.q.HandOver(context.Background())
	}, want: []string{"!one", "!two", "!three", "!steers"}},
}

// Clients change the items of the queue. Messages that steer are not items.
func TestClientsEditTheQueue(t *testing.T) {
	for name, tc := range edits {
		t.Run(name, func(t *testing.T) {
			s, ids := busy(t)
			before := len(s.Sent())
			changed, err := tc.edit(s, ids)
			if (err != nil) != (tc.kind != 0) || err != nil && fault.KindOf(err) != tc.kind || changed == tc.no {
				t.Errorf("%v, %v", changed, err)
			}
			if !tc.no {
				s.waits(t, tc.want...)
				return
			}
			if len(s.Sent()) != before {
				t.Errorf("recorded were %v", s.Types()[before:])
			}
		})
	}
}

// Nothing of a queue changes if the log cannot be written.
func TestAnEditThatCannotBeRecordedChangesNothing(t *testing.T) {
	s, ids := busy(t)
	s.Broken = errors.New("the disk is full")
	wakes := s.wakes
	none := func(err error) (bool, error) { return false, err }
	for name, edit := range map[string]func() (bool, error){
		"insert":    func() (bool, error) { _, err := s.q.Insert(t.Context(), wire.Send{Prompt: "x"}, 0); return none(err) },
		"move":      func() (bool, error) { return s.q.Move(t.Context(), ids[0], 2) },
		"remove":    func() (bool, error) { return s.q.Remove(t.Context(), ids[0]) },
		"last":      func() (bool, error) { return s.q.RemoveLast(t.Context()) },
		"clear":     func() (bool, error) { return none(s.q.Clear(t.Context())) },
		"edit":      func() (bool, error) { return s.q.Edit(t.Context(), ids[0], "x", nil) },
		"duplicate": func() (bool, error) { _, err := s.q.Duplicate(t.Context(), ids[0]); return none(err) },
		"send now":  func() (bool, error) { return s.q.SendNow(t.Context(), ids[0]) },
		"withdraw": func() (bool, error) {
			done, err := s.q.Withdraw(t.Context(), ids[0], "one")
			return done.Removed, err
		},
		"append": func() (bool, error) {
			return s.q.Append(t.Context(), wire.QueueAppend{MessageID: s.Fold.Queue[3].ID, ExpectedPrompt: "steers", Prompt: "x"})
		},
		"send all": func() (bool, error) {
			return none(s.sendAll(t, wire.SendMessages{Messages: []wire.Send{{Prompt: "x"}}}))
		},
		"next": func() (bool, error) {
			return none(s.q.Next(state.Queued{ID: "x", Send: wire.Send{Prompt: "x"}}))
		},
	} {
		if changed, err := edit(); changed || !errors.Is(err, s.Broken) {
			t.Errorf("%s: changed is %v, the error is %v", name, changed, err)
		}
	}
	s.waits(t, "one", "two", "three", "!steers")
	if s.wakes != wakes {
		t.Errorf("a run was woken for nothing")
	}
}

// Clients read what waits, each item once, and which message they may still withdraw.
func TestPendingSaysWhatWaits(t *testing.T) {
	s, _ := busy(t)
	if err := s.sendAll(t, wire.SendMessages{Messages: []wire.Send{{Prompt: "a"}, {Prompt: "b", DisplayPrompt: "shown"}}}); err != nil {
		t.Fatal(err)
	}
	s.do(t, func() error {
		return s.q.Enqueue(state.Queued{ID: "c1", Command: true, Send: wire.Send{Prompt: "/compact"}})
	})
	p, err := s.q.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, i := range p.Items {
		items = append(items, string(i.Kind)+" "+i.DisplayText)
	}
	want := []string{"message one", "message two", "message three", "message a", "message shown", "command /compact"}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if a, b := p.Items[3], p.Items[4]; a.ID != b.ID || a.ID != *b.MessageID || p.Items[5].MessageID != nil {
		t.Errorf("messages that were sent together are the items %q and %q", a.ID, b.ID)
	}
	if diff := cmp.Diff([]string{"steers"}, p.SteeringMessages); diff != "" || p.WithdrawableTurnMessageID != s.run.begins || p.Held {
		t.Errorf("%+v (-want +got):\n%s", p, diff)
	}
	s.do(t, func() error { return s.Record("", &wire.AssistantMessage{MessageID: "m1", Content: "Yes."}) })
	if p, err = s.q.Pending(t.Context()); err != nil || p.WithdrawableTurnMessageID != "" {
		t.Errorf("an answered message can be withdrawn: %+v, %v", p, err)
	}
}

// Messages that were sent together begin one run together, and are duplicated together.
func TestMessagesThatWereSentTogether(t *testing.T) {
	s := newScene()
	s.say(t, "run")
	ids, err := s.q.SendAll(t.Context(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "a"}, {Prompt: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.q.Edit(t.Context(), ids[1], "x", nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the error is %v", err)
	}
	copied, err := s.q.Duplicate(t.Context(), ids[1])
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := s.q.Move(t.Context(), copied, 0); !changed || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
	s.finish(t)
	if s.run.begins != copied {
		t.Errorf("the run began with %q, want the copy", s.run.begins)
	}
	if ok, err := s.q.SendNow(t.Context(), copied); ok || err != nil {
		t.Errorf("the message of the run steered it: %v, %v", ok, err)
	}
	s.finish(t)
	s.said(t, "run", "a", "b")
	s.finish(t)
	s.said(t, "run", "a", "b", "a", "b")
}

// SendAll begins a run without a message, steers, and puts messages before others.
func TestSendAll(t *testing.T) {
	s := newScene()
	if err := s.sendAll(t, wire.SendMessages{AgentMode: "shell", Messages: []wire.Send{{Prompt: "a"}, {Prompt: "b"}}}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("two shell commands: %v", err)
	}
	if err := s.sendAll(t, wire.SendMessages{Mode: "later"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an unknown mode: %v", err)
	}
	if err := s.sendAll(t, wire.SendMessages{}); err != nil || s.run == nil {
		t.Errorf("no message: %v, the run is %v", err, s.run)
	}
	if err := s.sendAll(t, wire.SendMessages{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("no message to a session that works: %v", err)
	}
	s.say(t, "waits")
	s.personal = true
	if err := s.sendAll(t, wire.SendMessages{Mode: "immediate", Messages: []wire.Send{{Prompt: "a"}, {Prompt: "b"}}}); err != nil || s.personal {
		t.Errorf("%v; a question waits: %v", err, s.personal)
	}
	if err := s.sendAll(t, wire.SendMessages{Prepend: true, Messages: []wire.Send{{Prompt: "first"}}}); err != nil {
		t.Error(err)
	}
	s.waits(t, "!a", "!b", "first", "waits")
}

// Append adds to a message that steers, as long as nobody has changed it.
func TestAppend(t *testing.T) {
	s, ids := busy(t)
	steers := s.Fold.Queue[3].ID
	for name, tc := range map[string]struct {
		p    wire.QueueAppend
		done bool
	}{
		"another text":   {wire.QueueAppend{MessageID: steers, ExpectedPrompt: "other", Prompt: "x"}, false},
		"does not steer": {wire.QueueAppend{MessageID: ids[0], ExpectedPrompt: "one", Prompt: "x"}, false},
		"not there":      {wire.QueueAppend{MessageID: "none", ExpectedPrompt: "one", Prompt: "x"}, false},
		"it waits":       {wire.QueueAppend{MessageID: steers, ExpectedPrompt: "steers", Prompt: "more", DisplayPrompt: "shown", AgentMode: "plan", Attachments: json.RawMessage(`[{"a":1}]`)}, true},
	} {
		if done, err := s.q.Append(t.Context(), tc.p); done != tc.done || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	if done, err := s.q.Append(t.Context(), wire.QueueAppend{MessageID: steers, ExpectedPrompt: "steers\n\nmore", Attachments: json.RawMessage(`[{"b":2}]`)}); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	m := s.Fold.Queue[3]
	if m.Send.Prompt != "steers\n\nmore" || m.Shown() != "steers\n\nshown" || m.Send.AgentMode != "plan" || string(m.Send.Attachments) != `[{"a":1},{"b":2}]` {
		t.Errorf("the message is %+v", m.Send)
	}
	if _, err := s.q.Append(t.Context(), wire.QueueAppend{MessageID: steers}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("nothing to add: %v", err)
	}
}

// A slash command of an idle session begins at once and is no part of the queue; later ones wait for their
// turn, and are removed when they begin.
func TestCommandsWaitLikeMessages(t *testing.T) {
	s := newScene()
	enqueue := func(id, text string) {
		t.Helper()
		s.do(t, func() error { return s.q.Enqueue(state.Queued{ID: id, Command: true, Send: wire.Send{Prompt: text}}) })
	}
	enqueue("c1", "/first")
	if m := s.launched[0]; m.ID != "" || !m.Command || len(s.Fold.Queue) > 0 {
		t.Errorf("launched was %+v", m)
	}
	enqueue("c2", "/second")
	s.waits(t, "/second")
	if _, err := s.q.SendNow(t.Context(), "c2"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a command steered the run: %v", err)
	}
	if _, err := s.q.Edit(t.Context(), "c2", "x", nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a command was edited: %v", err)
	}
	s.finish(t)
	s.do(t, func() error {
		for _, want := range []bool{true, false} {
			if there, err := s.q.Begin("c2"); there != want || err != nil {
				t.Errorf("%v, %v; want %v", there, err, want)
			}
		}
		return s.q.Next(state.Queued{ID: "p1", Send: wire.Send{Prompt: "of a skill"}})
	})
	if why := s.why(); why != "The message was put into the queue." {
		t.Errorf("the user reads %q", why)
	}
	s.finish(t)
	s.finish(t)
	s.said(t, "of a skill")
}

// A command whose answer stops the queue keeps what waits, until something is sent.
func TestAStoppedQueueWaitsUntilSomethingIsSent(t *testing.T) {
	for name, tc := range map[string]struct {
		goOn func(s *scene) error
		next string
	}{
		"a message": {func(s *scene) error { _, err := s.q.Send(context.Background(), wire.Send{Prompt: "new"}); return err }, "one"},
		"messages that are sent together": {func(s *scene) error {
			_, err := s.q.SendAll(context.Background(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "new"}}})
			return err
		}, "one"},
		"a message at a position": {func(s *scene) error {
			_, err := s.q.Insert(context.Background(), wire.Send{Prompt: "new"}, 0)
			return err
		}, "new"},
		"a command": {func(s *scene) error {
			return s.Do(context.Background(), func() error {
				return s.q.Enqueue(state.Queued{ID: "c1", Command: true, Send: wire.Send{Prompt: "/help"}})
			})
		}, "one"},
		"a run that is tried again": {func(s *scene) error {
			s.Fold.Main.Broken = true
			err := s.q.Retry(context.Background())
			if err == nil {
				s.run.stopped = true
			}
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := busy(t)
			s.do(t, func() error { s.q.Stop(); return nil })
			s.finish(t)
			if s.run != nil {
				t.Fatalf("a run began with %q", s.run.first)
			}
			s.waits(t, "one", "two", "three")
			if err := tc.goOn(s); err != nil || s.run == nil || s.run.prompt != tc.next {
				t.Fatalf("%v; the run is %+v", err, s.run)
			}
			s.finish(t)
			if s.run == nil {
				t.Error("the queue is still stopped")
			}
		})
	}
}

// A message that steers is sent instead of a yes or a no that the run waits for.
func TestSendNowEndsAQuestion(t *testing.T) {
	s, ids := busy(t)
	s.personal = true
	if done, err := s.q.SendNow(t.Context(), ids[0]); !done || err != nil || s.personal {
		t.Errorf("%v, %v; the question waits: %v", done, err, s.personal)
	}
	s.run.stopped = true
	if done, err := s.q.SendNow(t.Context(), ids[1]); done || err != nil {
		t.Errorf("it steered a run that was aborted: %v, %v", done, err)
	}
}
