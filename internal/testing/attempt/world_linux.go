package attempt

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Attempt is one way to do what a sandbox must prevent, or what it must leave possible.
type Attempt struct {
	Name string
	Do   func(*World) error // nil: it worked
}

// World is what attempts act on. Everything in it belongs to the user that makes them.
type World struct {
	Outside  string // a folder that the sandbox keeps commands from
	Inside   string // a folder that it lets them write
	Victim   int    // a process outside
	Port     int    // of a TCP server on 127.0.0.1
	Stream   string // path of a listening AF_UNIX socket
	Datagram string // path of an AF_UNIX socket that receives datagrams
	Abstract string // name of a listening abstract socket, with its @

	user *syscall.Credential // who makes the attempts; nil for the user of the test
}

// begin is the first argument of a test binary that is started to make attempts. The kind of
// the sandbox, the world and the names of attempts to leave out follow.
const begin = "attempt"

// confined is the kind of a process that [World.RunIn] has started: in a sandbox already.
const confined = "confined"

// limit bounds one run of all attempts.
const limit = time.Minute

// Ordinary is a user without rights, as which root makes attempts.
const Ordinary = 65534

// NewWorld makes a world for the user uid, or for the user of the test if uid is that one.
func NewWorld(t *testing.T, uid int) *World {
	t.Helper()
	home, err := os.MkdirTemp("", "attempt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if home, err = filepath.EvalSymlinks(home); err != nil {
		t.Fatal(err)
	}
	w := &World{
		Outside: filepath.Join(home, "outside"), Inside: filepath.Join(home, "inside"),
		Stream: filepath.Join(home, "outside", "stream"), Datagram: filepath.Join(home, "outside", "datagram"),
		Abstract: "@" + home,
	}
	if uid != os.Getuid() {
		w.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	for _, dir := range []string{w.Outside, w.Inside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.listen(t)
	w.startVictim(t)
	for _, path := range []string{home, w.Outside, w.Inside, w.Stream, w.Datagram} {
		if err := os.Chown(path, uid, uid); err != nil && w.user != nil {
			t.Fatal(err)
		}
	}
	return w
}

// listen starts the servers outside. Nobody accepts: that connecting works is enough.
func (w *World) listen(t *testing.T) {
	t.Helper()
	for _, at := range []struct{ network, address string }{{"tcp4", "127.0.0.1:0"}, {"unix", w.Stream}, {"unix", w.Abstract}} {
		l, err := net.Listen(at.network, at.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		if tcp, ok := l.Addr().(*net.TCPAddr); ok {
			w.Port = tcp.Port
		}
	}
	c, err := net.ListenPacket("unixgram", w.Datagram)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
}

func (w *World) startVictim(t *testing.T) {
	t.Helper()
	victim := exec.Command("sleep", "600")
	victim.SysProcAttr = &syscall.SysProcAttr{Credential: w.user, Setpgid: true}
	victim.Env = []string{"CANARY=1"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		victim.Process.Kill()
		victim.Wait()
	})
	w.Victim = victim.Process.Pid
}

// Run starts the test binary again, which confines itself to the sandbox of this kind with
// the function it gives to [Child] and makes all attempts. The result has "ok" or the error of
// each; an attempt that ended the process has the state it ended with.
func (w *World) Run(t *testing.T, kind string) map[string]string {
	t.Helper()
	results := map[string]string{}
	for len(results) < len(All()) {
		w.run(t, kind, results)
	}
	return results
}

// RunIn is Run in a sandbox that exists already. start runs the test binary in it, with Inside as
// its directory and with args, of which the first is the program's name, and returns what it
// printed and how it ended.
func (w *World) RunIn(t *testing.T, start func(args []string) (out []byte, ended string, err error)) map[string]string {
	t.Helper()
	results := map[string]string{}
	for len(results) < len(All()) {
		if err := w.furnish(); err != nil {
			t.Fatal(err)
		}
		out, ended, err := start(append([]string{"attempt"}, w.arguments(t, confined, results)...))
		collect(t, confined, results, out, ended, err)
	}
	return results
}

// arguments are those of the test binary that makes the attempts without a result.
func (w *World) arguments(t *testing.T, kind string, results map[string]string) []string {
	t.Helper()
	world, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	done, err := json.Marshal(slices.Collect(maps.Keys(results)))
	if err != nil {
		t.Fatal(err)
	}
	return []string{begin, kind, string(world), string(done)}
}

// run makes the attempts that have no result yet, until one ends the process.
func (w *World) run(t *testing.T, kind string, results map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	// Not by the binary's path, which lies in a folder of the test's user.
	child := exec.CommandContext(ctx, "/proc/self/exe", w.arguments(t, kind, results)...)
	child.Dir = w.Inside
	child.Env = []string{"PATH=" + os.Getenv("PATH")}
	child.SysProcAttr = &syscall.SysProcAttr{Credential: w.user, Setpgid: true}
	child.WaitDelay = time.Second
	out, err := child.CombinedOutput()
	collect(t, kind, results, out, child.ProcessState.String(), err)
}

// collect adds what a process has printed to the results.
func collect(t *testing.T, kind string, results map[string]string, out []byte, ended string, err error) {
	t.Helper()
	before, begun := len(results), ""
	for line := range strings.Lines(string(out)) {
		name, result, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !found {
			continue
		}
		if begun = name; result != "begins" {
			results[name], begun = result, ""
		}
	}
	if begun != "" {
		results[begun] = "ended: " + ended
	} else if err != nil || len(results) == before {
		t.Fatalf("%s: %v\n%s", kind, err, out)
	}
}

// Child makes the attempts and exits, if [World.Run] started this process. Otherwise it
// does nothing. confine enters the sandbox; what it returns is printed.
func Child(confine func(kind string, w *World) error) {
	if len(os.Args) != 5 || os.Args[1] != begin {
		return
	}
	var w World
	var done []string
	if err := json.Unmarshal([]byte(os.Args[3]), &w); err != nil {
		exit(err)
	}
	if err := json.Unmarshal([]byte(os.Args[4]), &done); err != nil {
		exit(err)
	}
	if kind := os.Args[2]; kind != confined {
		if err := w.furnish(); err != nil {
			exit(err)
		}
		if err := confine(kind, &w); err != nil {
			exit(err)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	for _, a := range All() {
		if slices.Contains(done, a.Name) {
			continue
		}
		fmt.Fprintf(out, "%s\tbegins\n", a.Name)
		out.Flush()
		result := "ok"
		if err := a.Do(&w); err != nil {
			result = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Fprintf(out, "%s\t%s\n", a.Name, result)
		out.Flush()
	}
	os.Exit(0)
}

// As returns the arguments of this process with another kind of sandbox, for a confine
// function that executes the program again.
func As(kind string) []string {
	return slices.Concat(os.Args[:2], []string{kind}, os.Args[3:])
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// All returns every attempt.
func All() []Attempt {
	return slices.Concat(files, metadata, processes, network, kernel, legacy)
}
