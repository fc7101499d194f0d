package e2e_test

import (
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
)

// Two runtimes on one home may have the same session open. One at a time works in
// it, the other is told who that is, and takes over when that process is gone.
func TestTwoRuntimesTakeTurnsAtASession(t *testing.T) {
	model := script(t, say("One."), say("Two."), call("look", `{}`), say("Taken over."))
	home := t.TempDir()
	first, second := serve(t, home), serve(t, home)
	a, b := first.client(t), second.client(t)
	look, began := looking(t)
	s := create(t, a, copilot.SessionConfig{
		SessionID: "s1", Provider: at(model), Tools: []copilot.Tool{look}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
	s.ask("first")

	config := copilot.ResumeSessionConfig{Provider: at(model)}
	other := resume(t, b, "s1", config)
	if r := await[*copilot.SessionResumeData](t, other.ear, 1); r.AlreadyInUse == nil || !*r.AlreadyInUse {
		t.Error("the second runtime was not told that the session is in use")
	}
	if got := other.ask("second"); got != "Two." {
		t.Errorf("the second runtime answered %q", got)
	}

	s.send("third")
	begun(t, began)
	if got := len(all[*copilot.UserMessageData](s.events())); got != 3 {
		t.Errorf("the client of the first runtime heard of %d messages, want 3", got)
	}
	_, err := other.SendPrompt(soon(t), "now?")
	if err == nil || !strings.Contains(err.Error(), "at work in the session") || !strings.Contains(err.Error(), "process ") {
		t.Errorf("Send = %v, want it to say which process is at work", err)
	}

	first.kill()
	if got := other.ask("fourth"); got != "Taken over." {
		t.Errorf("after the first runtime was killed the second answered %q", got)
	}
	if got := conversation(lastRequest(t, model)); !strings.Contains(got, "interrupted") {
		t.Errorf("the model was not told that the call of the dead runtime was interrupted:\n%s", got)
	}
}
