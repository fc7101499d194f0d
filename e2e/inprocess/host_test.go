//go:build inprocess

package inprocess_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// closes is how many connections are closed while the runtime writes; the first form of the test had 10,000.
var closes = flag.Int("closes", 1000, "close this many connections during callbacks, under ThreadSanitizer")

var (
	binary  string // the program, with the library beside it
	library string
	child   string // a program that plays the runtime
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(built.Run(func(path string) int {
		binary = path
		dir := filepath.Dir(path)
		library = filepath.Join(dir, "libcopilot_runtime.so")
		child = filepath.Join(dir, "child")
		for _, cmd := range []*exec.Cmd{
			exec.Command("go", "run", "-C", "../../tools", "./inprocess", "-beside", dir),
			exec.Command("cc", "-O1", "-o", child, "testdata/child.c"),
		} {
			if out, err := cmd.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%v: %v\n%s", cmd, err, out)
				return 1
			}
		}
		return m.Run()
	}))
}

// host is the host in C, built with further arguments of the compiler.
func host(t *testing.T, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "host")
	compile(t, append(more, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", path, "testdata/host.c", "-ldl")...)
	return path
}

func compile(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// plays runs a scene of the host, and returns what it prints.
func plays(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "SIDESTICK_KEYRING=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, stderr.String())
	}
	return string(out)
}

func TestHosts(t *testing.T) {
	h := host(t)
	for _, scene := range []struct {
		does, scene string
		program     []string
		says        string
	}{
		{"a runtime answers and ends", "ping", []string{binary, "--embedded-host", "--no-auto-update"}, `"message":"pong: here"`},
		{"the program is found without its name", "ping", []string{"--embedded-host"}, `"message":"pong: here"`},
		{"the host forks", "forks", []string{binary, "--embedded-host"}, ""},
		{"the host forks in a callback", "callback-forks", []string{binary, "--embedded-host"}, ""},
		{"the host ignores the ends of its children", "ignores", []string{binary, "--embedded-host"}, `"message":"pong: here"`},
		{"the host waits for every child", "reaps", []string{child, "pid"}, ""},
		{"the host has closed its standard streams", "bare", []string{binary, "--embedded-host"}, ""},
		{"the host has few descriptors left", "descriptors", []string{child, "pid"}, ""},
		{"a callback does not return", "stuck", []string{binary, "--embedded-host"}, ""},
		{"a runtime crashes", "crashes", []string{child, "pid"}, ""},
		{"100 hosts end in another order", "many", []string{child, "pid"}, ""},
		{"a runtime that does not read", "stopped", []string{child, "stop"}, ""},
		{"connections close while the runtime writes", "closing200", []string{child, "flood"}, ""},
	} {
		t.Run(scene.does, func(t *testing.T) {
			if out := plays(t, exec.Command(h, append([]string{library, scene.scene}, scene.program...)...)); !strings.Contains(out, scene.says) {
				t.Errorf("the host got %q, want %q", out, scene.says)
			}
		})
	}
}

// How much more memory a host has once a runtime has answered, in KB: what the library costs it.
func TestTheLibraryIsSmall(t *testing.T) {
	out := plays(t, exec.Command(host(t), library, "ping", binary, "--embedded-host"))
	_, grown, _ := strings.Cut(out, "grew by ")
	kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(grown), " KB"))
	if err != nil || kb > 1000 {
		t.Errorf("the host grew by %q, want at most 1000 KB: %v", grown, err)
	}
	t.Logf("%d KB", kb)
}

// Each allocation of the library fails once.
func TestMemoryRunsOut(t *testing.T) {
	h := host(t)
	scarce := filepath.Join(t.TempDir(), "scarce.so")
	compile(t, "-O1", "-fPIC", "-shared", "-fno-builtin", "-o", scarce, "testdata/scarce.c")
	for _, program := range [][]string{{child, "pid"}, {"--embedded-host"}} {
		cmd := exec.Command(h, append([]string{library, "memory"}, program...)...)
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+scarce)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", cmd, err, out)
		}
	}
}

func TestWhatIsNoRuntimeDoesNotStart(t *testing.T) {
	h := host(t)
	for _, program := range [][]string{
		{"/does/not/exist"}, {"/"}, {child, "early"}, {child, "noise"}, {"/bin/true"},
	} {
		plays(t, exec.Command(h, append([]string{library, "fails"}, program...)...))
	}
	// The program says why it does not start, on the standard error of the host.
	cmd := exec.Command(h, library, "fails", binary, "--embedded-host", "--no-such-flag")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--no-such-flag") {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}

// A runtime ends with its host, whatever ends that: also if a process that the host has forked lives on.
func TestARuntimeEndsWithItsHost(t *testing.T) {
	h := host(t)
	for _, how := range []string{"leaves", "killed", "forked"} {
		t.Run(how, func(t *testing.T) {
			out, _ := exec.Command(h, library, how, child, "pid").Output() // it may be killed
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil {
				t.Fatalf("the host printed %q", out)
			}
			for end := time.Now().Add(2 * time.Second); running(pid); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the runtime is there 2 s after its host")
				}
			}
		})
	}
}

// running reports whether there is a process that is not only waiting for its parent to look.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, behind, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(behind, "Z")
}

func TestThreadsUnderThreadSanitizer(t *testing.T) {
	dir := t.TempDir()
	watched := filepath.Join(dir, "library.so")
	compile(t, "-fsanitize=thread", "-std=c11", "-pthread", "-g", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-o", watched,
		"../../inprocess/copilot_runtime.c", "../../inprocess/child.c", "../../inprocess/words.c", "-ldl")
	h := host(t, "-fsanitize=thread")
	for _, scene := range [][]string{{"closing" + strconv.Itoa(*closes), child, "flood"}, {"stopped", child, "stop"}, {"many", child, "pid"}} {
		// What the library leaves to its own thread is found as leaked; here the threads matter.
		cmd := exec.Command("setarch", append([]string{"-R", h, watched}, scene...)...)
		cmd.Env = append(os.Environ(), "TSAN_OPTIONS=report_thread_leaks=0 exitcode=66")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", cmd, err, out)
		}
	}
}

func TestMemoryUnderValgrind(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Fatal("valgrind is not installed; .ci/run installs it")
	}
	h := host(t)
	for _, scene := range [][]string{{"closing60", child, "flood"}, {"stopped", child, "stop"}, {"fails", child, "noise"}} {
		cmd := exec.Command("valgrind", append([]string{"-q", "--error-exitcode=66", "--trace-children=no", "--child-silent-after-fork=yes", h, library}, scene...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", cmd, err, out)
		}
	}
}
