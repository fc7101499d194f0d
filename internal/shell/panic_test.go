//go:build unix

package shell

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// isPanic reports whether an error is a panic of these tests.
func isPanic(err error) bool {
	return fault.KindOf(err) == fault.Internal && err != nil && strings.Contains(err.Error(), "panic: boom")
}

// A panic while the output of a command is read ends that command with an error, and
// neither the program nor the shells after it.
func TestAPanicWhileOutputIsRead(t *testing.T) {
	for _, mode := range []Mode{Sync, Async} {
		dir := t.TempDir()
		s := New(Options{Temp: t.TempDir()})
		defer s.Close()
		const long = "until [ -e begin ]; do sleep 0.01; done; head -c 3000000 /dev/zero; sleep 600"
		r, err := s.Run(t.Context(), Command{Text: long, Dir: dir, Mode: mode})
		if err != nil || !r.Running {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		_, j, err := s.find("test", r.Shell)
		if err != nil {
			t.Fatal(err)
		}
		j.out.mu.Lock()
		j.out.file = func() *os.File { panic("boom") }
		j.out.mu.Unlock()
		if err := os.WriteFile(filepath.Join(dir, "begin"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Read(t.Context(), r.Shell, time.Minute); !isPanic(err) || r.Running || r.Code != killed {
			t.Errorf("Read = running %v, code %d, %v; want that it was killed by the panic", r.Running, r.Code, err)
		}
		if r, err := s.Run(t.Context(), Command{Text: "echo after", Dir: dir, Mode: Sync, Wait: time.Minute}); err != nil || r.Output != "after\n" {
			t.Errorf("the next command: %+v, %v", r, err)
		}
	}
}

// The same while a call waits for the command: the call returns the panic.
func TestAPanicWhileACallWaits(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Temp: t.TempDir()})
	defer s.Close()
	breakIt := sync.OnceFunc(func() {
		_, j, err := s.find("test", "mine")
		if err != nil {
			t.Error(err)
			return
		}
		j.out.mu.Lock()
		j.out.file = func() *os.File { panic("boom") }
		j.out.mu.Unlock()
		if err := os.WriteFile(filepath.Join(dir, "begin"), nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	const long = "echo here; until [ -e begin ]; do sleep 0.01; done; head -c 3000000 /dev/zero; sleep 600"
	r, err := s.Run(t.Context(), Command{
		Text: long, Dir: dir, Shell: "mine", Mode: Sync, Wait: time.Minute, OnOutput: func(string) { breakIt() },
	})
	if !isPanic(err) || r.Running || r.Code != killed {
		t.Errorf("Run = running %v, code %d, %v; want that it was killed by the panic", r.Running, r.Code, err)
	}
}

// A command that is given up ends with the reason. The end of its process, which follows,
// does not end it without one.
func TestACommandThatIsGivenUpEndsWithTheReason(t *testing.T) {
	pipes, err := openPipes(2)
	if err != nil {
		t.Fatal(err)
	}
	in, out := pipes[0], pipes[1]
	spec := sandbox.Spec{Path: "/bin/cat", Args: []string{"cat"}, Dir: t.TempDir(), Files: []*os.File{in.r, out.w, nil}}
	cat, _, err := run("", nil, nil, spec)
	if err != nil {
		t.Fatal(err)
	}
	closeAll(in.r, out.w)
	p, j := newProcess(cat, out.r, in.w), newJob(Command{}, nil)
	p.follow(j)
	raw, err := out.r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	inUse, release, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { // closing the process takes until this ends
		closed <- raw.Read(func(uintptr) bool { close(inUse); <-release; return true })
	}()
	<-inUse
	given := make(chan struct{})
	go func() {
		defer close(given)
		New(Options{}).fail(&shell{proc: p}, p, errors.New("boom"))
	}()
	j.finish(p.Wait())
	close(release)
	<-given
	if err := <-closed; err != nil {
		t.Errorf("reading its output: %v", err)
	}
	if err := j.failure(); err == nil || err.Error() != "boom" || j.code != killed {
		t.Errorf("the command ended with %d, %v, want the reason", j.code, err)
	}
}

func TestAPanicWhileACommandIsKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stop := killAtEnd(ctx, func() { panic("boom") })
	cancel()
	if begun, err := stop(); !begun || !isPanic(err) {
		t.Errorf("stop = %v, %v", begun, err)
	}
}

func TestAPanicAtAPipeOfAScript(t *testing.T) {
	ends := make(chan struct{})
	p := pumps{kill: func() { close(ends) }}
	p.start(func() { panic("boom") })
	p.start(func() { <-ends }) // a script that waits for its pipe
	if err := p.finish(nil); !isPanic(err) {
		t.Errorf("finish = %v", err)
	}
}

// odd is a pipe that panics.
type odd struct{}

func (odd) Read([]byte) (int, error) { panic("boom") }
func (odd) Close() error             { return nil }

func TestAPanicWhileAStatusIsAwaited(t *testing.T) {
	j := newJob(Command{}, nil)
	j.awaitStatus(odd{})
	if err := j.failure(); !isPanic(err) || j.code != killed {
		t.Errorf("the job ended with %d, %v", j.code, err)
	}
}
