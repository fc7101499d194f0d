package extension_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// scripted is an agent that answers with a list of bodies and records the requests. For an
// empty body it responds with status 500.
type scripted struct {
	answers []string
	asked   []extension.Request
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	request, err := extension.ParseRequest(body)
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	request.Token = r.Header.Get("X-GitHub-Token")
	s.asked = append(s.asked, *request)
	next := s.answers[0]
	if s.answers = s.answers[1:]; next == "" {
		w.WriteHeader(500)
	}
	answer(w, next)
}

func newThread(t *testing.T, answers ...string) (*extension.Thread, *scripted) {
	t.Helper()
	agent := &scripted{answers: answers}
	return extension.NewClient(extension.ClientOptions{}).NewThread(serve(t, agent.ServeHTTP).URL), agent
}

func user(text string, refs ...extension.Reference) extension.Message {
	return extension.Message{Role: "user", Content: text, References: refs}
}

func assistant(text string, refs ...extension.Reference) extension.Message {
	return extension.Message{Role: "assistant", Content: text, References: refs}
}

func TestThreadKeepsWhatWasSaid(t *testing.T) {
	thread, agent := newThread(t, hi+refs+done, hi+hi+done, hi+done)
	thread.Agent, thread.Token = "slug", "tok"
	file := named("f", "", "")
	for _, say := range []string{"one", "two"} {
		if _, err := collect(thread.Say(t.Context(), say, file)); err != nil {
			t.Fatal(err)
		}
		thread.Rest = map[string]raw{"model": raw(`"m"`)}
	}
	ref := named("1", "N", "")
	want := []extension.Message{user("one", file), assistant("hi", ref), user("two", file), assistant("hihi")}
	if d := cmp.Diff(want, thread.Messages); d != "" {
		t.Errorf("the history is\n%s", d)
	}
	if d := cmp.Diff(want[:3], agent.asked[1].Messages); d != "" {
		t.Errorf("the agent saw\n%s", d)
	}
	first, second := agent.asked[0], agent.asked[1]
	if first.ThreadID != second.ThreadID || first.Agent != "slug" || first.Token != "tok" || string(second.Rest["model"]) != `"m"` {
		t.Errorf("the requests are %+v and %+v", first, second)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(thread.ID) {
		t.Errorf("the id is %s", thread.ID)
	}

	// A stored conversation continues.
	stored, err := json.Marshal(thread.Messages)
	if err != nil {
		t.Fatal(err)
	}
	again, agent2 := newThread(t, hi)
	if again.ID == thread.ID {
		t.Error("two threads have one id")
	}
	again.ID = thread.ID
	if err := json.Unmarshal(stored, &again.Messages); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(again.Say(t.Context(), "three")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append(want, user("three")), agent2.asked[0].Messages); d != "" || agent2.asked[0].ThreadID != thread.ID {
		t.Errorf("the agent saw, of %s\n%s", agent2.asked[0].ThreadID, d)
	}
}

func TestThreadTellsTheLogin(t *testing.T) {
	thread, agent := newThread(t, hi)
	thread.Login = "octocat"
	if _, err := collect(thread.Say(t.Context(), "one")); err != nil {
		t.Fatal(err)
	}
	if got := agent.asked[0]; got.Login() != "octocat" || got.Prompt() != "one" || len(got.Messages) != 2 {
		t.Errorf("the agent saw %+v", got.Messages)
	}
	if d := cmp.Diff([]extension.Message{user("one"), assistant("hi")}, thread.Messages); d != "" {
		t.Errorf("the history is\n%s", d)
	}
}

func TestThreadDecides(t *testing.T) {
	other := "event: copilot_confirmation\n" + `data: {"type":"action","title":"T2","message":"M","confirmation":{"n": 1.0}}` + "\n\n"
	thread, agent := newThread(t, hi+ask+other, hi, ask, hi)
	if _, err := collect(thread.Say(t.Context(), "do it")); err != nil || len(thread.Open) != 2 {
		t.Fatalf("open: %v, %v", thread.Open, err)
	}
	first, second := thread.Open[0], thread.Open[1]
	got, err := collect(thread.Decide(t.Context(), second, true))
	if d := cmp.Diff(events{said("hi")}, got); d != "" || err != nil || len(thread.Open) != 1 {
		t.Fatalf("%v, open %v\n%s", err, thread.Open, d)
	}
	decided := extension.Message{Role: "user", Decisions: []extension.Decision{{Accepted: true, Data: raw(`{"n": 1.0}`)}}}
	if d := cmp.Diff([]extension.Message{user("do it"), assistant("hi"), decided}, agent.asked[1].Messages); d != "" {
		t.Errorf("the agent saw\n%s", d)
	}
	if _, err := collect(thread.Decide(t.Context(), second, true)); fault.KindOf(err) != fault.Conflict || len(agent.asked) != 2 {
		t.Errorf("decided twice: %v", err)
	}
	if _, err := collect(thread.Decide(t.Context(), first, false)); err != nil {
		t.Fatal(err)
	}
	// The history has the decisions as texts without their data, so that each answer follows a
	// message of the user, and no answer for a confirmation without text.
	want := []extension.Message{user("do it"), assistant("hi"), user("Accepted: T2"), assistant("hi"), user("Dismissed: T"), assistant("")}
	if d := cmp.Diff(want, thread.Messages); d != "" || agent.asked[2].Messages[4].Decisions[0].Accepted {
		t.Errorf("the history is\n%s", d)
	}
	// A new message makes open confirmations void.
	open := thread.Open
	if _, err := collect(thread.Say(t.Context(), "something else")); err != nil || len(thread.Open) != 0 || len(open) != 1 {
		t.Errorf("open: %v before, %v, %v", open, thread.Open, err)
	}
	if _, err := collect(thread.Decide(t.Context(), open[0], true)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a void confirmation: %v", err)
	}
}

// An exchange that failed, or was abandoned, is not recorded.
func TestThreadForgetsWhatFailed(t *testing.T) {
	thread, agent := newThread(t, ask, "", "<html>", hi+hi, hi+hi, "", ask+hi)
	if _, err := collect(thread.Say(t.Context(), "one")); err != nil {
		t.Fatal(err)
	}
	want, open := slices.Clone(thread.Messages), slices.Clone(thread.Open)
	unchanged := func(what string) {
		t.Helper()
		if d := cmp.Diff(want, thread.Messages) + cmp.Diff(open, thread.Open); d != "" {
			t.Errorf("%s changed the history\n%s", what, d)
		}
	}
	for _, what := range []string{"a status", "a page"} {
		if _, err := collect(thread.Say(t.Context(), "two")); err == nil {
			t.Errorf("%s is no error", what)
		}
		unchanged(what)
	}
	for range thread.Say(t.Context(), "two") {
		break
	}
	unchanged("a break")
	for range thread.Decide(t.Context(), open[0], true) {
		break
	}
	unchanged("a break in a decision")
	if _, err := collect(thread.Decide(t.Context(), open[0], true)); err == nil {
		t.Error("a status is no error")
	}
	unchanged("a decision that failed")
	// At the confirmation all other events have been yielded: it can be decided within the
	// loop.
	for e, err := range thread.Say(t.Context(), "two") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == extension.EventConfirmation {
			agent.answers = []string{hi}
			if _, err := collect(thread.Decide(t.Context(), *e.Confirmation, true)); err != nil {
				t.Error(err)
			}
			break
		}
	}
	if n := len(thread.Messages); n != 6 || len(thread.Open) != 0 {
		t.Errorf("%d messages, open %v", n, thread.Open)
	}
}
