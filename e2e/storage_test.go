package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// shelf keeps the files of a session in a program.
type shelf struct {
	mu    sync.Mutex
	files map[string]string
}

func (s *shelf) missing(path string) error { return fmt.Errorf("%s: %w", path, os.ErrNotExist) }

func (s *shelf) ReadFile(path string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.files[path]
	if !ok {
		return "", s.missing(path)
	}
	return text, nil
}

func (s *shelf) WriteFile(path, content string, _ *int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = content
	return nil
}

func (s *shelf) AppendFile(path, content string, _ *int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] += content
	return nil
}

func (s *shelf) Exists(path string) (bool, error) {
	_, err := s.Stat(path)
	return err == nil, nil
}

func (s *shelf) Stat(path string) (*copilot.SessionFSFileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, file := s.files[path]
	folder := false
	for name := range s.files {
		folder = folder || strings.HasPrefix(name, path+"/")
	}
	if !file && !folder {
		return nil, s.missing(path)
	}
	return &copilot.SessionFSFileInfo{IsFile: file, IsDirectory: folder, Size: int64(len(text)), Mtime: time.Now(), Birthtime: time.Now()}, nil
}

func (*shelf) MakeDirectory(string, bool, *int) error { return nil }

func (*shelf) ReadDirectory(string) ([]string, error) { return nil, nil }

func (*shelf) ReadDirectoryWithTypes(string) ([]rpc.SessionFSReaddirWithTypesEntry, error) {
	return nil, nil
}

func (s *shelf) Remove(path string, _, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, path)
	return nil
}

func (s *shelf) Rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[to] = s.files[from]
	delete(s.files, from)
	return nil
}

// keeping is a client that keeps its sessions, with a runtime of its own.
func keeping(t *testing.T, home string) *copilot.Client {
	return started(t, copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: binary, Env: environment(home)}, WorkingDirectory: home, SessionFS: storage(home),
	})
}

func storage(cwd string) *copilot.SessionFSConfig {
	return &copilot.SessionFSConfig{
		InitialWorkingDirectory: cwd, SessionStatePath: "/kept", Conventions: rpc.SessionFSSetProviderConventionsPosix,
	}
}

// A program that keeps its sessions itself continues one in a runtime that has never seen it, and
// finds the whole log in its storage. A long event is complete again.
func TestAProgramKeepsItsSessions(t *testing.T) {
	s := &shelf{files: map[string]string{}}
	provide := func(*copilot.Session) copilot.SessionFSProvider { return s }
	long := strings.ReplaceAll(modeltest.Varied(300_000), "1", `"`) // longer than a record
	m := script(t, say(long), say("Later."))
	first := create(t, keeping(t, t.TempDir()), copilot.SessionConfig{SessionID: "ours", Provider: at(m), CreateSessionFSProvider: provide})
	first.ask("Talk")
	if err := first.Disconnect(); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	second := resume(t, keeping(t, home), "ours", copilot.ResumeSessionConfig{Provider: at(m), CreateSessionFSProvider: provide})
	if answer := second.ask("And then?"); answer != "Later." {
		t.Errorf("the answer is %q", answer)
	}
	if got := conversation(lastRequest(t, m)); !strings.Contains(got, long) {
		t.Errorf("the model did not read its long answer again: %.300s", got)
	}
	if log, _ := s.ReadFile("/kept/events.jsonl"); !strings.Contains(log, `"Later."`) || strings.Contains(log, "word. A ") {
		t.Errorf("the log has %d bytes, want the short answer and not the long one", len(log))
	}
	if entries, err := os.ReadDir(home + "/.sidestick/session-state"); err == nil && len(entries) > 0 {
		t.Errorf("the runtime keeps %v", entries)
	}
}

// When the connection of the program breaks that keeps a session, the session does not stay in the
// runtime, although it works. The program connects again and continues it.
func TestAProgramThatKeepsItsSessionsConnectsAgain(t *testing.T) {
	home := t.TempDir()
	runtime := serve(t, home)
	s := &shelf{files: map[string]string{}}
	provide := func(*copilot.Session) copilot.SessionFSProvider { return s }
	asked := make(chan struct{})
	m := script(t, modeltest.Reply{Silent: true, When: func(*modeltest.Request) bool { close(asked); return true }}, say("Here."))
	connect := func() *copilot.Client {
		return started(t, copilot.ClientOptions{Connection: copilot.URIConnection{URL: runtime.url}, SessionFS: storage(home)})
	}
	first := connect()
	create(t, first, copilot.SessionConfig{SessionID: "ours", Provider: at(m), CreateSessionFSProvider: provide}).send("Wait")
	<-asked
	first.ForceStop()
	second := resume(t, connect(), "ours", copilot.ResumeSessionConfig{Provider: at(m), CreateSessionFSProvider: provide})
	if answer := second.ask("Are you there?"); answer != "Here." {
		t.Errorf("the answer is %q", answer)
	}
	if got := conversation(lastRequest(t, m)); !strings.Contains(got, "Wait") {
		t.Errorf("the history is not in the request: %s", got)
	}
}
