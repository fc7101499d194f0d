//go:build unix

package shell

import (
	"os"
	"runtime"
	"testing"
)

// Output that was written before a command was sent belongs to the command before,
// however late it is read.
func TestOutputFollowsTheCommand(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := &process{out: r, caughtUp: make(chan struct{}, 1), drained: make(chan struct{})}
	before, after := newJob(Command{}, nil), newJob(Command{}, nil)
	p.follow(before)
	before.out.mu.Lock() // the reader blocks after its first read
	go p.read()
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	followed := make(chan struct{})
	go func() { p.follow(after); close(followed) }()
	for waits := false; !waits; runtime.Gosched() {
		select {
		case <-followed:
			waits = true // follow has not waited: what is read now goes to the wrong command
		default:
			if waits = !p.catching.TryLock(); !waits {
				p.catching.Unlock()
			}
		}
	}
	before.out.mu.Unlock()
	<-followed
	if _, err := w.WriteString("three\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	<-p.drained
	if a, b := before.written(), after.written(); a != int64(len("one\ntwo\n")) || b != int64(len("three\n")) {
		t.Errorf("the first command got %d bytes, the second %d", a, b)
	}
}
