package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// nothingIsLost fails if an event that a client received before a crash, or read back, is
// not in the history after it, in its place.
func nothingIsLost(t *testing.T, before *talk, read, after []copilot.SessionEvent) {
	t.Helper()
	kept := persisted(t, after)
	for what, known := range map[string][]string{"told": persisted(t, before.events()), "read": persisted(t, read)} {
		if len(known) > len(kept) || !slices.Equal(known, kept[:len(known)]) {
			t.Errorf("what was %s before the crash and what is there after it (-before +after):\n%s",
				what, cmp.Diff(known, kept[:min(len(known), len(kept))]))
		}
	}
}

func TestARuntimeKilledInTheMiddleOfAnAnswerLosesNothingElse(t *testing.T) {
	model := script(t, say("Noted."), modeltest.Reply{Text: "The story of a wire", Piece: 4, StallAfter: 3}, say("Where were we?"))
	home := t.TempDir()
	runtime := serve(t, home)
	s := create(t, runtime.client(t), copilot.SessionConfig{SessionID: "s1", Provider: at(model), Streaming: copilot.Bool(true)})
	s.ask("I am Ann.")
	s.send("Tell me a story.")
	await[*copilot.AssistantMessageDeltaData](t, s.ear, 2) // the first may be of the answer before
	read := s.history()
	runtime.kill()

	again := resume(t, serve(t, home).client(t), "s1", copilot.ResumeSessionConfig{Provider: at(model)})
	nothingIsLost(t, s, read, again.history())
	if got := again.ask("Go on."); got != "Where were we?" {
		t.Errorf("the answer is %q", got)
	}
	want := "user: I am Ann.\nassistant: Noted.\nuser: Tell me a story.\nuser: Go on.\n"
	if diff := cmp.Diff(want, conversation(lastRequest(t, model))); diff != "" {
		t.Errorf("the model read (-want +got):\n%s", diff)
	}
}

// looking is a tool that has begun when began is closed and never ends by itself.
func looking(t *testing.T) (tool copilot.Tool, began <-chan struct{}) {
	start, end := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(end) })
	tool = copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) {
		close(start)
		<-end
		return "too late", nil
	})
	tool.SkipPermission = true
	return tool, start
}

func begun(t *testing.T, began <-chan struct{}) {
	t.Helper()
	select {
	case <-began:
	case <-time.After(patience):
		t.Fatal("the tool was not called")
	}
}

func TestARuntimeKilledDuringAToolCallSaysThatItWasInterrupted(t *testing.T) {
	model := script(t, call("look", `{}`), say("I could not see."))
	home := t.TempDir()
	runtime := serve(t, home)
	look, began := looking(t)
	s := create(t, runtime.client(t), copilot.SessionConfig{SessionID: "s1", Provider: at(model), Tools: []copilot.Tool{look}})
	s.send("Look.")
	begun(t, began)
	read := s.history()
	runtime.kill()

	again := resume(t, serve(t, home).client(t), "s1", copilot.ResumeSessionConfig{Provider: at(model), Tools: []copilot.Tool{look}})
	after := again.history()
	nothingIsLost(t, s, read, after)
	ends := all[*copilot.ToolExecutionCompleteData](after)
	if len(ends) != 1 || ends[0].Success || ends[0].Error == nil || ends[0].Error.Code == nil || *ends[0].Error.Code != "interrupted" {
		t.Errorf("the call's ends are %+v, want one, interrupted", ends)
	}
	again.ask("What happened?")
	want := "user: Look.\nassistant: [look {}]\n" +
		"tool: The execution of this tool, or a previous tool was interrupted.\nuser: What happened?\n"
	if diff := cmp.Diff(want, conversation(lastRequest(t, model))); diff != "" {
		t.Errorf("the model read (-want +got):\n%s", diff)
	}
}

func TestAToolCallGoesOnAfterTheRuntimeWasKilled(t *testing.T) {
	model := script(t, call("look", `{}`), say("A tree, then."))
	home := t.TempDir()
	runtime := serve(t, home)
	look, began := looking(t)
	s := create(t, runtime.client(t), copilot.SessionConfig{SessionID: "s1", Provider: at(model), Tools: []copilot.Tool{look}})
	s.send("Look.")
	begun(t, began)
	asked := await[*copilot.ExternalToolRequestedData](t, s.ear, 1)
	read := s.history()
	runtime.kill()

	again := resume(t, serve(t, home).client(t), "s1", copilot.ResumeSessionConfig{
		Provider: at(model), ContinuePendingWork: copilot.Bool(true),
		Tools: []copilot.Tool{{Name: "look", SkipPermission: true}},
	})
	nothingIsLost(t, s, read, again.history())
	if taken := again.answer(asked.RequestID, "a tree"); !taken {
		t.Error("the answer under the old id was not taken")
	}
	await[*copilot.SessionIdleData](t, again.ear, 1)
	if got := await[*copilot.AssistantMessageData](t, again.ear, 1).Content; got != "A tree, then." {
		t.Errorf("the answer is %q", got)
	}
	if got := lastRequest(t, model).Last().Content; got != "a tree" {
		t.Errorf("the model read %q, want the result", got)
	}
}

// answer gives an open tool call its result and reports whether it was wanted.
func (s *talk) answer(requestID, result string) bool {
	s.t.Helper()
	taken, err := s.RPC.Tools.HandlePendingToolCall(soon(s.t), &rpc.HandlePendingToolCallRequest{
		RequestID: requestID, Result: rpc.ExternalToolStringResult(result),
	})
	if err != nil {
		s.t.Fatalf("HandlePendingToolCall: %v", err)
	}
	return taken.Success
}

// modelAt is where the model of a client that dies is.
const modelAt = "SIDESTICK_E2E_MODEL"

// beClient is a client in a process of its own: it starts a session, says so when
// its tool is called, and is killed then.
func beClient(runtimeURL, modelURL string) {
	look := copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) {
		fmt.Println("looking")
		select {}
	})
	look.SkipPermission = true
	c := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.URIConnection{URL: runtimeURL}})
	s, err := c.CreateSession(context.Background(), &copilot.SessionConfig{
		SessionID: "orphan", Tools: []copilot.Tool{look}, Provider: &copilot.ProviderConfig{BaseURL: modelURL, ModelID: "test-model"},
	})
	if err == nil {
		_, err = s.SendPrompt(context.Background(), "Look.")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	select {}
}

// A client's process is killed while its tool runs. Another client brings the tool, also
// while the runtime still holds the connection of the dead one, and the call goes on.
func TestAClientProcessThatDiesLeavesItsWorkToOthers(t *testing.T) {
	model := script(t, call("look", `{}`), call("look", `{}`), say("Two trees."))
	runtime := serve(t, t.TempDir())
	dying := exec.Command(os.Args[0])
	dying.Env = append(os.Environ(), clientOf+"="+runtime.url, modelAt+"="+model.URL()+"/v1")
	stdout, err := dying.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dying.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "looking\n" {
		t.Errorf("the client said %q, %v", line, err)
	}
	c := runtime.client(t)
	resume(t, c, "orphan", copilot.ResumeSessionConfig{Provider: at(model)}) // or the session might leave with its client
	_ = dying.Process.Kill()
	_ = dying.Wait() // it was killed

	look := copilot.DefineTool("look", "Looks.", func(struct{}, copilot.ToolInvocation) (string, error) { return "another tree", nil })
	look.SkipPermission = true
	heir := resume(t, c, "orphan", copilot.ResumeSessionConfig{Provider: at(model), Tools: []copilot.Tool{look}, ContinuePendingWork: copilot.Bool(true)})
	asked := all[*copilot.ExternalToolRequestedData](heir.history())
	if len(asked) != 1 {
		t.Fatalf("asked %+v, want one open call", asked)
	}
	first := "a tree"
	if !heir.answer(asked[0].RequestID, first) {
		first = "another tree" // the dead one's connection was still open: the handler of heir got the call
	}
	await[*copilot.SessionIdleData](t, heir.ear, 1)
	want := "user: Look.\nassistant: [look {}]\ntool: " + first + "\nassistant: [look {}]\ntool: another tree\n"
	if diff := cmp.Diff(want, conversation(lastRequest(t, model))); diff != "" {
		t.Errorf("the model read (-want +got):\n%s", diff)
	}
}

// A client comes back while its old connection is still open: its tool and the open call
// go to the new connection, and the SDK ends the old handler.
func TestTheNewestConnectionTakesOverATool(t *testing.T) {
	model := script(t, call("look", `{}`), say("A tree."))
	runtime := serve(t, t.TempDir())
	ended := make(chan struct{})
	look := func(handler func(copilot.ToolInvocation) (string, error)) []copilot.Tool {
		tool := copilot.DefineTool("look", "Looks.", func(_ struct{}, c copilot.ToolInvocation) (string, error) { return handler(c) })
		tool.SkipPermission = true
		return []copilot.Tool{tool}
	}
	looking := make(chan struct{})
	older := create(t, runtime.client(t), copilot.SessionConfig{SessionID: "s1", Provider: at(model), Tools: look(func(c copilot.ToolInvocation) (string, error) {
		close(looking)
		<-c.TraceContext.Done()
		close(ended)
		return "nothing", nil
	})})
	older.send("Look.")
	<-looking
	newer := resume(t, runtime.client(t), "s1", copilot.ResumeSessionConfig{
		Provider: at(model), Tools: look(func(copilot.ToolInvocation) (string, error) { return "a tree", nil }),
	})
	await[*copilot.SessionIdleData](t, newer.ear, 1)
	<-ended
	want := "user: Look.\nassistant: [look {}]\ntool: a tree\n"
	if diff := cmp.Diff(want, conversation(lastRequest(t, model))); diff != "" {
		t.Errorf("the model read (-want +got):\n%s", diff)
	}
}
