package e2e_test

import (
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// chatAttacks are what a program without a token and a signature can do to the door for chats: connections that have sent
// the beginning of something.
var chatAttacks = []struct {
	name      string
	conns     int
	beginning string
}{
	{"idle connections", 400, ""},
	{"half heads", 400, "POST / HTTP/1.1\r\nHost: localhost\r\nX: "},
	{"half bodies for the agent", 100, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n" + fill(9_900_000)},
	{"half bodies for the model", 100, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n" + fill(9_900_000)},
}

// siegeFiles is how many files the process can have.
const siegeFiles = 256

// Whatever comes to the door for chats, the process holds a bounded amount of memory and of files, and SDK programs and
// other clients of the chats are served.
func TestChatsDoNotTakeTheServerAway(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		for _, a := range chatAttacks {
			name := a.name
			if token != "" {
				name += ", with a token"
			}
			t.Run(name, func(t *testing.T) { besiegeChats(t, token, a.conns, a.beginning) })
		}
	}
}

func besiegeChats(t *testing.T, token string, conns int, beginning string) {
	s, chats := startChatSiege(t, token)
	memory, peak := s.memory(), 0
	programs := s.addr
	s.addr = strings.TrimSuffix(strings.TrimPrefix(chats, "http://"), "/") // which is attacked
	bytes := []byte(beginning)                                             // for all: the process of the tests must stay small
	for range conns {
		s.work.Go(func() {
			if c := s.dial(); c != nil {
				_, _ = c.Write(bytes) // it may be cut off
			}
		})
	}
	attacked := make(chan struct{})
	go func() { s.work.Wait(); close(attacked) }()
	for n, going := 0, true; going || n < 60; n++ {
		select {
		case <-attacked:
			going = false
		default:
		}
		time.Sleep(10 * time.Millisecond) // no bubble: a real process
		if n%20 == 10 {
			if got := overHTTP(t, chats, token, "Hi."); !strings.Contains(got, `"content":"Hello."`) {
				t.Errorf("a chat gets %s", got)
			}
		}
		peak = max(peak, s.memory()-memory)
	}
	s.addr = programs
	if g, err := s.guest(); err != nil {
		t.Errorf("an SDK program: %v", err)
	} else if _, err := g.call("session.create", `{"sessionId":"s1"}`); err != nil {
		t.Errorf("an SDK program has no session: %v", err)
	}
	files := s.descriptors()
	t.Logf("at most %d MB over the start, and %d files", peak>>10, files)
	if files > siegeFiles/2 || peak > siegeMemory {
		t.Errorf("the process took %d MB more than at its start, want at most %d; it has %d files open, want at most %d", peak>>10, siegeMemory>>10, files, siegeFiles/2)
	}
	for _, c := range s.conns {
		_ = c.Close()
	}
}

// startChatSiege starts a server with both doors, and returns the address of the one for chats.
func startChatSiege(t *testing.T, token string) (s *siege, chats string) {
	t.Helper()
	model := script(t, modeltest.Reply{Text: "Hello.", Repeat: true})
	s = &siege{t: t, token: token}
	s.cmd = exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" serve --port 0 --extension-port 0`, siegeFiles), binary)
	stdout, stderr := new(said), new(said)
	home := t.TempDir()
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = home, stdout, stderr
	s.cmd.Env = append(environment(home), "OPENAI_BASE_URL="+model.URL()+"/v1", "OPENAI_API_KEY=k", "SIDESTICK_MODEL=test-model", "COPILOT_CONNECTION_TOKEN="+token)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	s.addr = net.JoinHostPort("127.0.0.1", stdout.await(t, port)[1])
	return s, stderr.await(t, regexp.MustCompile(`(?m)^sidestick: listening on (http://127\.0\.0\.1:\d+/)$`))[1]
}
