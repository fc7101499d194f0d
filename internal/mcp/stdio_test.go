package mcp

import (
	"os"
	"strings"
	"testing"
	"time"
)

// On a busy machine, the last output is read after its deadline. It is not lost then.
func TestTheLastOutputIsReadAfterItsDeadline(t *testing.T) {
	want := strings.Repeat("x", maxTail)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() // a daemon keeps it open
	if _, err := w.WriteString(want); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	c := &child{}
	if c.drain(r); c.errors.String() != want {
		t.Errorf("%d bytes were read, not %d", len(c.errors.String()), len(want))
	}
}

// dying is a program that ends right after it has printed why.
type dying struct {
	stderr *os.File
	text   string
}

func (d dying) Wait() int {
	_, _ = d.stderr.WriteString(d.text)
	_ = d.stderr.Close()
	return 1
}

func (dying) Kill() {}

func TestTheLastOutputOfAProgramIsReadBeforeItsEnd(t *testing.T) {
	want := strings.Repeat("x", maxTail)
	for range 200 { // the order of two goroutines
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := &child{program: dying{stderr: w, text: want}, ended: make(chan struct{})}
		c.watch(r)
		<-c.ended
		if got := c.errors.String(); got != want {
			t.Fatalf("the program has ended, and %d bytes of its last output were read, not %d", len(got), len(want))
		}
		c.threads.Wait()
	}
}
