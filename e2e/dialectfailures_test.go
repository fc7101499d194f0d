package e2e_test

import (
	"fmt"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest/strict"
)

// failing is a row about a failure that ends the run: the page has the type of the error. The
// session goes on afterwards.
func failing(title string, f strict.Failure, want string) dialectRow {
	return dialectRow{title, func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Reply{Fail: f}, strict.Say("Hello."))
		a.talk.t = t
		a.send("Hello")
		e := await[*copilot.SessionErrorData](t, a.ear, 1)
		if e.ErrorType != want {
			t.Errorf("the type is %q, want %q: %s", e.ErrorType, want, e.Message)
		}
		await[*copilot.SessionIdleData](t, a.ear, 1)
		a.answers("Again", "Hello.")
		return "`" + e.ErrorType + "`"
	}}
}

// passing is a row about a failure after which the call is tried again.
func passing(title string, r strict.Reply) dialectRow {
	return dialectRow{title, func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, r, strict.Say("Hello."))
		a.answers("Hello", "Hello.")
		return "tried again"
	}}
}

var failureRows = []dialectRow{
	failing("Wrong key", strict.WrongKey, "authentication"),
	failing("Model not allowed", strict.NoAccess, "authorization"),
	failing("No credit", strict.NoCredit, "quota"),
	failing("Prompt against the policy", strict.Flagged, "query"),
	failing("No such model", strict.NoSuchModel, "query"),
	passing("Too many requests", strict.Reply{Fail: strict.TooFast}),
	passing("Vendor overloaded", strict.Reply{Fail: strict.Overloaded}),
	passing("Error of the vendor", strict.Reply{Fail: strict.Broken}),
	passing("Error within the stream, before text", strict.Reply{Fail: strict.BreaksDuring}),
	passing("Stream cut before text", strict.Reply{CutAfter: 1}),
	{"Stream cut after text", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Reply{CutAfter: 8, Parts: strict.Say("This is a long answer, which will be cut before its end is reached.").Parts}, strict.Say("Hello."))
		a.talk.t = t
		a.send("Hello")
		e := await[*copilot.SessionErrorData](t, a.ear, 1)
		if e.ErrorType != "network" {
			t.Errorf("the type is %q: %s", e.ErrorType, e.Message)
		}
		await[*copilot.SessionIdleData](t, a.ear, 1)
		a.answers("Again", "Hello.")
		return "`" + e.ErrorType + "`"
	}},
	{"Abort of an answer", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Reply{StallAfter: 8, Parts: strict.Say("This is a long answer, which will not come to its end.").Parts}, strict.Say("Hello."))
		a.talk.t = t
		a.send("Hello")
		await[*copilot.AssistantMessageDeltaData](t, a.ear, 1)
		aborted(t, a)
		return yes
	}},
	{"Abort of a tool call", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, thinking("Slowly.", strict.Use(weather("Rome"), strict.Call{Name: "slow", Arguments: "{}"}, weather("Oslo"))), strict.Say("Hello."))
		a.calls.wait = make(chan struct{})
		a.talk.t = t
		a.send("Hello")
		select {
		case <-a.calls.wait:
		case <-soon(t).Done():
			t.Fatal("the tool was not called")
		}
		aborted(t, a)
		return yes
	}},
	{"Restart of the process", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, thinking("Rome.", strict.Use(weather("Rome"), weather("Oslo"))), thinking("Sunny.", strict.Say("Sunny.")),
			thinking("Again.", strict.Use(weather("Rome"))), strict.Say("Still sunny."))
		a.answers("How is the weather?", "Sunny.")
		a.again(s.model)
		a.answers("And now?", "Still sunny.")
		return yes
	}},
	{"Going on in another dialect, and coming back", func(t *testing.T, s *dialectStage) string {
		for _, other := range columns {
			if other.title == s.title {
				continue
			}
			t.Run(other.title, func(t *testing.T) {
				defer s.settle(t)
				a := s.open(t, nil, thinking("Rome.", strict.Use(weather("Rome"), weather("Oslo"))), thinking("Sunny.", strict.Say("Sunny.")))
				a.answers("How is the weather?", "Sunny.")
				s.fakes[other.vendor].Add(thinking("Anew.", strict.Use(weather("Bonn"), weather("Paris"))), thinking("It rains.", strict.Say("It rains.")))
				a.again(other.model)
				a.answers("And elsewhere?", "It rains.")
				s.own().Add(thinking("Back.", strict.Use(weather("Oslo"))), strict.Say("I am back."))
				a.again(s.model)
				a.answers("Who are you?", "I am back.")
			})
		}
		return fmt.Sprintf("all %d others", len(columns)-1)
	}},
}

// aborted aborts a run and sends another message.
func aborted(t *testing.T, a *dialectScene) {
	t.Helper()
	if err := a.Abort(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](t, a.ear, 1)
	a.answers("Hello?", "Hello.")
}
