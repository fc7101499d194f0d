package extension_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// pageAsked returns the confirmation that an agent asks for. It must be its only event.
func pageAsked(t *testing.T, thread *extension.Thread) *extension.Confirmation {
	t.Helper()
	got := pageSay(t, thread.Say(t.Context(), "turn it off"))
	if len(got) != 1 || got[0].Kind != extension.EventConfirmation {
		t.Fatalf("the answer is %+v, want a confirmation", got)
	}
	return got[0].Confirmation
}

// A confirmation is sent as an event type and a data field, byte for byte as in the example.
func TestGitHubPageConfirmationIsWritten(t *testing.T) {
	got := pageWritten(t, func(w *extension.Writer) error { return w.Confirm(pageQuestion) })
	if want := []string{"event: copilot_confirmation\ndata: " + pageConfirmation}; !slices.Equal(got, want) {
		t.Errorf("sent is %q, want %q", got, want)
	}
}

func TestGitHubPageConfirmationIsRead(t *testing.T) {
	got := pageEvents(t, "event: copilot_confirmation\ndata: "+pageConfirmation+"\n\n")
	if diff := cmp.Diff([]extension.Event{{Kind: extension.EventConfirmation, Confirmation: &pageQuestion}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := pageFound("copilot_confirmation", pageConfirmation); len(found) > 0 {
		t.Errorf("the example breaks a rule: %+v", found)
	}
}

// "action" is the only type.
func TestGitHubPageConfirmationTypeIsAction(t *testing.T) {
	if found := pageFound("copilot_confirmation", strings.Replace(pageConfirmation, `"action"`, `"choice"`, 1)); len(found) == 0 {
		t.Error("the type choice breaks no rule")
	}
}

// Without a title or a message nothing could be shown.
func TestGitHubPageConfirmationNeedsTitleAndMessage(t *testing.T) {
	for _, c := range []extension.Confirmation{{Message: "m"}, {Title: "t"}} {
		var refused error
		pageWritten(t, func(w *extension.Writer) error { refused = w.Confirm(c); return nil })
		if refused == nil {
			t.Errorf("%+v is sent", c)
		}
	}
	for _, field := range []string{`"title":"Turn off feature flag",`, `"type":"action",`} {
		if found := pageFound("copilot_confirmation", strings.Replace(pageConfirmation, field, "", 1)); len(found) == 0 {
			t.Errorf("without %s it breaks no rule", field)
		}
	}
}

// The agent's own data is optional.
func TestGitHubPageConfirmationDataIsOptional(t *testing.T) {
	got := pageEvents(t, `event: copilot_confirmation`+"\n"+`data: {"type":"action","title":"t","message":"m"}`+"\n\n")
	got = slices.DeleteFunc(got, func(e extension.Event) bool { return e.Kind == extension.EventWarning })
	want := []extension.Event{{Kind: extension.EventConfirmation, Confirmation: &extension.Confirmation{Title: "t", Message: "m"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// After the user has accepted or dismissed, the agent receives the state and its own data,
// as in the example.
func TestGitHubPageDecisionIsSent(t *testing.T) {
	for accepted, state := range map[bool]string{true: "accepted", false: "dismissed"} {
		thread, _, bodies := pagePlatform(t, "event: copilot_confirmation\ndata: "+pageConfirmation+"\n\n")
		question := pageAsked(t, thread)
		pageSay(t, thread.Decide(t.Context(), *question, accepted))
		want := `"copilot_confirmations":[{"state":"` + state + `","confirmation":{"id":"id-123","other":"identifier-as-needed"}}]`
		if last := (*bodies)[1]; !strings.Contains(last, want) {
			t.Errorf("sent is %s, want %s in it", last, want)
		}
	}
}

func TestGitHubPageDecisionIsRead(t *testing.T) {
	for state, accepted := range map[string]bool{"accepted": true, "dismissed": false} {
		r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"` + state +
			`","confirmation":{"id":"id-123","other":"identifier-as-needed"}}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		want := &extension.Decision{Accepted: accepted, Data: pageQuestion.Data}
		if diff := cmp.Diff(want, r.Decision()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", state, diff)
		}
	}
}

// These two are the only states.
func TestGitHubPageDecisionHasTwoStates(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"postponed","confirmation":{"id":"1"}}]}]}`))
	if err == nil {
		t.Errorf("postponed is %+v", r.Decision())
	}
}

// The page's text calls the data an array of strings, its example is an object: both are
// returned.
func TestGitHubPageDecisionDataMayBeAnArray(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"role":"user","content":"","copilot_confirmations":[{"state":"accepted","confirmation":["id-123","other"]}]}]}`))
	if err != nil || r.Decision() == nil || string(r.Decision().Data) != `["id-123","other"]` {
		t.Errorf("the decision is %+v, %v", r.Decision(), err)
	}
}

// The agent then completes or cancels the action: the whole round trip.
func TestGitHubPageDecisionIsActedOn(t *testing.T) {
	url := pageAgent(t, func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		d := r.Decision()
		if d == nil {
			return w.Confirm(pageQuestion)
		}
		return w.Text(fmt.Sprintf("accepted is %v: %s", d.Accepted, d.Data))
	}, extension.HandlerOptions{})
	for _, accepted := range []bool{true, false} {
		thread := extension.NewClient(extension.ClientOptions{}).NewThread(url)
		question := pageAsked(t, thread)
		got := pageSay(t, thread.Decide(t.Context(), *question, accepted))
		want := fmt.Sprintf("accepted is %v: %s", accepted, pageQuestion.Data)
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("the answer is %+v, want %q", got, want)
		}
	}
}
