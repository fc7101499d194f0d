package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/keys"
)

// The key of the provider in TestKeysAreNowhere, and those of other providers.
const (
	theKey    = "sk-canary-0123456789abcdef"
	otherKeys = "sk-canary-of-another-0123456789"
)

// traces are how a key can show: as it is, and in base64 in each of the three positions.
func traces(text []byte) bool {
	for _, trace := range []string{"canary", base64.RawStdEncoding.EncodeToString([]byte("canary")), "NhbmFye", "jYW5hcn"} {
		if bytes.Contains(text, []byte(trace)) {
			return true
		}
	}
	return false
}

// keySource is a place that the key of the provider comes from.
type keySource struct {
	env    func(url string) []string
	config func(url string, c *copilot.SessionConfig) // of a program on the SDK
	store  func(n *nowhere)
}

var keySources = map[string]keySource{
	"environment": {env: func(url string) []string {
		return []string{"SIDESTICK_BASE_URL=" + url + "/v1", "SIDESTICK_API_KEY=" + theKey}
	}},
	"file": {store: func(n *nowhere) { n.sidestick(theKey, "keys", "set", n.url+"/v1", "--store", "file") }},
	"command": {store: func(n *nowhere) {
		n.write("key.sh", "env >"+n.path("command.txt")+"; printf 'sk-can%s' ary-0123456789abcdef")
		n.sidestick("", "keys", "set", n.url+"/v1", "--", "sh", n.path("key.sh"))
	}},
	"keyring": {store: func(n *nowhere) {
		ring := newKeyring(n.t)
		n.env = append(n.env, "SIDESTICK_KEYRING=on", "DBUS_SESSION_BUS_ADDRESS="+ring.address())
		n.sidestick(theKey, "keys", "set", n.url+"/v1")
		if got := ring.now(); got[n.url+"/v1"] != theKey || len(got) != 1 {
			n.t.Errorf("the keyring has %v", got)
		}
		n.t.Cleanup(func() {
			n.sidestick("", "keys", "remove", n.url+"/v1")
			if got := ring.now(); len(got) != 0 {
				n.t.Errorf("after the key was removed the keyring has %v", got)
			}
		})
	}},
	"client": {config: func(url string, c *copilot.SessionConfig) {
		c.Model = "" // that of the provider
		c.Provider = &copilot.ProviderConfig{BaseURL: url + "/v1", ModelID: "m", APIKey: theKey}
	}},
}

// nowhere is one run of the program, whose key must be in the headers of its calls and nowhere
// else.
type nowhere struct {
	t         *testing.T
	home, dir string
	url       string
	env       []string
	server    *exec.Cmd

	mu      sync.Mutex // guards the rest
	said    bytes.Buffer
	calls   int
	keyless []string // the credentials of calls without the key
	found   []string // where keys were found
}

// ServeHTTP is a provider that asks for tools, then answers, and then refuses everything. It
// repeats the key wherever it can.
func (n *nowhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look("the body of a request", body.Bytes())
	if got := r.Header.Get("Authorization"); got != "Bearer "+theKey {
		n.keyless = append(n.keyless, r.URL.Path+": "+got)
	}
	w.Header().Set("X-Request-Id", theKey)
	if r.Method == http.MethodGet {
		http.Error(w, `{"error":{"message":"no list for `+theKey+`"}}`, http.StatusInternalServerError)
		return
	}
	n.calls++
	switch n.calls {
	case 1:
		const command = `env; tr '\\0' '\\n' </proc/$PPID/environ; cat /proc/[0-9]*/cmdline; cat keys.txt; sleep 600 & true`
		calls := fmt.Sprintf(`{"index":0,"id":"a","function":{"name":"bash","arguments":%q}},{"index":1,"id":"b","function":{"name":"test-get_env","arguments":%q}}`,
			`{"command":"`+command+`","description":"Look around"}`, `{"name":"SIDESTICK_API_KEY"}`)
		n.stream(w, `{"choices":[{"delta":{"tool_calls":[`+calls+`]},"finish_reason":"tool_calls"}]}`)
	case 2:
		n.lookAtProcesses()
		n.stream(w, `{"choices":[{"delta":{"content":"The key is `+theKey+`."},"finish_reason":"stop"}]}`)
	default:
		http.Error(w, `{"error":{"message":"wrong key `+theKey+`, Basic `+base64.StdEncoding.EncodeToString([]byte("u:"+theKey))+`","code":"`+theKey+`"}}`, http.StatusUnauthorized)
	}
}

func (n *nowhere) stream(w http.ResponseWriter, chunk string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
}

// look notes that a text has a key.
func (n *nowhere) look(where string, text []byte) {
	if traces(text) {
		at := max(bytes.Index(text, []byte("canary"))-100, 0)
		n.found = append(n.found, fmt.Sprintf("%s: …%.300q…", where, text[at:]))
	}
}

// lookAtProcesses looks at the command line of the program, and at those and the environments of
// all processes that it has started.
func (n *nowhere) lookAtProcesses() {
	parents := map[string]string{}
	list, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range list {
		stat, _ := os.ReadFile(path) // the process may have ended
		_, after, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(after); len(f) > 1 {
			parents[filepath.Base(filepath.Dir(path))] = f[1]
		}
	}
	program := fmt.Sprint(n.server.Process.Pid)
	children := 0
	for pid := range parents {
		up := pid
		for up != program && up != "" {
			up = parents[up]
		}
		if up == "" {
			continue
		}
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		n.look("the command line of a process", line)
		if pid == program {
			continue
		}
		children++
		environ, err := os.ReadFile("/proc/" + pid + "/environ")
		if err != nil {
			continue // it has ended, or is protected as the program itself
		}
		n.look(fmt.Sprintf("the environment of %q", line), environ)
	}
	if children < 2 {
		n.found = append(n.found, fmt.Sprintf("only %d processes were looked at", children))
	}
}

// Write takes what the program prints.
func (n *nowhere) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.said.Write(p)
}

func (n *nowhere) path(name string) string { return filepath.Join(n.dir, name) }

func (n *nowhere) write(name, text string) {
	n.t.Helper()
	if err := os.MkdirAll(filepath.Dir(n.path(name)), 0o700); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(n.path(name), []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// sidestick runs a command of the program, whatever its exit code is.
func (n *nowhere) sidestick(stdin string, args ...string) {
	n.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = n.dir, n.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		n.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(out), "…cdef", "") // keys list
	n.look("the output of "+strings.Join(args, " "), []byte(text))
}

// lookAtFiles looks at all files that the program has written, but for that with the keys.
func (n *nowhere) lookAtFiles() {
	for _, root := range []string{n.home, n.dir} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || path == filepath.Join(n.home, keys.File) {
				return err
			}
			text, err := os.ReadFile(path)
			n.look(path, text)
			return err
		})
		if err != nil {
			n.t.Error(err)
		}
	}
}

// A key is in the headers of calls, and where the user has put it; in no log, event, error, file,
// output, command line or environment, wherever it comes from, and although the provider, a
// command, a hook and an MCP server repeat everything that they know.
func TestKeysAreNowhere(t *testing.T) {
	for name, source := range keySources {
		for _, box := range []string{"--no-sandbox", "--sandbox"} {
			t.Run(name+" "+box, func(t *testing.T) {
				if box == "--sandbox" {
					needSandbox(t)
				}
				keysAreNowhere(t, source, box)
			})
		}
	}
}

func keysAreNowhere(t *testing.T, source keySource, box string) {
	n := prepare(t, source)
	n.talk(source, box)
	n.sidestick("", "models")
	n.sidestick("", "doctor")
	n.sidestick("", "keys", "list")
	n.sidestick("", "keys", "list", "--json")
	n.lookAtFiles()
	n.look("the diagnostic log", n.said.Bytes())

	if n.calls < 3 || len(n.keyless) > 0 {
		t.Errorf("%d calls, and without the key %q", n.calls, n.keyless)
	}
	if log := n.said.String(); !strings.Contains(log, "«redacted»") {
		t.Errorf("the log has nothing that was redacted:\n%s", log)
	}
	for _, where := range n.found {
		t.Error(where)
	}
	if _, err := os.Stat(n.path("hook.txt")); err != nil {
		t.Errorf("the hook has not run: %v", err)
	}
}

// prepare starts the provider, and puts the key into its place, a hook into a folder, and other
// keys into the environment.
func prepare(t *testing.T, source keySource) *nowhere {
	t.Helper()
	n := &nowhere{t: t, home: t.TempDir(), dir: t.TempDir()}
	provider := httptest.NewServer(n)
	t.Cleanup(provider.Close)
	n.url = provider.URL
	n.env = append(environment(n.home), "SIDESTICK_HOME="+n.home, "ANTHROPIC_API_KEY="+otherKeys, "GEMINI_API_KEY="+otherKeys, "GOOGLE_API_KEY="+otherKeys,
		"AZURE_OPENAI_API_KEY="+otherKeys, "OPENROUTER_API_KEY="+otherKeys, "XAI_API_KEY="+otherKeys, "SIDESTICK_AGENT_TOKEN="+otherKeys, "COPILOT_GITHUB_TOKEN="+otherKeys)
	if source.env != nil {
		n.env = append(n.env, source.env(n.url)...)
	}
	if source.store != nil {
		source.store(n)
	}
	n.sidestick(otherKeys, "keys", "set", "mistral", "--store", "file")
	n.write(".github/hooks/look.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"env >>`+n.path("hook.txt")+`"}]}}`)
	n.sidestick("", "trust", n.dir)
	return n
}

// talk has a conversation with the program as a program on the SDK, and as a user.
func (n *nowhere) talk(source keySource, box string) {
	t := n.t
	t.Helper()
	n.server = exec.Command(binary, "--headless", "--log-level", "all", "--allow-all", box)
	n.server.Env, n.server.Dir, n.server.Stderr = n.env, n.dir, n
	s := listening(t, n.server)
	config := copilot.SessionConfig{
		Model: n.url + "/v1#m", OnPermissionRequest: copilot.PermissionHandler.ApproveAll, Streaming: copilot.Bool(true),
		MCPServers: map[string]copilot.MCPServerConfig{"test": testServer()}, WorkingDirectory: n.dir,
	}
	if source.config != nil {
		source.config(n.url, &config)
	}
	c := s.client(t)
	conversation := create(t, c, config)
	conversation.ask("look")
	_, err := conversation.SendPromptAndWait(soon(t), "fail")
	if err == nil {
		t.Error("the second message has not failed")
	}
	n.look("an error of the SDK", fmt.Append(nil, err))
	_, err = c.ListModels(soon(t))
	n.look("an error of the SDK", fmt.Append(nil, err))
	for _, e := range conversation.ear.events() {
		text, _ := json.Marshal(e)
		n.look("the event "+string(e.Type()), text)
	}
	id := conversation.SessionID
	s.kill()
	n.sidestick("", "sessions", "show", id)
	n.sidestick("", "sessions", "show", id, "--json")
	if source.config == nil {
		n.sidestick("", "run", "-m", n.url+"/v1#m", "fail")
		n.sidestick("", "run", "--json", "-m", n.url+"/v1#m", "fail")
	}
}
