//go:build browser

package browser

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// token is the connection token of the doors that have one.
const token = "correct-horse"

// door is a port that web pages attack.
type door struct {
	name, port string
	paths      []string           // that pages open, besides sending to others
	unchanged  func(t *testing.T) // checks that nobody has used it
	usable     func(t *testing.T) // checks that its rightful client can use it, and that unchanged would notice
}

// doors starts every kind of listener that the program has.
func doors(t *testing.T) []door {
	all := []door{callback(t), sandboxProxy(t), publishedKeys(t), demoAgent(t)}
	for _, s := range servers(t) {
		all = append(all, door{s.name, s.port, []string{"/v1/models", "/"}, s.unchanged, s.usable})
	}
	return all
}

// served is a process with sessions and a port.
type served struct {
	name   string
	port   string
	home   string
	model  *modeltest.Server
	before []string             // the files of home
	use    func(*served) string // what the rightful client does; it returns what went wrong
	cmd    *exec.Cmd
	exited chan struct{}
}

// platformKey is a public key whose private half does not exist any more.
const platformKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEenO7zZmp9fGQpenZF8rhjtTPX01Z
U61wuhmhgXObx1RtogYmcjH5qLDgKLAPHBtTnI53CVpSzh8BiL/0SNqKpw==
-----END PUBLIC KEY-----
`

// servers starts every server with sessions.
func servers(t *testing.T) []*served {
	keys := filepath.Join(t.TempDir(), "keys.pem")
	if err := os.WriteFile(keys, []byte(platformKey), 0o600); err != nil {
		t.Fatal(err)
	}
	rpc, http := (*served).useJSONRPC, (*served).useHTTP
	return []*served{
		start(t, "JSON-RPC", "", rpc, "--headless"),
		start(t, "JSON-RPC with a token", token, rpc, "--headless"),
		start(t, "HTTP", "", http, "serve", "--extension"),
		start(t, "HTTP with a token and keys", token, http, "serve", "--extension", "--extension-keys", keys),
	}
}

var listening = regexp.MustCompile(`^listening on (?:port |http://127\.0\.0\.1:)(\d+)/?\n$`)

// start starts a process, until the test ends. Its model answers every call.
func start(t *testing.T, name, token string, use func(*served) string, args ...string) *served {
	t.Helper()
	d := &served{name: name, home: t.TempDir(), use: use, exited: make(chan struct{})}
	d.model = modeltest.NewServer(modeltest.Reply{Text: "Hello from the model.", Repeat: true})
	t.Cleanup(d.model.Close)
	d.cmd = exec.Command(binary, append(args, "--port", "0")...)
	d.cmd.Env = []string{"SIDESTICK_BASE_URL=" + d.model.URL() + "/v1", "SIDESTICK_MODEL=test-model", "COPILOT_CONNECTION_TOKEN=" + token}
	d.port = launch(t, d.cmd, d.home, listening, d.exited)
	d.before = d.files(t)
	return d
}

// launch starts a process with a home, until the test ends, and returns its port, which it says as
// the pattern has it. ended is closed when it has ended.
func launch(t *testing.T, cmd *exec.Cmd, home string, pattern *regexp.Regexp, ended chan struct{}) (port string) {
	t.Helper()
	cmd.Dir = home
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"), "HOME="+home, "COPILOT_HOME="+home, "SIDESTICK_KEYRING=off")
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stdout)
	var found []string
	var text strings.Builder
	for err == nil && found == nil {
		var line string
		line, err = said.ReadString('\n')
		text.WriteString(line)
		found = pattern.FindStringSubmatch(line)
	}
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed in the end
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if it has ended
		<-ended
	})
	if found == nil {
		t.Fatalf("%v said %q, %v; stderr:\n%s", cmd.Args, text.String(), err, &diagnostics)
	}
	return found[1]
}

// files are the names of the files of the process.
func (d *served) files(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(d.home, func(path string, _ os.DirEntry, err error) error {
		// The catalogue is opened with the first list of sessions, and its files come and go.
		if !strings.Contains(path, "catalog.db") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// unchanged checks that nobody has used the door.
func (d *served) unchanged(t *testing.T) {
	t.Helper()
	select {
	case <-d.exited:
		t.Errorf("%s: the process has ended", d.name)
		return
	default:
	}
	if n := len(d.model.Requests()) + d.model.Listings(); n != 0 {
		t.Errorf("%s: the model was called %d times", d.name, n)
	}
	if now := d.files(t); !slices.Equal(now, d.before) {
		t.Errorf("%s: the files are\n%s\nand were\n%s", d.name, strings.Join(now, "\n"), strings.Join(d.before, "\n"))
	}
}

// usable checks that the rightful client can use the door, and that this can be seen: what
// unchanged looks at does change.
func (d *served) usable(t *testing.T) {
	t.Helper()
	if problem := d.use(d); problem != "" {
		t.Errorf("%s cannot be used by its client: %s", d.name, problem)
	}
	if len(d.model.Requests()) == 0 {
		t.Errorf("%s: its client has not reached the model", d.name)
	}
	if slices.Equal(d.files(t), d.before) {
		t.Errorf("%s: its client has left no session", d.name)
	}
}

// patience bounds what a client waits for. It only says how a test fails.
const patience = 20 * time.Second

func (d *served) token() string {
	for _, v := range d.cmd.Env {
		if value, ok := strings.CutPrefix(v, "COPILOT_CONNECTION_TOKEN="); ok {
			return value
		}
	}
	return ""
}

func (d *served) useJSONRPC() string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := net.Dial("tcp", "127.0.0.1:"+d.port)
	if err != nil {
		return err.Error()
	}
	c := client.New(conn, client.Options{})
	defer c.Close()
	if err := c.Connect(ctx, d.token()); err != nil {
		return err.Error()
	}
	s, err := c.CreateSession(ctx, client.Config{})
	if err != nil {
		return err.Error()
	}
	if _, err := s.Send(ctx, "Hello."); err != nil {
		return err.Error()
	}
	if err := s.Wait(ctx, nil); err != nil {
		return err.Error()
	}
	return ""
}

func (d *served) useHTTP() string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost:"+d.port+"/v1/chat/completions", strings.NewReader(chatText))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded") // that of curl -d
	req.Header.Set("Authorization", "Bearer "+d.token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(data), "Hello from the model.") {
		return resp.Status + " " + string(data)
	}
	return ""
}

func portOf(t *testing.T, a net.Addr) string {
	t.Helper()
	_, port, err := net.SplitHostPort(a.String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
