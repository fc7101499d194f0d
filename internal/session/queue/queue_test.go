package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A message of an idle session is part of the conversation before its run begins; others wait, in the order in
// which they came, and one that steers comes before them.
func TestMessagesComeInTheirOrder(t *testing.T) {
	s := newScene()
	id := s.say(t, "one")[0]
	s.said(t, "one")
	if s.run == nil || s.run.begins != id || s.run.first != "" || s.changed != 1 || s.titled != 1 {
		t.Errorf("the run is %+v, lists were told %d times, titles came %d times", s.run, s.changed, s.titled)
	}
	if got := s.launched[0].Interaction; got.Origin != id || got.Run == "" || got.Turn == "" {
		t.Errorf("the interaction is %+v", got)
	}
	s.say(t, "two", "three")
	s.personal = true
	s.send(t, wire.Send{Prompt: "now", Mode: "immediate"})
	if why := s.why(); why != "The message is sent instead of a yes or a no." || s.personal {
		t.Errorf("the user reads %q; the question waits: %v", why, s.personal)
	}
	s.send(t, wire.Send{Prompt: "too", Mode: "immediate"})
	s.waits(t, "two", "three", "!now", "!too")
	s.do(t, func() error {
		if !s.q.Steers() {
			t.Error("nothing steers the run")
		}
		return nil
	})
	if why := s.why(); why != "The message is sent with the next model call." {
		t.Errorf("the user reads %q", why)
	}
	s.finish(t)
	s.said(t, "one", "now", "too")
	s.finish(t)
	s.finish(t)
	s.said(t, "one", "now", "too", "two", "three")
	s.waits(t)
	if s.asked != 5 || s.titled != 1 || s.run != nil {
		t.Errorf("%d messages were counted, %d gave a title, the run is %v", s.asked, s.titled, s.run)
	}
	if diff := cmp.Diff([]string{"", "queued", "queued"}, s.delivery); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}

// Hooks see a message before it is recorded, so it waits for its run.
func TestHooksSeeAMessageFirst(t *testing.T) {
	s := newScene()
	s.hooks = true
	s.say(t, "one")
	s.said(t)
	s.waits(t, "one")
	if why := s.why(); s.run == nil || s.delivery[0] != "idle" || why != "The message is being prepared." {
		t.Errorf("the run is %v, delivery is %q, the user reads %q", s.run, s.delivery, why)
	}
	s.finish(t)
	s.said(t, "one")
}

// What waits is recorded before a run that waits for sub-agents is woken for it; a message that cannot be
// recorded wakes nobody and leaves nothing behind.
func TestARecordedMessageWakesTheRun(t *testing.T) {
	s := newScene()
	s.say(t, "one")
	woken := 0
	s.beforeWake = func(waiting []waitingText) {
		if woken++; !slices.Equal(waiting, []waitingText{{Text: "two"}}) {
			t.Errorf("woken with %v", waiting)
		}
	}
	s.say(t, "two")
	s.Broken = errors.New("the disk is full")
	if _, err := s.q.Send(t.Context(), wire.Send{Prompt: "three", RequestHeaders: map[string]string{"a": "b"}}); !errors.Is(err, s.Broken) {
		t.Errorf("the error is %v", err)
	}
	if woken != 1 {
		t.Errorf("woken %d times, want once", woken)
	}
	s.waits(t, "two")
}

// Headers may be credentials: they reach the run and a copy of the message, and no event. When the message is
// sent or dropped, they are gone.
func TestHeadersStayInMemory(t *testing.T) {
	const secret = "sesame"
	with := func(text string) wire.Send {
		return wire.Send{Prompt: text, RequestHeaders: map[string]string{"Authorization": secret}, HeadersBy: "c1"}
	}
	s := newScene()
	s.send(t, with("one"))
	two := s.send(t, with("two"))
	if _, err := s.q.Duplicate(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	s.say(t, "plain")
	for range 4 {
		s.finish(t)
	}
	for i, m := range s.launched {
		want := map[string]string{"Authorization": secret}
		if i == 3 {
			want = nil
		}
		if diff := cmp.Diff(want, m.Send.RequestHeaders); diff != "" || (m.Send.HeadersBy == "c1") != (want != nil) {
			t.Errorf("headers of run %d by %q (-want +got):\n%s", i, m.Send.HeadersBy, diff)
		}
	}
	for _, e := range s.Sent() {
		if strings.Contains(string(e.Data), secret) {
			t.Errorf("%s has a header: %s", e.Type, e.Data)
		}
	}
	for _, drop := range []func(id string) error{
		func(id string) error { _, err := s.q.Remove(t.Context(), id); return err },
		func(string) error { return s.q.Clear(t.Context()) },
		func(string) error { s.finish(t); return nil },
		func(string) error { _, err := s.q.InterruptRun(t.Context(), queue.Drop); return err },
	} {
		s.say(t, "four")
		again := s.send(t, with("five"))
		if err := drop(again); err != nil {
			t.Fatal(err)
		}
		s.sentAgainWithoutHeaders(t, again)
	}
	s.say(t, "four")
	again := s.send(t, with("five"))
	s.do(t, func() error { return s.q.Abort("user_initiated") })
	s.finish(t)
	s.waits(t)
	s.sentAgainWithoutHeaders(t, again)
}

// sentAgainWithoutHeaders ends the runs, and has a message that has left the queue wait again, as another
// process may.
func (s *scene) sentAgainWithoutHeaders(t *testing.T, id string) {
	t.Helper()
	for s.run != nil {
		s.finish(t)
	}
	s.say(t, "six")
	s.do(t, func() error { return s.Record("", (&state.Queued{ID: id, Send: wire.Send{Prompt: "five"}}).Event("")) })
	s.finish(t)
	if last := s.launched[len(s.launched)-1]; last.ID != id || last.Send.RequestHeaders != nil {
		t.Errorf("a message that had left the queue kept its headers: %+v", last.Send)
	}
	s.finish(t)
}

// A queue takes a thousand messages and 16 MB; a message that would wait alone may be larger.
func TestTheQueueIsBounded(t *testing.T) {
	s := newScene()
	s.say(t, "run")
	large := s.send(t, wire.Send{Prompt: strings.Repeat("x", 17<<20)})
	_, err := s.q.Send(t.Context(), wire.Send{Prompt: "more"})
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "remove others from the queue") {
		t.Errorf("the error is %v", err)
	}
	if changed, err := s.q.Edit(t.Context(), large, "small", nil); !changed || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
	for range 999 {
		s.say(t, "more")
	}
	if _, err := s.q.Send(t.Context(), wire.Send{Prompt: "more"}); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "1000 messages") {
		t.Errorf("the error is %v", err)
	}
	if _, err := s.q.Duplicate(t.Context(), large); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the error is %v", err)
	}
	if changed, err := s.q.Edit(t.Context(), large, "another text", nil); !changed || err != nil {
		t.Errorf("an edited message takes its own place: %v, %v", changed, err)
	}
}

// A message that is wrong is refused before anything is recorded.
func TestWrongMessagesAreRefused(t *testing.T) {
	for name, m := range map[string]wire.Send{
		"empty":                        {},
		"attachments null alone":       {Attachments: json.RawMessage("null")},
		"attachments are no list":      {Attachments: json.RawMessage(`{"type":"file"}`)},
		"an unknown mode":              {Prompt: "x", Mode: "later"},
		"an unknown agent mode":        {Prompt: "x", AgentMode: "yolo"},
		"a wrong form":                 {Prompt: "x", ResponseFormat: json.RawMessage(`"wrong"`)},
		"a form of a steering message": {Prompt: "x", Mode: "immediate", ResponseFormat: json.RawMessage(`{}`)},
		"a form of a shell command":    {Prompt: "x", AgentMode: "shell", ResponseFormat: json.RawMessage(`{}`)},
		"a form that is too long":      {Prompt: "x", ResponseFormat: json.RawMessage(strings.Repeat(" ", 32<<20) + "{}")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			if _, err := s.q.Send(t.Context(), m); fault.KindOf(err) != fault.Invalid {
				t.Errorf("the error is %v", err)
			}
			if len(s.Sent()) > 0 || s.run != nil {
				t.Errorf("recorded were %v", s.Types())
			}
		})
	}
	s := newScene()
	s.agent = true
	for name, send := range map[string]func(m wire.Send) error{
		"alone": func(m wire.Send) error { _, err := s.q.Send(t.Context(), m); return err },
		"together": func(m wire.Send) error {
			return s.sendAll(t, wire.SendMessages{Messages: []wire.Send{m}, ResponseFormat: m.ResponseFormat})
		},
	} {
		if err := send(wire.Send{Prompt: "x", ResponseFormat: json.RawMessage(`{}`)}); fault.KindOf(err) != fault.Invalid || len(s.Sent()) > 0 {
			t.Errorf("%s: agents know no forms: %v", name, err)
		}
	}
	if id := s.send(t, wire.Send{Prompt: "x", ResponseFormat: json.RawMessage(" null ")}); id == "" || s.launched[0].Send.ResponseFormat != nil {
		t.Errorf("no form is %s", s.launched[0].Send.ResponseFormat)
	}
}

func (s *scene) sendAll(t *testing.T, p wire.SendMessages) error {
	_, err := s.q.SendAll(t.Context(), "session.sendMessages", p)
	return err
}

// The attachments of a message are read again while the session moves to another model, and not forever.
func TestAttachmentsAreReadForTheModelThatGetsThem(t *testing.T) {
	s := newScene()
	s.send(t, wire.Send{Prompt: "look", Attachments: json.RawMessage(`[{"type":"file"}]`)})
	s.said(t, "look")
	if len(s.attached) != 1 || !strings.Contains(string(s.Sent()[0].Data), `"type":"file"`) {
		t.Errorf("read %q; recorded %s", s.attached, s.Sent()[0].Data)
	}
	for name, change := range map[string]func(*scene){
		"another agent": func(s *scene) { s.moves = true }, "a model that reads documents or not": func(s *scene) { s.swaps = true },
	} {
		s = newScene()
		change(s)
		if _, err := s.q.Send(t.Context(), wire.Send{Prompt: "look", Attachments: json.RawMessage(`[]`)}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: the error is %v", name, err)
		}
		if s.run != nil || len(s.Sent()) > 0 || len(s.attached) != 10 {
			t.Errorf("%s: read %d times; recorded %v", name, len(s.attached), s.Types())
		}
	}
}

// A message keeps its own trace, gets that of the session, and loses one that is too long for a trace.
func TestAMessageBelongsToATrace(t *testing.T) {
	for own, want := range map[string]string{"": "00-of-the-session", "00-own": "00-own", strings.Repeat("x", queue.MaxTraceparent+1): ""} {
		s := newScene()
		s.send(t, wire.Send{Prompt: "one", Traceparent: own})
		if got := s.values("user.message", wire.FieldTraceparent); !slices.Equal(got, []string{want}) {
			t.Errorf("%.20q is recorded as %q", own, got)
		}
	}
}

// The events of a message: what hooks added and pictures before it, warnings and limits after it.
func TestTheEventsOfAMessage(t *testing.T) {
	s := newScene()
	s.hooks, s.limits = true, "1 credit is left"
	s.say(t, "one")
	m, ok := s.q.Find(func(*state.Queued) bool { return true })
	if !ok {
		t.Fatal("nothing waits")
	}
	m.RemovedTools, m.Extension = []string{"old"}, "copilot-extension:a"
	u := prompt.UserMessage{Text: "<one>", Warnings: []string{"a part is missing"}, References: json.RawMessage(`[1]`)}
	before := len(s.Sent())
	s.do(t, func() error { _, err := s.q.Record(m, "idle", u, "from a hook"); return err })
	var types []wire.EventType
	for _, e := range s.Sent()[before:] {
		types = append(types, e.Type)
	}
	want := []wire.EventType{"user.message", "user.message", "session.warning", "user.message", "pending_messages.modified", "session.title_changed"}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	s.said(t, "from a hook", "one", "1 credit is left")
	e := wire.Raw(s.Sent()[before+1].Data)
	if string(e.Get(wire.FieldRemovedTools)) != `["old"]` || e.Get(wire.FieldExtension).Text() != "copilot-extension:a" || string(e.Get(wire.FieldReferences)) != "[1]" {
		t.Errorf("the message is %s", e)
	}
	s.do(t, func() error {
		if recorded, err := s.q.Record(m, "idle", u, ""); recorded || err != nil {
			t.Errorf("a message was recorded twice: %v, %v", recorded, err)
		}
		return nil
	})
	if got := m.Notice(); len(got) != 1 || (&queue.Message{}).Notice() != nil {
		t.Errorf("the notice is %q", got)
	}
}

// What becomes of a message that its run could not record depends on why.
func TestAMessageThatCouldNotBeRecordedIsSettled(t *testing.T) {
	for name, tc := range map[string]struct {
		why         error
		gone, moves bool
		waits, said []string
	}{
		"the time of the run is over": {why: context.DeadlineExceeded, said: []string{"one"}},
		"it is too long":              {why: fault.New(fault.Invalid, "session", "", "too long")},
		"the session closes":          {why: context.Canceled, gone: true, waits: []string{"one"}},
		"the model changes":           {why: context.DeadlineExceeded, moves: true, waits: []string{"one"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.hooks = true
			s.say(t, "one")
			m, _ := s.q.Find(func(*state.Queued) bool { return true })
			s.gone, s.moves = tc.gone, tc.moves
			if err := s.q.Settle(m, "idle", tc.why); err != nil {
				t.Error(err)
			}
			s.waits(t, tc.waits...)
			s.said(t, tc.said...)
		})
	}
	s := newScene()
	s.Close()
	if err := s.q.Settle(queue.Message{}, "idle", context.Canceled); err != nil {
		t.Errorf("in a session that has closed: %v", err)
	}
}

// Messages of many clients all arrive, each once.
func TestManyClientsSend(t *testing.T) {
	s := newScene()
	s.say(t, "first")
	const clients, each = 8, 25
	var sending sync.WaitGroup
	for c := range clients {
		sending.Go(func() {
			for i := range each {
				if _, err := s.q.Send(context.Background(), wire.Send{Prompt: fmt.Sprintf("%d.%02d", c, i)}); err != nil {
					t.Error(err)
				}
				if _, err := s.q.Pending(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sending.Wait()
	for s.run != nil {
		s.finish(t)
	}
	said := s.values("user.message", "content")[1:]
	for c := range clients {
		var own []string
		for _, text := range said {
			if strings.HasPrefix(text, fmt.Sprintf("%d.", c)) {
				own = append(own, text)
			}
		}
		if len(own) != each || !slices.IsSorted(own) {
			t.Errorf("client %d sent %q", c, own)
		}
	}
}
