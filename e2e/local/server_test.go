//go:build local

package local

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// patience is how long a test waits for what it expects. It only says how a test fails: on an idle machine, everything
// is there within ten seconds, but the server is the first to wait on one that is busy. The long trial, in which the model reads whole windows, waits longer.
func patience() time.Duration {
	if long() {
		return 30 * time.Minute
	}
	return 3 * time.Minute
}

// long tells whether the trials that take many minutes run, too.
func long() bool { return os.Getenv("SIDESTICK_LOCAL_LONG") != "" }

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	t.Cleanup(cancel)
	return ctx
}

// modelOptions are members of llama.cpp's common_params, and of the sampling in it.
type modelOptions struct {
	Window    int  `json:"n_ctx"`      // in tokens; 0 is 8,192
	Longest   int  `json:"n_predict"`  // in tokens; every answer ends there
	NeverEnds bool `json:"ignore_eos"` // no answer ends before that
	Slots     int  `json:"n_parallel"` // that share the window; model has one
	Metrics   bool `json:"endpoint_metrics"`
	SlotList  bool `json:"endpoint_slots"`
}

// server is llama.cpp's own server with the small model.
type server struct {
	t   *testing.T
	url string // without /v1
}

// model starts a server with one slot, until the test ends.
func model(t *testing.T, o modelOptions) *server {
	t.Helper()
	if o.Window == 0 {
		o.Window = 8192
	}
	o.Slots, o.Metrics, o.SlotList = 1, true, true
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nice", python, filepath.Join("testdata", "server.py"), string(options))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	// It ends with its input, so it also ends if this process is killed.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill() // fails if it is gone
		_ = cmd.Wait()         // it was killed
		t.Logf("the server of the model used the processor for %v", cmd.ProcessState.UserTime().Round(time.Millisecond))
		if t.Failed() {
			all := bytes.ReplaceAll(complaints.Bytes(), []byte{'\r'}, nil)
			t.Logf("the server of the model said:\n%s", all[max(0, len(all)-4000):])
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if !strings.HasPrefix(line, "http://127.0.0.1:") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // so that all it said is there
		t.Fatalf("the server of the model said %q, %v:\n%s", line, err, complaints.String())
	}
	return &server{t, strings.TrimSpace(line)}
}

// get reads a page of the server.
func (m *server) get(path string) []byte {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		m.t.Fatalf("GET %s: %s, %v: %s", path, answer.Status, err, body)
	}
	return body
}

// busy tells whether the slot of the server is taken.
func (m *server) busy() bool {
	m.t.Helper()
	var slots []struct {
		Processing bool `json:"is_processing"`
	}
	if err := json.Unmarshal(m.get("/slots"), &slots); err != nil || len(slots) != 1 {
		m.t.Fatalf("/slots: %v, %v", slots, err)
	}
	return slots[0].Processing
}

// evaluated is how many tokens of prompts the server has computed so far; those that it had kept do not count.
func (m *server) evaluated() (tokens int) {
	m.t.Helper()
	found := regexp.MustCompile(`(?m)^llamacpp:prompt_tokens_total (\S+)$`).FindSubmatch(m.get("/metrics"))
	if found == nil {
		m.t.Fatal("/metrics has no prompt_tokens_total")
	}
	var n float64
	if _, err := fmt.Sscan(string(found[1]), &n); err != nil {
		m.t.Fatal(err)
	}
	return int(n)
}

// provider is the server as a session brings it.
func (m *server) provider() *copilot.ProviderConfig { return at(m.url) }

func at(url string) *copilot.ProviderConfig {
	return &copilot.ProviderConfig{BaseURL: url + "/v1", ModelID: "smollm2"}
}

// environment is all that a runtime gets to know of this machine.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "COPILOT_HOME=" + home, "SIDESTICK_KEYRING=off"}
}

// runtime is a process of the program, with a client.
type runtime struct {
	*copilot.Client
	kill func() // as kill -9 does; returns when it is gone
}

// start starts the program until the test ends. env is added to its own.
func start(t *testing.T, home string, env ...string) *runtime {
	t.Helper()
	cmd := exec.Command(binary, "--headless")
	complaints := new(bytes.Buffer)
	cmd.Env, cmd.Dir, cmd.Stderr = append(environment(home), env...), home, complaints
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // fails if it is gone
		_ = cmd.Wait()         // it was killed
	})
	t.Cleanup(kill)
	var port int
	if _, scan := fmt.Sscanf(line, "listening on port %d\n", &port); scan != nil {
		kill()
		t.Fatalf("the runtime said %q, %v; stderr:\n%v", line, err, complaints)
	}
	c := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.URIConnection{URL: fmt.Sprintf("127.0.0.1:%d", port)}})
	if err := c.Start(soon(t)); err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(c.ForceStop)
	return &runtime{c, kill}
}

// talk is a session whose events the test hears.
type talk struct {
	*copilot.Session
	t     *testing.T
	mu    sync.Mutex // guards heard
	heard []copilot.SessionEvent
	news  chan struct{} // holds one: heard has grown
}

func newTalk(t *testing.T) *talk { return &talk{t: t, news: make(chan struct{}, 1)} }

func (s *talk) hear(event copilot.SessionEvent) {
	s.mu.Lock()
	s.heard = append(s.heard, event)
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

func (s *talk) events() []copilot.SessionEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[:len(s.heard):len(s.heard)]
}

// create starts a session. What config leaves out is for a small model: answers as streams, no tools, a short system
// message.
func create(t *testing.T, c *runtime, config copilot.SessionConfig) *talk {
	t.Helper()
	s := newTalk(t)
	config.OnEvent, config.Streaming, config.OnPermissionRequest = s.hear, copilot.Bool(true), copilot.PermissionHandler.ApproveAll
	if config.AvailableTools == nil {
		config.AvailableTools = []string{}
	}
	if config.SystemMessage == nil {
		config.SystemMessage = &copilot.SystemMessageConfig{Mode: "replace", Content: "You repeat what the user says."}
	}
	var err error
	if s.Session, err = c.CreateSession(soon(t), &config); err != nil {
		t.Fatalf("CreateSession: %v", err)
	}
	return s
}

// all returns the data of the events of one type so far.
func all[D copilot.SessionEventData](s *talk) (out []D) {
	for _, event := range s.events() {
		if d, ok := event.Data.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// await returns the data of the nth event of a type, n from 1, when it comes.
func await[D copilot.SessionEventData](s *talk, n int) D {
	s.t.Helper()
	limit := time.After(patience())
	for {
		if found := all[D](s); len(found) >= n {
			return found[n-1]
		}
		select {
		case <-s.news:
		case <-limit:
			var none D
			s.t.Fatalf("number %d of %T did not come; heard:\n%s", n, none, s.told())
		}
	}
}

// send sends a prompt and does not wait for the answer.
func (s *talk) send(prompt string) {
	s.t.Helper()
	if _, err := s.SendPrompt(soon(s.t), prompt); err != nil {
		s.t.Fatalf("Send(%.100q): %v", prompt, err)
	}
}

// ask sends a prompt, waits until the session is idle, and returns the last answer.
func (s *talk) ask(prompt string) string {
	s.t.Helper()
	idle := len(all[*copilot.SessionIdleData](s))
	s.send(prompt)
	await[*copilot.SessionIdleData](s, idle+1)
	answers := all[*copilot.AssistantMessageData](s)
	if len(answers) == 0 {
		return ""
	}
	return answers[len(answers)-1].Content
}

// told is what the session has said, one event a line, without the pieces of answers.
func (s *talk) told() string {
	var b strings.Builder
	for _, e := range s.events() {
		switch e.Data.(type) {
		case *copilot.AssistantMessageDeltaData, *copilot.AssistantStreamingDeltaData:
			continue
		}
		text, err := json.Marshal(e.Data)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s %.300s\n", e.Type(), text)
	}
	return b.String()
}

// count is the number behind a pointer that may be nil.
func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
