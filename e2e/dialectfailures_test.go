package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
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

// incomplete is a row about an answer that ends too early: the page has the reason. The session goes
// on afterwards, and the model is told.
func incomplete(title string, end strict.End, told string) dialectRow {
	return dialectRow{title, func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Reply{Parts: strict.Say("Once upon").Parts, End: end}, strict.Say("a time."))
		a.answers("Be long", "Once upon")
		w := await[*copilot.SessionWarningData](t, a.ear, 1)
		if w.WarningType != "incomplete_answer" {
			t.Errorf("the warning is %q: %s", w.WarningType, w.Message)
		}
		a.answers("Go on", "a time.")
		if body := last(t, s.own()); !strings.Contains(body, told) {
			t.Errorf("the model was not told %q: %s", told, shortened(body))
		}
		return "named"
	}}
}

// tooLong is the row about a prompt that the vendor refuses as too long: it is sent again after a summary, or with less
// if there is none, and what is refused at any length ends with an error. Nothing of the session is lost by that.
func tooLong(t *testing.T, s *dialectStage) string {
	const summary = "<overview>It was about greetings.</overview>"
	refused := strict.Reply{Fail: strict.TooLong}
	a := s.open(t, nil, refused)
	a.talk.t = t
	if n := a.refused(t, "Hello", 1); n != 1 { // it has nothing before it that could be left out
		t.Errorf("%d calls for a first prompt, want one", n)
	}
	a.grow(t)
	s.own().Add(refused, strict.Say(summary), strict.Say("After a summary."))
	a.answers("And now?", "After a summary.")
	if body := last(t, s.own()); strings.Contains(body, "Good morning.") || !strings.Contains(body, "It was about greetings.") || !strings.Contains(body, "And now?") {
		t.Errorf("the model has read %s", shortened(body))
	}
	a.grow(t)
	s.own().Add(refused, strict.Reply{Fail: strict.NoSuchModel}, strict.Say("Without one."))
	a.answers("And then?", "Without one.")
	if body := last(t, s.own()); strings.Count(body, "Good morning.") > 1 || !strings.Contains(body, "left out here") || !strings.Contains(body, "And then?") {
		t.Errorf("the model has read %s", shortened(body))
	}
	if w := await[*copilot.SessionWarningData](t, a.ear, 1); w.WarningType != "context_left_out" {
		t.Errorf("the warning is %q: %s", w.WarningType, w.Message)
	}
	for range 10 { // more than there are calls
		s.own().Add(refused)
	}
	if n := a.refused(t, "And at last?", 2); n == 0 || n > 9 {
		t.Errorf("%d calls before the error", n)
	}
	if odd := s.own().Refused(); len(odd) > 0 {
		t.Errorf("the vendor refused %q", odd)
	}
	s.own().Reset(strict.Say("Hello."))
	a.answers("Hello?", "Hello.")
	recorded, err := a.GetEvents(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	var prompts []string
	for _, d := range all[*copilot.UserMessageData](recorded) {
		prompts = append(prompts, d.Content)
	}
	if got := strings.Join(prompts, " "); got != "Hello Again Again And now? Again Again And then? And at last? Hello?" {
		t.Errorf("the log has the prompts %q", got)
	}
	return "sent again with less; else `context_limit`"
}

// refused sends a prompt that ends with the nth error, and returns how many calls were made for it, each of them with less.
func (s *dialectScene) refused(t *testing.T, prompt string, n int) int {
	t.Helper()
	first, idles := len(s.own().Requests()), len(all[*copilot.SessionIdleData](s.ear.events()))
	s.send(prompt)
	if e := await[*copilot.SessionErrorData](t, s.ear, n); e.ErrorType != "context_limit" {
		t.Errorf("the type is %q: %s", e.ErrorType, e.Message)
	}
	await[*copilot.SessionIdleData](t, s.ear, idles+1)
	calls := s.own().Requests()[first:]
	for i := 1; i < len(calls); i++ {
		if calls[i].Body == calls[i-1].Body {
			t.Errorf("call %d of %d repeats the one before it, which was refused", i+1, len(calls))
		}
	}
	return len(calls)
}

// grow makes the conversation longer than the system message and the tools, but not longer than any window.
func (s *dialectScene) grow(t *testing.T) {
	t.Helper()
	var numbers strings.Builder
	for i := range 2500 { // no repetition, which would be cut off
		fmt.Fprint(&numbers, i, " ")
	}
	for range 2 {
		s.own().Add(strict.Say("Good morning. " + numbers.String()))
		s.answers("Again", "Good morning. "+numbers.String())
	}
}

var failureRows = []dialectRow{
	incomplete("Answer cut off at the token limit", strict.Length, "cut off at the limit on its tokens"),
	incomplete(rowFiltered, strict.Filtered, "stopped by a content filter"),
	failing("Wrong key", strict.WrongKey, "authentication"),
	failing("Model not allowed", strict.NoAccess, "authorization"),
	failing(rowCredit, strict.NoCredit, "quota"),
	failing(rowPolicy, strict.Flagged, "content_filter"),
	{"Prompt too long", tooLong},
	failing("No such model", strict.NoSuchModel, "query"),
	passing("Too many requests", strict.Reply{Fail: strict.TooFast}),
	passing("Vendor overloaded", strict.Reply{Fail: strict.Overloaded}),
	passing("Error of the vendor", strict.Reply{Fail: strict.Broken}),
	passing("Error within the stream, before text", strict.Reply{Fail: strict.BreaksDuring}),
	passing("Stream cut before text", strict.Reply{CutAfter: 1}),
	passing("Stream cut after text", strict.Reply{CutAfter: 8, Parts: strict.Say("This is a long answer, which will be cut before its end is reached.").Parts}),
	{"Abort of an answer", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, strict.Reply{StallAfter: 8, Parts: strict.Say("This is a long answer, which will not come to its end.").Parts}, strict.Say("Hello."))
		a.talk.t = t
		a.send("Hello")
		await[*copilot.AssistantMessageDeltaData](t, a.ear, 1)
		aborted(t, a)
		a.answers("Hello?", "Hello.")
		return yes
	}},
	{"Abort of a tool call", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, thinking("Slowly.", strict.Use(weather("Rome"), strict.Call{Name: "slow", Arguments: "{}"}, weather("Oslo"))), strict.Say("Hello."))
		abortTool(t, a)
		a.answers("Hello?", "Hello.")
		return yes
	}},
	{"Abort of a tool call in another dialect, and going on in this one", func(t *testing.T, s *dialectStage) string {
		others := s.others()
		for _, other := range others {
			t.Run(other.title, func(t *testing.T) {
				defer s.settle(t)
				s.fakes[other.vendor].Add(thinking("Slowly.", strict.Use(strict.Call{Name: "slow", Arguments: "{}"}, weather("Oslo"))))
				a := s.open(t, func(c *copilot.SessionConfig) { c.Model, c.ReasoningEffort = other.model, s.effortAt(other) })
				abortTool(t, a)
				s.own().Add(thinking("Anew.", strict.Use(weather("Oslo"))), strict.Say("Hello."))
				if err := a.SetModel(soon(t), s.model, &copilot.SetModelOptions{ReasoningEffort: effortOrNil(s.effort())}); err != nil {
					t.Fatal(err)
				}
				a.answers("Hello?", "Hello.")
			})
		}
		return fmt.Sprintf("from all %d others", len(others))
	}},
	{"Restart of the process", func(t *testing.T, s *dialectStage) string {
		a := s.open(t, nil, thinking("Rome.", strict.Use(weather("Rome"), weather("Oslo"))), thinking("Sunny.", strict.Say("Sunny.")),
			thinking("Again.", strict.Use(weather("Rome"))), strict.Say("Still sunny."))
		a.answers("How is the weather?", "Sunny.")
		a.again(s.column)
		a.answers("And now?", "Still sunny.")
		return yes
	}},
	{"Going on in another dialect, and coming back", func(t *testing.T, s *dialectStage) string {
		others := s.others()
		for _, other := range others {
			t.Run(other.title, func(t *testing.T) {
				defer s.settle(t)
				a := s.open(t, nil, thinking("Rome.", strict.Use(weather("Rome"), weather("Oslo"))), thinking("Sunny.", strict.Say("Sunny.")))
				a.answers("How is the weather?", "Sunny.")
				s.fakes[other.vendor].Add(thinking("Anew.", strict.Use(weather("Bonn"), weather("Paris"))), thinking("It rains.", strict.Say("It rains.")))
				a.again(other)
				a.answers("And elsewhere?", "It rains.")
				s.own().Add(thinking("Back.", strict.Use(weather("Oslo"))), strict.Say("I am back."))
				a.again(s.column)
				a.answers("Who are you?", "I am back.")
			})
		}
		return fmt.Sprintf("to all %d others", len(others))
	}},
}

// aborted aborts a run, and waits for its end.
func aborted(t *testing.T, a *dialectScene) {
	t.Helper()
	if err := a.Abort(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](t, a.ear, 1)
}

// abortTool begins a run and aborts it while the tool "slow" runs.
func abortTool(t *testing.T, a *dialectScene) {
	t.Helper()
	a.calls.wait = make(chan struct{})
	a.talk.t = t
	a.send("Hello")
	select {
	case <-a.calls.wait:
	case <-soon(t).Done():
		t.Fatal("the tool was not called")
	}
	aborted(t, a)
}

func effortOrNil(effort string) *string {
	if effort == "" {
		return nil
	}
	return &effort
}
