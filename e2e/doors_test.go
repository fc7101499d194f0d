package e2e_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// said is what a process prints while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits for a match in what was printed.
func (s *said) await(t *testing.T, want *regexp.Regexp) []string {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) { // no bubble: a real process
		if m := want.FindStringSubmatch(s.String()); m != nil {
			return m
		}
	}
	t.Fatalf("no %v; it printed %q", want, s)
	return nil
}

// One process serves programs on an SDK and chats: one token, one folder of sessions, one end. What SDKs read is one
// line, and the sessions of each door may do what they may in a process of its own.
func TestOneProcessServesProgramsAndChats(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "notes.md"), []byte("The word is heron.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := script(t, call("view", `{"path":"notes.md"}`), say("Heron."), call("view", `{"path":"notes.md"}`), say("It is heron."))
	cmd := exec.Command(binary, "serve", "--port", "0", "--extension-port", "0")
	stdout, stderr := new(said), new(said)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, stdout, stderr
	cmd.Env = append(environment(home), "OPENAI_BASE_URL="+model.URL()+"/v1", "OPENAI_API_KEY=k", "SIDESTICK_MODEL=test-model", "COPILOT_CONNECTION_TOKEN=secret")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	port := stdout.await(t, port)[1]
	chats := stderr.await(t, regexp.MustCompile(`(?m)^sidestick: listening on (http://127\.0\.0\.1:\d+/)$`))[1]

	c := started(t, copilot.ClientOptions{Connection: copilot.URIConnection{URL: "127.0.0.1:" + port, ConnectionToken: "secret"}})
	var asked atomic.Int32
	s := create(t, c, copilot.SessionConfig{SessionID: "s1", Provider: at(model), WorkingDirectory: home, OnPermissionRequest: func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
		asked.Add(1)
		return &rpc.PermissionDecisionApproveOnce{}, nil
	}})
	if got := s.ask("What is the word?"); got != "Heron." || asked.Load() != 1 {
		t.Errorf("the program hears %q and was asked %d times", got, asked.Load())
	}
	for token, want := range map[string]string{"wrong": `"authentication_error"`, "secret": `"content":"It is heron."`} {
		if got := overHTTP(t, chats, token, "What is the word?"); !strings.Contains(got, want) {
			t.Errorf("with the token %q the chat gets %s", token, got)
		}
	}
	list, err := c.ListSessions(soon(t), nil)
	if err != nil || len(list) != 2 {
		t.Errorf("the program lists %d sessions, %v; want its own and the chat's", len(list), err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-exited:
		if err != nil {
			t.Errorf("it ended with %v; stderr:\n%s", err, stderr)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if got := stdout.String(); got != "listening on port "+port+"\n" {
		t.Errorf("it printed %q", got)
	}
}

// overHTTP sends one message to the door for chats, as an OpenAI client, and returns the answer.
func overHTTP(t *testing.T, url, token, text string) string {
	t.Helper()
	body := `{"model":"sidestick","messages":[{"role":"user","content":"` + text + `"}]}`
	req, err := http.NewRequestWithContext(soon(t), http.MethodPost, url+"v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}
