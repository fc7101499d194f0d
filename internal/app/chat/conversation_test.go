package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/testing/entrytest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// silent is a terminal at which the user types nothing.
type silent struct {
	bytes.Buffer
	asked func() // called at every question; may be nil
}

func (*silent) Size() (columns, rows int) { return 80, 24 }
func (*silent) Discard()                  {}

func (s *silent) ReadLine(ctx context.Context, prompt string, _ func(string) string) (string, error) {
	s.WriteString(prompt)
	if s.asked != nil {
		s.asked()
	}
	<-ctx.Done()
	return "", ctx.Err()
}

// newTalk is a talk with a scripted model, in a session of its own.
func newTalk(t *testing.T, replies ...modeltest.Reply) *conversation {
	t.Helper()
	r := entrytest.Runtime(t, wiring.Adjust{Rules: wiring.AllowReading}, replies...)
	talk := &conversation{Runtime: r, show: &show.JSON{Out: io.Discard}}
	c, _, err := r.Open(t.Context(), &entry.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	talk.begin(c)
	t.Cleanup(func() {
		talk.end()
		talk.Peer.Leave()
	})
	return talk
}

// The first Ctrl-C aborts; the second exits, even if the abort is not complete.
func TestSecondInterruptLeaves(t *testing.T) {
	talk := newTalk(t)
	keys := make(chan os.Signal, 2)
	keys <- os.Interrupt
	keys <- os.Interrupt
	talk.interrupts = keys
	if err := talk.toItsEnd(t.Context()); !errors.Is(err, entry.ErrLeft) || cli.ExitCode(err) != cli.ExitAborted { // nothing runs, so nothing ends
		t.Errorf("the run ends with %v, exit code %d", err, cli.ExitCode(err))
	}
}

// Late events of an earlier run do not end the next one.
func TestIdleOfAnEarlierRun(t *testing.T) {
	talk := newTalk(t, modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two"})
	if _, err := talk.client.Session().Send(t.Context(), wire.Send{Prompt: "first"}); err != nil {
		t.Fatal(err)
	}
	for h := range talk.records { // it has ended, and nobody has followed it so far as that
		if strings.Contains(string(h.Line), `"assistant.turn_end"`) {
			break
		}
	}
	if err := talk.say(t.Context(), wire.Send{Prompt: "second"}); err != nil {
		t.Fatal(err)
	}
	if talk.Turns < 1 || !talk.Begun() || !talk.Idle {
		t.Errorf("the run that was followed: %+v", talk.Outcome)
	}
}

// A question that nobody answers ends when the session takes it back.
func TestQuestionIsWithdrawn(t *testing.T) {
	talk := newTalk(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := &silent{asked: cancel}
	talk.ask = &ask.Asker{Screen: s}
	done := make(chan error, 1)
	go func() {
		done <- talk.Peer.Call(ctx, "userInput.request", map[string]any{"question": "Why?"}, nil)
	}()
	c := <-talk.Peer.Calls()
	talk.serve(t.Context(), c)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
	if !strings.Contains(s.String(), "no longer needs an answer") {
		t.Errorf("the person is not told:\n%s", s)
	}
}

// A run that ends takes its open questions along.
func TestQuestionEndsWithItsRun(t *testing.T) {
	talk := &conversation{ask: &ask.Asker{Screen: &silent{}}, show: &show.JSON{Out: io.Discard}}
	records := make(chan received, 1)
	records <- received{Event: follow.Event{Event: wire.Event{Header: wire.Header{Type: "session.idle"}}}}
	talk.records = records
	failed := replyTo(t, talk)
	if !errors.Is(failed, context.Canceled) || len(talk.held) != 1 {
		t.Errorf("the reply is %v; held back are %d events, want the one", failed, len(talk.held))
	}
}

// replyTo is the error that a question of the session gets.
func replyTo(t *testing.T, talk *conversation) (failed error) {
	t.Helper()
	talk.serve(t.Context(), &entry.Call{
		Ctx: t.Context(), Method: "userInput.request", Params: json.RawMessage(`{"question":"Why?"}`),
		Reply: func(_ any, err error) { failed = err },
	})
	return failed
}

// A terminal refuses at once a call that it cannot answer, and every call if there is no
// user.
func TestPeerRefuses(t *testing.T) {
	talk := newTalk(t)
	for _, tc := range []struct {
		method string
		want   fault.Kind
	}{{"hooks.invoke", fault.Invalid}, {"userInput.request", fault.Unavailable}} {
		done := make(chan error, 1)
		go func() { done <- talk.Peer.Call(t.Context(), tc.method, map[string]any{}, nil) }()
		talk.serve(t.Context(), <-talk.Peer.Calls())
		if err := <-done; fault.KindOf(err) != tc.want {
			t.Errorf("%s: %v, want kind %v", tc.method, err, tc.want)
		}
	}
	gone := entry.NewPeer()
	gone.Leave()
	if err := gone.Call(t.Context(), "userInput.request", nil, nil); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("after the person has left: %v", err)
	}
}

// A session that somebody closes ends what is said in it.
func TestSessionIsClosed(t *testing.T) {
	talk := newTalk(t, modeltest.Reply{Silent: true})
	if _, err := talk.client.Session().Send(t.Context(), wire.Send{Prompt: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := talk.client.Session().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	talk.Begin("never recorded")
	if err := talk.toItsEnd(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("the run ends with %v", err)
	}
}

// brokenPrinter prints to a stdout that is closed.
type brokenPrinter struct{ show.JSON }

func (*brokenPrinter) Finish() error { return syscall.EPIPE }

// A question that cannot be shown is a failure, and no empty answer.
func TestQuestionCannotBeShown(t *testing.T) {
	talk := &conversation{ask: &ask.Asker{Screen: &silent{}}, show: &brokenPrinter{}}
	if err := replyTo(t, talk); fault.KindOf(err) != fault.Unavailable || !errors.Is(err, syscall.EPIPE) || !strings.Contains(err.Error(), "the question could not be shown") {
		t.Errorf("the reply is %v", err)
	}
}

// Neither a question nor an event whose text cannot be handled ends the program with a
// panic on a goroutine: the conversation ends with an error.
func TestPanicsOfATalk(t *testing.T) {
	tk := &conversation{records: make(chan received)}
	never := func(follow.Event) bool { return false }
	if err := tk.meanwhile(t.Context(), never, func(context.Context) { panic("boom") }); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("meanwhile = %v", err)
	}
	go tk.read(t.Context(), func(func(follow.Event, error) bool) { panic("boom") })
	var last received
	for h := range tk.records {
		last = h
	}
	if last.err == nil || !strings.Contains(last.err.Error(), "boom") {
		t.Errorf("the last event is %v", last.err)
	}
}

// Where nothing on the screen moves, a line says from time to time that the run is under way.
func TestALineSaysThatTheRunIsUnderWay(t *testing.T) {
	talk := newTalk(t, modeltest.Reply{Silent: true})
	told := make(chan string)
	talk.show, talk.every = &teller{Printer: talk.show, told: told}, time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- talk.say(ctx, wire.Send{Prompt: "hello"}) }()
	if text := <-told; !strings.HasPrefix(text, "still working, ") {
		t.Errorf("it printed %q", text)
	}
	stop()
	for {
		select {
		case <-told:
			continue
		case err := <-done:
			if !errors.Is(err, cli.ErrAborted) {
				t.Errorf("say = %v", err)
			}
		}
		return
	}
}

// teller passes on what is printed as progress.
type teller struct {
	show.Printer
	told chan string
}

func (s *teller) Progress(text string) error { s.told <- text; return nil }

// A run without an answer has no tokens, and that is not the fault of the provider.
func TestNoAnswerHasNoTokens(t *testing.T) {
	for want, s := range map[string]spending{
		"1 turn, no answer of the model":                                  {turns: 1},
		"2 turns; the provider does not count tokens":                     {turns: 2, answers: 1},
		"1 turn, 3 tokens in, 4 out":                                      {turns: 1, answers: 1, in: 3, out: 4, unpriced: 1},
		"1 turn, 3 tokens in, 4 out, $0.5000":                             {turns: 1, answers: 1, in: 3, out: 4, cost: 0.5},
		"2 turns, 3 tokens in, 4 out, $0.5000 and calls of unknown price": {turns: 2, answers: 2, in: 3, out: 4, cost: 0.5, unpriced: 1},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
