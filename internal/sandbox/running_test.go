//go:build linux

package sandbox_test

import (
	"io"
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// running is a command in a sandbox that a test talks to.
type running struct {
	proc          *sandbox.Process
	input, output *os.File
}

// launch starts a command in a sandbox.
func launch(t *testing.T, b *sandbox.Boxes, p sandbox.Policy, command string) *running {
	t.Helper()
	stdin, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	output, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	proc, err := b.Start(p, sandbox.Spec{
		Path: "/bin/bash", Args: []string{"bash", "-c", command}, Dir: p.Folders[0],
		Env: p.Environ(os.Environ()), Files: []*os.File{stdin, stdout, stdout},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &running{proc, input, output}
}

// proceed lets the command continue, which waits for a line of its input.
func (r *running) proceed(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(r.input, "\n"); err != nil {
		t.Fatal(err)
	}
}

// hear waits until the command has printed text, which must be the next that it prints.
func (r *running) hear(t *testing.T, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if n, err := io.ReadFull(r.output, got); err != nil || string(got) != text {
		t.Fatalf("the command printed %q, want %q: %v", got[:n], text, err)
	}
}

// end closes the input of the command and waits for its end. It returns the rest of the output
// and the exit status.
func (r *running) end(t *testing.T) (string, int) {
	t.Helper()
	defer r.close()
	r.input.Close()
	out, err := io.ReadAll(r.output)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), r.proc.Wait()
}

// close closes this side of the input and the output. It may be called more than once.
func (r *running) close() {
	_ = r.input.Close()
	_ = r.output.Close()
}

// bash runs a command in a sandbox, and returns its output and exit status.
func bash(t *testing.T, b *sandbox.Boxes, p sandbox.Policy, command string) (string, int) {
	t.Helper()
	return launch(t, b, p, command).end(t)
}
