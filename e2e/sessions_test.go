package e2e_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/google/go-cmp/cmp"
)

func TestSessionsAreListedDescribedAndDeleted(t *testing.T) {
	model := script(t, say("One."), say("Two."))
	c := spawned(t)
	first := create(t, c, copilot.SessionConfig{SessionID: "first", Provider: at(model), WorkingDirectory: "/work/one"})
	first.ask("The first question\nand more")
	create(t, c, copilot.SessionConfig{SessionID: "second", Provider: at(model), WorkingDirectory: "/work/two"}).ask("The second question")
	create(t, c, copilot.SessionConfig{SessionID: "silent", Provider: at(model)})

	list, err := c.ListSessions(soon(t), nil)
	if err != nil || ids(list) != "second first" {
		t.Errorf("ListSessions = %s, %v; want those with something in them, newest first", ids(list), err)
	}
	list, err = c.ListSessions(soon(t), &copilot.SessionListFilter{WorkingDirectory: "/work/one"})
	if err != nil || ids(list) != "first" {
		t.Errorf("ListSessions in /work/one = %s, %v", ids(list), err)
	}
	last, err := c.GetLastSessionID(soon(t))
	if err != nil || last == nil || *last != "second" {
		t.Errorf("GetLastSessionID = %v, %v; want second", last, err)
	}
	m, err := c.GetSessionMetadata(soon(t), "first")
	if err != nil || m == nil || m.Summary == nil || *m.Summary != "The first question" || m.ModifiedTime.Before(m.StartTime) {
		t.Errorf("GetSessionMetadata = %+v, %v", m, err)
	}

	if err := c.DeleteSession(soon(t), "first"); err != nil {
		t.Errorf("DeleteSession: %v", err)
	}
	if m, err := c.GetSessionMetadata(soon(t), "first"); m != nil || err != nil {
		t.Errorf("GetSessionMetadata of a deleted session = %+v, %v; want nothing and no error", m, err)
	}
	if _, err := c.ResumeSession(soon(t), "first", nil); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("ResumeSession of a deleted session = %v", err)
	}
	if _, err := first.SendPrompt(soon(t), "still there?"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("Send to a deleted session = %v", err)
	}
	if err := c.DeleteSession(soon(t), "first"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("DeleteSession again = %v", err)
	}
}

func ids(list []copilot.SessionMetadata) string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.SessionID)
	}
	return strings.Join(ids, " ")
}

func TestTheHistoryIsWhatWasTold(t *testing.T) {
	model := script(t, call("look", `{}`), say("A tree."))
	look := copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) { return "tree", nil })
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(model), Streaming: copilot.Bool(true), Tools: []copilot.Tool{look},
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
	s.ask("Look.")
	history := s.history()
	if diff := cmp.Diff(persisted(t, s.events()), persisted(t, history)); diff != "" {
		t.Errorf("told and kept differ (-told +kept):\n%s", diff)
	}
	want := `session.start
user.message
system.message
assistant.turn_start
assistant.message
permission.requested
permission.completed
tool.execution_start
external_tool.requested
tool.execution_complete
assistant.turn_end
assistant.turn_start
assistant.message
assistant.turn_end
`
	if diff := cmp.Diff(want, types(history)); diff != "" {
		t.Errorf("the history (-want +got):\n%s", diff)
	}
}

func TestClientsHearOfSessionsThatComeAndGo(t *testing.T) {
	runtime := serve(t, t.TempDir())
	watching, acting := runtime.client(t), runtime.client(t)
	news := make(chan copilot.SessionLifecycleEvent, 100)
	defer watching.On(func(e copilot.SessionLifecycleEvent) { news <- e })()
	create(t, acting, copilot.SessionConfig{SessionID: "s1"})
	if err := acting.DeleteSession(soon(t), "s1"); err != nil {
		t.Fatal(err)
	}
	limit := time.After(patience)
	for _, want := range []copilot.SessionLifecycleEventType{copilot.SessionLifecycleCreated, copilot.SessionLifecycleDeleted} {
		for e := (copilot.SessionLifecycleEvent{}); e.Type != want || e.SessionID != "s1"; {
			select {
			case e = <-news:
			case <-limit:
				t.Fatalf("no %s came", want)
			}
		}
	}
}

// Two applications on one server are in one session: both hear everything, the
// tools of both are there, and each can leave.
func TestTwoClientsShareASession(t *testing.T) {
	model := script(t, call("left", `{}`), say("From the left."), call("right", `{}`), say("From the right."), call("left", `{}`), say("Alone."))
	runtime := serve(t, t.TempDir(), "COPILOT_CONNECTION_TOKEN=shared")
	join := func() *copilot.Client {
		return started(t, copilot.ClientOptions{Connection: copilot.URIConnection{URL: runtime.url, ConnectionToken: "shared"}})
	}
	var mu sync.Mutex // guards ran
	ran := ""
	side := func(name string) copilot.Tool {
		d := copilot.DefineTool(name, "Goes "+name+".", func(struct{}, copilot.ToolInvocation) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			ran += name + " "
			return name, nil
		})
		d.SkipPermission = true
		return d
	}
	a := create(t, join(), copilot.SessionConfig{SessionID: "shared", Provider: at(model), Tools: []copilot.Tool{side("left")}})
	b := resume(t, join(), "shared", copilot.ResumeSessionConfig{Provider: at(model), Tools: []copilot.Tool{side("right")}})

	if got := b.ask("Go left."); got != "From the left." {
		t.Errorf("b was answered %q", got)
	}
	await[*copilot.SessionIdleData](t, a.ear, 1) // or a would take it for its own
	if got := a.ask("Go right."); got != "From the right." {
		t.Errorf("a was answered %q", got)
	}
	await[*copilot.SessionIdleData](t, a.ear, 2)
	await[*copilot.SessionIdleData](t, b.ear, 2)
	mu.Lock()
	if ran != "left right " {
		t.Errorf("the tools ran: %s; want each once", ran)
	}
	mu.Unlock()
	heardByA, heardByB := persisted(t, a.events()), persisted(t, b.events())
	if diff := cmp.Diff(heardByA[len(heardByA)-len(heardByB):], heardByB); diff != "" {
		t.Errorf("the two heard different things (-a +b):\n%s", diff)
	}

	if err := a.Disconnect(); err != nil {
		t.Errorf("Disconnect: %v", err)
	}
	if got := b.ask("Go left again."); got != "Alone." {
		t.Errorf("b was answered %q", got)
	}
	if read := lastRequest(t, model).Last().Content; !strings.HasPrefix(read, "Tool 'left' does not exist.") {
		t.Errorf("the model read %q, want that the tool has left with its client", read)
	}
}
