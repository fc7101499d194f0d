package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
)

// patience is how long something that must happen is waited for.
const patience = 30 * time.Second

// soon is a context that ends long after the test should have.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// installed is the folder of GitHub's SDK, below the folder that the environment
// names. Without it there is nothing to test against.
func installed(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("SIDESTICK_PEERS")
	if folder == "" {
		t.Skip("SIDESTICK_PEERS is not set: a folder with the agents' SDK, by npm i @copilot-extensions/preview-sdk@5.0.1 octokit@4")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node is not on the PATH; the peers are programs for it")
	}
	sdk := filepath.Join(folder, "node_modules", "@copilot-extensions", "preview-sdk")
	if _, err := os.Stat(sdk); err != nil {
		t.Fatalf("SIDESTICK_PEERS: %v (npm i @copilot-extensions/preview-sdk@5.0.1 octokit@4, there)", err)
	}
	return sdk
}

var listening = regexp.MustCompile(`^listening on port (\d+)$`)

// agent starts one of the SDK's example agents and returns its URL. It dies with the
// test.
func agent(t *testing.T, example string, standIn *standIn) string {
	t.Helper()
	sdk := installed(t)
	shim, err := filepath.Abs("testdata/shim.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--import", shim, filepath.Join(sdk, "examples", example, "index.js"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "STAND_IN=" + standIn.url}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	complaints := &bytes.Buffer{}
	cmd.Stderr = complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			read := make(chan struct{})
			go func() { _, _ = io.Copy(io.Discard, out); close(read) }()
			t.Cleanup(func() { _ = cmd.Process.Kill(); <-read; _ = cmd.Wait() }) // killed, so there is an error
			return "http://127.0.0.1:" + m[1]
		}
	}
	_ = cmd.Wait() // its output is what tells why
	t.Fatalf("%s does not listen: %s", example, complaints)
	return ""
}

// standIn is what the agents take for GitHub: keys, the person, and a model.
type standIn struct {
	url    string
	signer *extension.Signer

	mu        sync.Mutex // guards the rest
	unchanged int        // answers 304 to a question for the keys
	asked     []string   // bodies of questions to the model
	tokens    []string   // what it was shown for a token
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	signer, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	s := &standIn{signer: signer}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /meta/public_keys/copilot_api", s.keys)
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"login":"ann"}`)
	})
	mux.HandleFunc("POST /chat/completions", s.model)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *standIn) keys(w http.ResponseWriter, r *http.Request) {
	watch := &statusWatch{ResponseWriter: w}
	s.signer.ServeHTTP(watch, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if watch.status == http.StatusNotModified {
		s.unchanged++
	}
}

type statusWatch struct {
	http.ResponseWriter
	status int
}

func (w *statusWatch) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (s *standIn) model(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked, s.tokens = append(s.asked, string(body)), append(s.tokens, r.Header.Get("Authorization"))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range []string{"Arr, ", "@ann", "!"} {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
	}
	_, _ = io.WriteString(w, "data: {\"id\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// answer is what an agent's events come to.
type answer struct {
	text          string
	references    []extension.Reference
	confirmations []extension.Confirmation
	faults        []extension.Fault
	warnings      []string
}

func collect(events func(func(extension.Event, error) bool)) (a answer, failure error) {
	for e, err := range events {
		if err != nil {
			return a, err
		}
		switch e.Kind {
		case extension.EventText:
			a.text += e.Text
		case extension.EventReferences:
			a.references = append(a.references, e.References...)
		case extension.EventConfirmation:
			a.confirmations = append(a.confirmations, *e.Confirmation)
		case extension.EventFaults:
			a.faults = append(a.faults, e.Faults...)
		case extension.EventWarning:
			a.warnings = append(a.warnings, e.Warning)
		}
	}
	return a, nil
}

// call is a call of a function of the SDK: its name and arguments.
type call []any

type returned struct {
	Value json.RawMessage
	Error string
}

// into decodes what a call returned.
func (r returned) into(t *testing.T, v any) {
	t.Helper()
	if r.Error != "" {
		t.Fatalf("the SDK: %s", r.Error)
	}
	if err := json.Unmarshal(r.Value, v); err != nil {
		t.Fatalf("the SDK returned %s: %v", r.Value, err)
	}
}

// ask calls functions of the SDK, in that order.
func ask(t *testing.T, standIn *standIn, calls ...call) []returned {
	t.Helper()
	sdk := installed(t)
	job, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	var answers []returned
	node(t, "ask.mjs", job, &answers, "STAND_IN="+standIn.url, "SDK="+filepath.Join(sdk, "index.js"))
	if len(answers) != len(calls) {
		t.Fatalf("%d calls have %d answers", len(calls), len(answers))
	}
	return answers
}

// goldenVector is a request that GitHub signed, out of the SDK's tests.
func goldenVector(t *testing.T) (vector map[string]string) {
	t.Helper()
	node(t, "golden.mjs", nil, &vector, "VECTORS="+filepath.Join(installed(t), "test", "verification.test.js"))
	return vector
}

// node runs a script of ours and decodes what it prints.
func node(t *testing.T, script string, stdin []byte, to any, env ...string) {
	t.Helper()
	shim, err := filepath.Abs("testdata/shim.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(soon(t), "node", "--import", shim, "testdata/"+script)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir())
	cmd.Stdin = bytes.NewReader(stdin)
	complaints := &strings.Builder{}
	cmd.Stderr = complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, complaints)
	}
	if err := json.Unmarshal(out, to); err != nil {
		t.Fatalf("node %s printed %s: %v", script, out, err)
	}
}
