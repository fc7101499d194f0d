//go:build programs

package programs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is how long one program may take for all steps. On an idle machine it takes a few seconds.
const patience = 60 * time.Second

// token is what the programs show the server.
const token = "story-token"

// Each program tells the whole story, and its standard error is empty. A row of the table may make an exception.
func TestTheStory(t *testing.T) {
	m := model()
	defer m.Close()
	url := m.URL() + "/v1"
	t.Run("rows", func(t *testing.T) { // which ends when all have
		for _, r := range rows {
			t.Run(r.name(), func(t *testing.T) {
				t.Parallel()
				tell(t, &r, url)
			})
		}
	})
}

// tell runs the program of a row.
func tell(t *testing.T, r *row, modelURL string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	scratch := tempDir(t)
	home, dir := filepath.Join(scratch, "home"), filepath.Join(scratch, "work")
	for _, folder := range []string{home, dir} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command, err := r.command(scratch)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mcp, err := json.Marshal([]string{self, asServer})
	if err != nil {
		t.Fatal(err)
	}
	env := environment(home)
	var server *server
	if r.transport == tcp {
		server = serve(t, env)
		env = append(env, "STORY_ADDR="+server.addr, "STORY_TOKEN="+token)
	}
	p := exec.CommandContext(ctx, command[0], command[1:]...)
	p.Dir = dir
	p.WaitDelay = time.Second // a child of a killed program may still have its output
	p.Env = append(env, "COPILOT_CLI_PATH="+binary, "STORY_MODEL_URL="+modelURL, "STORY_TRANSPORT="+r.transport,
		"STORY_DIR="+dir, "STORY_MCP="+string(mcp), "STORY_STEPS="+strings.Join(r.steps(), ","))
	complaints := &bytes.Buffer{}
	p.Stderr = complaints
	printed, err := converse(p, server)
	if err != nil || ctx.Err() != nil || !r.mayComplain(complaints.String()) {
		t.Errorf("%v: %v, %v; its standard error:\n%s", p, err, ctx.Err(), complaints)
	}
	printed = slices.DeleteFunc(printed, func(line string) bool { return !r.own(line) })
	if diff := cmp.Diff(r.printed(), printed); diff != "" {
		t.Errorf("it printed (-want +got):\n%s", diff)
	}
	if server != nil && server.said.String() != "" {
		t.Errorf("the server's standard error:\n%s", server.said)
	}
}

// tempDir is [testing.T.TempDir] for programs that kill their runtime: what it has started ends a moment later, and may
// still write.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sidestick-story-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = os.RemoveAll(dir) {
			time.Sleep(10 * time.Millisecond) // no bubble: a real process
		}
		if err != nil {
			t.Errorf("the folder is not removed %v after the end of the program: %v", patience, err)
		}
	})
	return dir
}

// environment is all that a program gets to know of this machine.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "COPILOT_HOME=" + filepath.Join(home, ".copilot"), "SIDESTICK_KEYRING=off"}
}

// printed is what the program prints if all steps succeed.
func (r *row) printed() (lines []string) {
	for _, step := range r.steps() {
		if step == "restart" && r.transport == tcp {
			lines = append(lines, "restart?")
		}
		lines = append(lines, "ok "+step)
	}
	return append(lines, "done")
}

// converse runs a program, restarts the server when the program asks for it, and returns the lines that it printed.
func converse(p *exec.Cmd, server *server) (lines []string, err error) {
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		lines = append(lines, scanner.Text())
		if scanner.Text() != "restart?" || server == nil {
			continue
		}
		if err = server.restart(); err == nil {
			_, err = io.WriteString(in, "restarted\n")
		}
		if err != nil {
			_ = p.Process.Kill()
			break
		}
	}
	return lines, errors.Join(err, p.Wait())
}

// server is a sidestick serve.
type server struct {
	addr string // host and port, the same after a restart
	env  []string
	cmd  *exec.Cmd
	said *said // standard error
}

func serve(t *testing.T, env []string) *server {
	t.Helper()
	s := &server{env: append(slices.Clone(env), "COPILOT_CONNECTION_TOKEN="+token), said: &said{}}
	if err := s.start("0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the server ended with %v; its standard error:\n%s", err, s.said)
		}
	})
	return s
}

func (s *server) start(port string) error {
	s.cmd = exec.Command(binary, "serve", "--port", port)
	s.cmd.Env, s.cmd.Stderr = s.env, s.said
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	port, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on port ")
	if !ok {
		_ = s.cmd.Process.Kill()
		return fmt.Errorf("the server printed %q, %v, and not its port: %w; standard error:\n%s", line, err, s.cmd.Wait(), s.said)
	}
	s.addr = "127.0.0.1:" + port
	return nil
}

// stop asks the server to end, and returns why it did if that is not its success.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(patience/2, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	return s.cmd.Wait()
}

func (s *server) restart() error {
	if err := s.stop(); err != nil {
		return err
	}
	_, port, _ := strings.Cut(s.addr, ":")
	return s.start(port)
}

// said is what a process has printed so far. Safe for concurrent use.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// besidePackages copies a program for Node to a folder where it finds the packages, and returns its new path: Node
// looks for them beside the program.
func besidePackages(program, packages, folder string) (string, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, filepath.Base(program))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", err
	}
	return path, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules"))
}
