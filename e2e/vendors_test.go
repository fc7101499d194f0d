package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A model that is named with its provider is called in the dialect of that provider, with its key,
// and its tools' results go back in that dialect, too.
func TestAModelOfAnotherVendor(t *testing.T) {
	for _, tc := range []struct {
		model, path, key string
		env              func(url string) []string
		answers          []string
		second           string // is in the second request
	}{
		{
			model: "anthropic:claude-opus-5-5", path: "/v1/messages", key: "X-Api-Key",
			env: func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=the-key"} },
			answers: []string{
				`data: {"type":"message_start","message":{"type":"message","id":"m1","usage":{"input_tokens":5}}}` + "\n\n" +
					`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":"SIG"}}` + "\n\n" +
					`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"view","input":{"path":"note.txt"}}}` + "\n\n" +
					`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
				`data: {"type":"message_start","message":{"type":"message","id":"m2"}}` + "\n\n" +
					`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"It says hello."}}` + "\n\n" +
					`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
			},
			second: `{"type":"thinking","thinking":"Hm.","signature":"SIG"},{"type":"tool_use","id":"t1","name":"view","input":{"path":"note.txt"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":`,
		},
		{
			model: "azure:prod", path: "/openai/v1/responses", key: "Authorization",
			env: func(url string) []string {
				return []string{"AZURE_OPENAI_ENDPOINT=" + url, "AZURE_OPENAI_API_KEY=the-key"}
			},
			answers: []string{
				`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","summary":[],"encrypted_content":"ENC"}}` + "\n\n" +
					`data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"t1","name":"view","arguments":"{\"path\":\"note.txt\"}"}}` + "\n\n" +
					`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n",
				`data: {"type":"response.output_text.delta","output_index":0,"delta":"It says hello."}` + "\n\n" +
					`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n",
			},
			second: `{"encrypted_content":"ENC","summary":[],"type":"reasoning"},{"type":"function_call","call_id":"t1","name":"view","arguments":"{\"path\":\"note.txt\"}"},{"type":"function_call_output","call_id":"t1","output":`,
		},
	} {
		t.Run(tc.model, func(t *testing.T) {
			v := &vendor{t: t, path: tc.path, key: tc.key, answers: tc.answers}
			srv := httptest.NewServer(v)
			defer srv.Close()
			dir := t.TempDir()
			if err := os.WriteFile(dir+"/note.txt", []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(binary, "run", "-m", tc.model, "What does the note say?")
			cmd.Dir = dir
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SIDESTICK_HOME=" + t.TempDir()}, tc.env(srv.URL)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "It says hello.") {
				t.Fatalf("%v: %s", err, out)
			}
			if len(v.bodies) != 2 || !strings.Contains(v.bodies[1], tc.second) {
				t.Errorf("the requests are\n%s", strings.Join(v.bodies, "\n\n"))
			}
		})
	}
}

// vendor is a provider that gives its answers one after the other.
type vendor struct {
	t         *testing.T
	path, key string // where requests must go, and the header that must have the key
	answers   []string

	mu     sync.Mutex
	bodies []string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.URL.Path != v.path || !strings.HasSuffix(r.Header.Get(v.key), "the-key") || len(v.bodies) == len(v.answers) {
		v.t.Errorf("request %d went to %s with %v", len(v.bodies)+1, r.URL.Path, r.Header)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	v.bodies = append(v.bodies, string(body))
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, v.answers[len(v.bodies)-1])
}
