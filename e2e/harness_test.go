package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// patience is how long a test waits for an expected event. It only says how a test
// fails.
const patience = 20 * time.Second

// soon is a context that ends when patience does.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// environment is all that a runtime gets to know of this machine: nobody's keys,
// nobody's home.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "COPILOT_HOME=" + home, "SIDESTICK_KEYRING=off"}
}

// script starts a provider that says what it is told to.
func script(t *testing.T, replies ...modeltest.Reply) *modeltest.Server {
	t.Helper()
	m := modeltest.NewServer(replies...)
	t.Cleanup(m.Close)
	return m
}

// at is a scripted provider as a session brings it.
func at(m *modeltest.Server) *copilot.ProviderConfig {
	return &copilot.ProviderConfig{BaseURL: m.URL() + "/v1", ModelID: "test-model"}
}

// say is a model's reply of text, call one that wants a tool.
func say(text string) modeltest.Reply { return modeltest.Reply{Text: text} }

func call(tool, arguments string) modeltest.Reply {
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: tool, Arguments: arguments}}}
}

// started starts a client, and with it its runtime, until the test ends.
func started(t *testing.T, options copilot.ClientOptions) *copilot.Client {
	t.Helper()
	c := copilot.NewClient(&options)
	if err := c.Start(soon(t)); err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(c.ForceStop)
	return c
}

// tempDir is [testing.T.TempDir] for runtimes that are killed: the keepers of their commands end a moment later, and
// may still write.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sidestick-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = os.RemoveAll(dir) {
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			t.Errorf("the runtime's folder is not removed %v after its end: %v", patience, err)
		}
	})
	return dir
}

// spawned is a client that has started its own runtime over stdio.
func spawned(t *testing.T) *copilot.Client {
	t.Helper()
	home := tempDir(t)
	return started(t, copilot.ClientOptions{Connection: copilot.StdioConnection{Path: binary, Env: environment(home)}, WorkingDirectory: home})
}

// process is a runtime that nobody's client has started, so that it can be shared
// and killed.
type process struct {
	home, url string
	cmd       *exec.Cmd
	exited    chan struct{}
}

var port = regexp.MustCompile(`^listening on port (\d+)\n$`)

// serve starts a runtime over TCP, until the test ends. env is added to its own.
func serve(t *testing.T, home string, env ...string) *process {
	t.Helper()
	cmd := exec.Command(binary, "--headless")
	cmd.Env, cmd.Dir, cmd.Stderr = append(environment(home), env...), home, new(bytes.Buffer)
	s := listening(t, cmd)
	s.home = home
	return s
}

// listening starts a runtime that listens on TCP, until the test ends.
func listening(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	s := &process{exited: make(chan struct{}), cmd: cmd}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	go func() {
		defer close(s.exited)
		_ = s.cmd.Wait() // it is killed in the end
	}()
	found := port.FindStringSubmatch(line)
	if found == nil {
		s.kill()
		t.Fatalf("the runtime said %q, %v; stderr:\n%v", line, err, cmd.Stderr)
	}
	s.url = "127.0.0.1:" + found[1]
	return s
}

// kill ends the runtime as kill -9 does, and waits until it is gone.
func (s *process) kill() {
	_ = s.cmd.Process.Kill() // fails if it is gone
	<-s.exited
}

// client connects a client, until the test ends.
func (s *process) client(t *testing.T) *copilot.Client {
	t.Helper()
	return started(t, copilot.ClientOptions{Connection: copilot.URIConnection{URL: s.url}})
}

// ear hears a session's events and keeps them.
type ear struct {
	mu    sync.Mutex // guards heard
	heard []copilot.SessionEvent
	news  chan struct{} // holds one: heard has grown
}

func newEar() *ear { return &ear{news: make(chan struct{}, 1)} }

func (e *ear) hear(event copilot.SessionEvent) {
	e.mu.Lock()
	e.heard = append(e.heard, event)
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// events returns what was heard so far.
func (e *ear) events() []copilot.SessionEvent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[:len(e.heard):len(e.heard)]
}

// all returns the data of the events of one type.
func all[D copilot.SessionEventData](events []copilot.SessionEvent) (out []D) {
	for _, event := range events {
		if d, ok := event.Data.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// await returns the data of the nth event of a type, n from 1, when it comes.
func await[D copilot.SessionEventData](t *testing.T, e *ear, n int) D {
	t.Helper()
	limit := time.After(patience)
	for {
		events := e.events()
		if found := all[D](events); len(found) >= n {
			return found[n-1]
		}
		select {
		case <-e.news:
		case <-limit:
			var none D
			t.Fatalf("number %d of %T did not come; heard:\n%s", n, none, types(events))
		}
	}
}

// types lists the types of events, one a line.
func types(events []copilot.SessionEvent) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(string(e.Type()) + "\n")
	}
	return b.String()
}

// talk is a session and an ear in it.
type talk struct {
	*copilot.Session
	*ear
	t *testing.T
}

// create starts a session in which the test hears everything.
func create(t *testing.T, c *copilot.Client, config copilot.SessionConfig) *talk {
	t.Helper()
	e := newEar()
	config.OnEvent = e.hear
	s, err := c.CreateSession(soon(t), &config)
	if err != nil {
		t.Fatalf("CreateSession: %v", err)
	}
	return &talk{s, e, t}
}

// resume goes on with a session.
func resume(t *testing.T, c *copilot.Client, id string, config copilot.ResumeSessionConfig) *talk {
	t.Helper()
	e := newEar()
	config.OnEvent = e.hear
	s, err := c.ResumeSession(soon(t), id, &config)
	if err != nil {
		t.Fatalf("ResumeSession: %v", err)
	}
	return &talk{s, e, t}
}

// ask sends a prompt and returns the answer.
func (s *talk) ask(prompt string) string {
	s.t.Helper()
	answer, err := s.SendPromptAndWait(soon(s.t), prompt)
	if err != nil {
		s.t.Fatalf("SendAndWait(%q): %v", prompt, err)
	}
	if answer == nil {
		return ""
	}
	return answer.Data.(*copilot.AssistantMessageData).Content
}

// send sends a prompt and does not wait for the answer.
func (s *talk) send(prompt string) {
	s.t.Helper()
	if _, err := s.SendPrompt(soon(s.t), prompt); err != nil {
		s.t.Fatalf("Send(%q): %v", prompt, err)
	}
}

// history is the session's persisted events as the runtime tells them.
func (s *talk) history() []copilot.SessionEvent {
	s.t.Helper()
	events, err := s.GetEvents(soon(s.t))
	if err != nil {
		s.t.Fatalf("GetEvents: %v", err)
	}
	return events
}

// persisted is what of events is in the log, each as JSON.
func persisted(t *testing.T, events []copilot.SessionEvent) (out []string) {
	t.Helper()
	for _, e := range events {
		if e.Ephemeral != nil && *e.Ephemeral {
			continue
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%s: %v", e.Type(), err)
		}
		out = append(out, string(b))
	}
	return out
}

// conversation is the messages of a model's request, one a line, without the
// system message and the time.
func conversation(r *modeltest.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role == "system" {
			continue
		}
		text := m.Content
		if _, after, ok := strings.Cut(text, "</current_datetime>\n\n"); ok {
			text = after
		}
		b.WriteString(m.Role + ": " + text)
		for _, c := range m.ToolCalls {
			b.WriteString("[" + c.Name + " " + c.Arguments + "]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// lastRequest is what the model was asked last.
func lastRequest(t *testing.T, m *modeltest.Server) *modeltest.Request {
	t.Helper()
	requests := m.Requests()
	if len(requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return &requests[len(requests)-1]
}
