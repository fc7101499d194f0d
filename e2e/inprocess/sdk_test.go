//go:build inprocess && copilot_inprocess

package inprocess_test

import (
	"context"
	"os"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A program on the official Go SDK that hosts the runtime in process: a streamed answer, a tool of its own, and a
// resume by a second client after the first one has ended.
func TestTheGoSDKHostsTheRuntime(t *testing.T) {
	t.Setenv("COPILOT_CLI_PATH", binary)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("COPILOT_HOME", os.Getenv("HOME"))
	t.Setenv("SIDESTICK_KEYRING", "off")
	m := modeltest.NewServer(
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "add", Arguments: `{"a":1,"b":2}`}}},
		modeltest.Reply{Text: "It is 3."}, modeltest.Reply{Text: "Still 3."})
	defer m.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	called := 0
	add := copilot.DefineTool("add", "Adds two numbers.", func(p struct {
		A int `json:"a"`
		B int `json:"b"`
	}, _ copilot.ToolInvocation,
	) (int, error) {
		called++
		return p.A + p.B, nil
	})
	provider := &copilot.ProviderConfig{BaseURL: m.URL() + "/v1", ModelID: "test-model"}

	first := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.InProcessConnection{}})
	if err := first.Start(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := first.CreateSession(ctx, &copilot.SessionConfig{
		Provider: provider, Streaming: new(true), Tools: []copilot.Tool{add}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
	if err != nil {
		t.Fatal(err)
	}
	deltas := 0
	s.On(func(e copilot.SessionEvent) {
		if _, ok := e.Data.(*copilot.AssistantMessageDeltaData); ok {
			deltas++
		}
	})
	says(t, ctx, s, "Add 1 and 2.", "It is 3.")
	if called != 1 || deltas == 0 {
		t.Errorf("the tool was called %d times, and %d pieces of the answer came", called, deltas)
	}
	if err := first.Stop(); err != nil {
		t.Error(err)
	}

	second := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.InProcessConnection{}})
	if err := second.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer second.Stop() //nolint:errcheck // the test has what it wants
	again, err := second.ResumeSession(ctx, s.SessionID, &copilot.ResumeSessionConfig{Provider: provider, OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	if err != nil {
		t.Fatal(err)
	}
	says(t, ctx, again, "And now?", "Still 3.")
}

func says(t *testing.T, ctx context.Context, s *copilot.Session, prompt, want string) {
	t.Helper()
	answer, err := s.SendAndWait(ctx, copilot.MessageOptions{Prompt: prompt})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Data.(*copilot.AssistantMessageData).Content; got != want {
		t.Errorf("the answer to %q is %q, want %q", prompt, got, want)
	}
}
