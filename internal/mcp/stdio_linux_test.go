package mcp

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// started configures servers that are programs, and waits until they have settled.
func started(t *testing.T, roles ...string) (*Set, *fakeHost) {
	t.Helper()
	h := &fakeHost{cwd: t.TempDir()}
	s := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	t.Cleanup(s.Close)
	s.Configure(programs(roles...))
	for _, role := range roles {
		_ = s.Settled(t.Context(), role) // an error is in the list
	}
	return s, h
}

// gone waits until processes have ended.
func gone(t *testing.T, pids []int) {
	t.Helper()
	late := time.After(20 * time.Second)
	for _, pid := range pids {
		for alive(pid) {
			select {
			case <-late:
				t.Fatalf("process %d is alive", pid)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

// Programs that know only older versions of the protocol may end when they are asked for theirs, or say nothing. That
// is remembered: the second start asks nothing.
func TestProgramsThatSpeakOnlyOlderVersions(t *testing.T) {
	s, _ := started(t, "older", "silent")
	for _, name := range []string{"older", "silent"} {
		if status, why := entry(t, s, name); status != wire.MCPConnected {
			t.Errorf("%s is %s: %s", name, status, why)
		}
		begin := time.Now()
		if err := s.Start(name, nil, true); err != nil {
			t.Error(err)
		}
		if err := s.Settled(t.Context(), name); err != nil {
			t.Error(err)
		}
		if is := s.opts.Eras.of(&s.servers[name].config); is != eraLegacy || s.servers[name].connection.probed {
			t.Errorf("%s was asked again, after %v", name, time.Since(begin))
		}
	}
}

func TestAProgramThatPrintsRemarks(t *testing.T) {
	s, _ := started(t, "garbage")
	if status, why := entry(t, s, "garbage"); status != wire.MCPConnected || len(s.Tools()) != 7 {
		t.Errorf("it is %s: %s", status, why)
	}
}

func TestProgramsThatFail(t *testing.T) {
	s, _ := started(t, "crashes", "floods", "endless")
	for name, want := range map[string]string{
		"crashes": "it ended with exit code 3; its last output: pid ", "floods": "not requested", "endless": "a message of more than 16 MiB",
	} {
		status, why := entry(t, s, name)
		if name == "floods" && status == wire.MCPPending { // it is busy with reading
			t.Fatal("it has not settled")
		}
		// On a machine that reads a flood slowly, the server fails because it has not answered in time.
		slowly := name == "floods" && strings.Contains(why, "did not connect within")
		if status != wire.MCPFailed || !strings.Contains(why, want) && !slowly {
			t.Errorf("%s is %s: %q, want %q", name, status, why, want)
		}
	}
	if _, why := entry(t, s, "crashes"); !strings.Contains(why, "cannot open the database") {
		t.Errorf("the error is %q", why)
	}
}

func TestProgramsThatCannotStart(t *testing.T) {
	h := &fakeHost{cwd: t.TempDir()}
	s := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	defer s.Close()
	s.Configure(Configuration{Servers: map[string]jsonText{
		"absent": jsonText(`{"command":"no-such-program"}`), "nowhere": jsonText(`{"command":"true","cwd":"no/such/folder"}`), "short": jsonText(`{"command":"true"}`),
	}})
	for name, want := range map[string]string{"absent": "there is no program no-such-program on PATH", "nowhere": "no/such/folder", "short": "exit code 0"} {
		if err := s.Settled(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// A server that ignores the end of its input, and what it has started, is killed; also what has
// made a process session of its own and lost its parent.
func TestNothingSurvivesAServer(t *testing.T) {
	s, _ := started(t, "ignores")
	child := s.servers["ignores"].connection.child
	started := pids(t, child.errors.String())
	if len(started) != 3 {
		t.Fatalf("it printed %q", child.errors.String())
	}
	for _, pid := range started {
		if !alive(pid) {
			t.Fatalf("process %d is not alive", pid)
		}
	}
	if err := s.Stop(t.Context(), "ignores"); err != nil {
		t.Error(err)
	}
	gone(t, started)
}

func TestAServerThatStallsIsKilled(t *testing.T) {
	h := &fakeHost{cwd: t.TempDir()}
	s := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	s.Configure(programs("stalls"))
	s.Close()
	if status, _ := entry(t, s, "stalls"); status == wire.MCPConnected {
		t.Error("it is connected")
	}
}

// A session that ends waits for no answer of a server that is starting.
func TestAServerThatIsStartingIsKilledAtOnce(t *testing.T) {
	h := &fakeHost{cwd: t.TempDir()}
	s := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	s.Configure(Configuration{Servers: map[string]jsonText{"slow": jsonText(`{"command":"sh","args":["-c","echo pid $$ >begun && mv begun pid && exec sleep 3600"]}`)}})
	var text []byte
	for late := time.After(20 * time.Second); len(text) == 0; {
		select {
		case <-late:
			t.Fatal("it has not started")
		case <-time.After(5 * time.Millisecond):
		}
		text, _ = os.ReadFile(filepath.Join(h.cwd, "pid"))
	}
	began := time.Now()
	s.Close()
	if took := time.Since(began); took >= exitGrace {
		t.Errorf("Close took %v", took)
	}
	gone(t, pids(t, string(text)))
}

// The servers of a program end with it, also if it is killed.
func TestNothingSurvivesOurOwnDeath(t *testing.T) {
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), roleVariable+"=host")
	in, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "print them\n"); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan() && strings.Count(printed.String(), "\n") < 2; {
		printed.WriteString(lines.Text() + "\n")
	}
	started := pids(t, printed.String())
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait() // it was killed
	gone(t, started)
}

// Keys that a program prints when it fails do not reach the list of servers, nor do characters
// that control a terminal.
func TestTheLastOutputOfAProgramIsMadeHarmless(t *testing.T) {
	h := &fakeHost{cwd: t.TempDir()}
	s := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	t.Cleanup(s.Close)
	s.Configure(Configuration{Servers: map[string]jsonText{
		"s": jsonText(`{"command":"sh","args":["-c","printf '%s \\033[2J %s' $API_KEY $MODE >&2; exit 3"],"env":{"API_KEY":"sk-123456789","MODE":"fast"}}`),
	}})
	_ = s.Settled(t.Context(), "s") // the error is in the list
	if _, why := entry(t, s, "s"); !strings.HasSuffix(why, "last output: *** <U+001B>[2J fast") {
		t.Errorf("it failed: %q", why)
	}
}

// A server gets the tokens of the user only if its configuration names them.
func TestTokensOfTheUserAreNotInherited(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Host: &fakeHost{cwd: dir}, Keeper: os.Args[0], Environ: append(os.Environ(), "GH_TOKEN=one", "GITHUB_TOKEN=two", "PLAIN=three"), Withheld: []string{"GH_TOKEN", "GITHUB_TOKEN"}})
	t.Cleanup(s.Close)
	s.Configure(Configuration{Indirect: true, Servers: map[string]jsonText{
		"plain": jsonText(`{"command":"/bin/sh","args":["-c","env > plain"]}`),
		"asks":  jsonText(`{"command":"/bin/sh","args":["-c","env > asks"],"env":{"GITHUB_TOKEN":"GITHUB_TOKEN"}}`),
	}})
	for name, want := range map[string]bool{"plain": false, "asks": true} {
		_ = s.Settled(t.Context(), name) // it is no server, and fails
		text, err := os.ReadFile(filepath.Join(dir, name))
		if got := strings.Contains(string(text), "GITHUB_TOKEN=two"); err != nil || got != want || strings.Contains(string(text), "GH_TOKEN=one") || !strings.Contains(string(text), "PLAIN=three") {
			t.Errorf("%s: it has the token: %v, want %v; %v", name, got, want, err)
		}
	}
}
