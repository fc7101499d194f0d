package front

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// These tests hold for both implementations of [tui.Session].

func TestAnAnswerStreams(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		if d, err := s.Describe(t.Context()); err != nil || !d.New || d.Working || d.Model != "scripted" {
			t.Errorf("a new session: %+v, %v", d, err)
		}
		s.say("hello")
		if e := s.until("user.message"); e.Row.Body != "hello" || e.Cwd == "" {
			t.Errorf("the message is %q in %q", e.Row.Body, e.Cwd)
		}
		text := ""
		for e := range s.events {
			if e.Type == wire.MessageDelta {
				text += e.Get("deltaContent").Text()
			}
			if e.Type == "session.idle" {
				break
			}
		}
		if text != "one two three" {
			t.Errorf("streamed: %q", text)
		}
	}, modeltest.Reply{Text: "one two three", Piece: 4})
}

// ask is the question of the next permission request.
func (s *seat) ask() (timeline.Request, *question.Question) {
	s.t.Helper()
	e := s.until("permission.requested")
	r, ok := timeline.ReadRequest(e.Event)
	if !ok {
		s.t.Fatalf("no request: %s", e.Data)
	}
	q, err := s.Permission(s.t.Context(), r, e.Cwd)
	if err != nil || q == nil {
		s.t.Fatalf("no question: %v", err)
	}
	return r, q
}

func TestAToolActsAfterAYes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "made.txt")
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("make it")
		r, _ := s.ask()
		if _, ends, err := s.AnswerPermission(t.Context(), r.ID, permit.Answer{Outcome: permit.Approved}); err != nil || ends {
			t.Errorf("ends %v, %v", ends, err)
		}
		s.until("session.idle")
		if text, err := os.ReadFile(file); err != nil || string(text) != "made" {
			t.Errorf("%q, %v", text, err)
		}
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "create", Arguments: fmt.Sprintf(`{"path":%q,"file_text":"made"}`, file)}}}, modeltest.Reply{Text: "done"})
}

// The user of a server reads what an approval covers, word for word as in a session of this process,
// and the rules of the approval are those.
func TestWhatAnApprovalCovers(t *testing.T) {
	shown := map[bool][]string{}
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("run it")
		r, q := s.ask()
		text := []string{q.Heading}
		for _, o := range q.Options {
			text = append(text, fmt.Sprint(o.Key, " ", o.Text, " ", o.Grants, " ", o.Where))
		}
		shown[h.far] = text
		always := slices.IndexFunc(q.Options, func(o question.Option) bool { return o.Key == "a" })
		if always < 0 || !strings.Contains(q.Options[always].Grants, "frobnicate") {
			t.Fatalf("offered: %q", text)
		}
		a, err := q.Choose(always, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(a.Permit.Rules, func(r permit.Rule) bool { return r.String() == "shell(frobnicate)" }) {
			t.Errorf("the rules are %v", a.Permit.Rules)
		}
		if _, _, err := s.AnswerPermission(t.Context(), r.ID, permit.Answer{Outcome: permit.Rejected}); err != nil {
			t.Error(err)
		}
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "bash", Arguments: `{"command":"frobnicate --now","description":"do it"}`}}}, modeltest.Reply{Text: "done"})
	if diff := cmp.Diff(shown[false], shown[true]); diff != "" {
		t.Error("-this process +a server:\n" + diff)
	}
}

func TestADenialEndsTheRun(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("run it")
		r, _ := s.ask()
		if _, ends, err := s.AnswerPermission(t.Context(), r.ID, permit.Answer{Outcome: permit.Rejected, Feedback: "use make"}); err != nil || !ends {
			t.Errorf("ends %v, %v", ends, err)
		}
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "bash", Arguments: `{"command":"frobnicate --now","description":"do it"}`}}})
}

// call is the next question that the session asks by a call.
func (s *seat) call() *tui.Call {
	s.t.Helper()
	select {
	case c := <-s.Calls():
		return c
	case <-time.After(patience):
		s.t.Fatal("nothing is asked")
		return nil
	}
}

func TestTheModelAsks(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("ask me")
		c := s.call()
		q, err := question.Of(c.Method, c.Params)
		if err != nil || q.Heading != "Which one?" {
			t.Fatalf("%+v, %v", q, err)
		}
		a, err := q.Choose(0, "")
		if err != nil {
			t.Fatal(err)
		}
		c.Reply(a.Reply, nil)
		if e := s.until("tool.execution_complete"); !strings.Contains(string(e.Data), "the first") {
			t.Errorf("the model gets %s", e.Data)
		}
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "ask_user", Arguments: `{"question":"Which one?","choices":["the first","the second"]}`}}}, modeltest.Reply{Text: "done"})
}

func TestAFormIsFilledIn(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		program := h.program(s.ID())
		answered := make(chan error, 1)
		var got wire.ElicitationAnswer
		go func() {
			var err error
			got, err = program.Questions().Elicit(t.Context(), approval.Elicitation{Message: "Your name?", Schema: []byte(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
			answered <- err
		}()
		id := s.until("elicitation.requested").Get("requestId").Text()
		if err := s.AnswerForm(t.Context(), id, wire.ElicitationAnswer{Action: approval.Accepted, Content: []byte(`{"name":"Ann"}`)}); err != nil {
			t.Fatal(err)
		}
		if err := <-answered; err != nil || string(got.Content) != `{"name":"Ann"}` {
			t.Errorf("the program gets %s, %v", got.Content, err)
		}
	})
}

// texts are the texts of the queue.
func texts(q tui.Queue) (list []string) {
	for _, i := range q.Items {
		list = append(list, i.Text)
	}
	return list
}

// An interrupt holds what is queued; it can be taken back, and the next message goes first.
func TestTheQueueIsHeld(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("first")
		s.until("assistant.turn_start")
		s.say("second")
		s.say("third")
		q, err := s.Queue(t.Context())
		if err != nil || q.Held || !slices.Equal(texts(q), []string{"second", "third"}) {
			t.Fatalf("%+v, %v", q, err)
		}
		if err := s.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if q, err = s.Queue(t.Context()); err != nil || !q.Held || len(q.Items) != 2 {
			t.Fatalf("after the interrupt: %+v, %v", q, err)
		}
		other := h.enter(s.ID())
		if q, err := other.Queue(t.Context()); err != nil || !q.Held || len(q.Items) != 2 {
			t.Errorf("another terminal shows %+v, %v", q, err)
		}
		if removed, err := s.Unqueue(t.Context(), q.Items[0].ID); err != nil || !removed {
			t.Errorf("taken back: %v, %v", removed, err)
		}
		s.say("before")
		var order []string
		for range 2 {
			order = append(order, s.until("user.message").Row.Body)
		}
		if !slices.Equal(order, []string{"before", "third"}) {
			t.Errorf("the messages are sent in the order %q", order)
		}
		s.until("session.idle")
	}, modeltest.Reply{When: modeltest.LastIs("first"), Silent: true}, modeltest.Reply{Text: "answer", Repeat: true})
}

// The messages of another client are shown, and its answer withdraws a question.
func TestTwoUsersOfOneSession(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		a := h.enter("")
		b := h.enter(a.ID())
		a.say("run it")
		for _, s := range []*seat{a, b} {
			if e := s.until("user.message"); e.Row.Body != "run it" {
				t.Errorf("the message is %q", e.Row.Body)
			}
		}
		r, _ := a.ask()
		other, _ := b.ask()
		if r.ID != other.ID {
			t.Errorf("they are asked for %s and %s", r.ID, other.ID)
		}
		if _, _, err := b.AnswerPermission(t.Context(), r.ID, permit.Answer{Outcome: permit.Rejected}); err != nil {
			t.Fatal(err)
		}
		if e := a.until("permission.completed"); e.Get("requestId").Text() != r.ID {
			t.Errorf("completed: %s", e.Data)
		}
		if _, ends, err := a.AnswerPermission(t.Context(), r.ID, permit.Answer{Outcome: permit.Approved}); err != nil || ends {
			t.Errorf("a late answer: ends %v, %v", ends, err)
		}
		for _, s := range []*seat{a, b} {
			s.until("session.idle")
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "bash", Arguments: `{"command":"frobnicate --now","description":"do it"}`}}})
}

// The log of a session that is entered again is what was seen, and the title is known.
func TestASessionIsEnteredAgain(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("hello")
		var seen []string
		for e := range s.events {
			if !e.Ephemeral {
				seen = append(seen, e.ID)
			}
			if e.Type == "session.idle" {
				break
			}
		}
		s.leave()
		s = h.enter(s.ID())
		var read []string
		for e, err := range s.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, e.ID)
		}
		if len(seen) < 3 || !strings.Contains(strings.Join(read, " "), strings.Join(seen[1:], " ")) {
			t.Errorf("seen\n%q\nread\n%q", seen, read)
		}
		if d, err := s.Describe(t.Context()); err != nil || d.New || d.Working {
			t.Errorf("%+v, %v", d, err)
		}
	}, modeltest.Reply{Text: "hi", Repeat: true})
}

// A message that a session was given but did not answer in time may have been taken.
func TestAMessageWithoutAnAnswerIsUncertain(t *testing.T) {
	ways(t, func(t *testing.T, h *house) {
		s := h.enter("")
		s.say("one")
		s.until("session.idle")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Send(ctx, wire.Send{Prompt: "hello"}); !errors.Is(err, tui.ErrUncertain) {
			t.Errorf("the error is %v", err)
		}
		if err := s.Send(t.Context(), wire.Send{}); err == nil || errors.Is(err, tui.ErrUncertain) {
			t.Errorf("the error of an empty message is %v", err)
		}
	}, modeltest.Reply{Text: "hello", Repeat: true})
}

// A session that another client has closed is continued by /resume, with or without its id.
func TestAClosedSessionIsContinued(t *testing.T) {
	for _, name := range []string{"without its id", "by its id"} {
		t.Run(name, func(t *testing.T) {
			before := newFront(t, modeltest.Reply{Text: "hi", Repeat: true})
			before.say(t, "hello")
			if err := before.runtime.Parts.Sessions.CloseSession(t.Context(), before.ID()); err != nil {
				t.Fatal(err)
			}
			for _, err := range before.Events(t.Context()) {
				if err != nil {
					t.Errorf("the events end with %v", err)
				}
			}
			err := before.Send(t.Context(), wire.Send{Prompt: "again"})
			if got := before.words(err); !strings.Contains(got, "the session was closed; /resume continues it") {
				t.Errorf("a message is refused with %q", got)
			}
			id := ""
			if name == "by its id" {
				id = before.ID()
			}
			e := before.mustRun(t, "resume", id)
			after, ok := e.Session.(*embedded)
			if !ok || after.ID() != before.ID() || after == before {
				t.Fatalf("/resume %s: %+v", id, e)
			}
			t.Cleanup(after.Client.Tail().Close)
			if err := before.Leave(t.Context()); err != nil { // as the interface does
				t.Error(err)
			}
			after.say(t, "again")
		})
	}
}

// A session of a server that was closed is continued by /resume.
func TestAClosedSessionOfAServerIsContinued(t *testing.T) {
	g, s := newGuest(t)
	if err := g.link.Call(t.Context(), "session.destroy", map[string]any{"sessionId": s.ID()}, nil); err != nil {
		t.Fatal(err)
	}
	s.until("session.shutdown")
	s.leave() // waits until its events have ended
	g.leaving.Wait()
	if err := s.Send(t.Context(), wire.Send{Prompt: "again"}); err == nil || !strings.Contains(g.words(err), "the session was closed; /resume continues it") {
		t.Errorf("a message is refused with %v", err)
	}
	e, err := g.run(t.Context(), "resume", "")
	if err != nil || e.Session == nil || e.Session.ID() != s.ID() {
		t.Fatalf("/resume: %+v, %v", e, err)
	}
	t.Cleanup(func() { _ = e.Session.Leave(t.Context()) })
}
