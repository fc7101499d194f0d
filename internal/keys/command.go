package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
)

const (
	// outputWait bounds the wait for the output of a command that has ended, which a process that
	// it has left behind may keep open.
	outputWait = time.Second
	// maxComplaint bounds what an error repeats of a command's standard error, in bytes.
	maxComplaint = 300
)

// run returns the one line that a command prints.
func (s *Store) run(ctx context.Context, name string, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.WaitDelay = s.opts.Environ(), outputWait
	proctree.KillWhole(cmd)
	out, complaint := &beginning{most: MaxKey + 2}, &beginning{most: 64 << 10} // a key and a line end
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the command itself has succeeded
	}
	key := strings.TrimSpace(out.text.String())
	switch {
	case ctx.Err() != nil && s.ctx.Err() != nil:
		return "", fault.New(fault.Canceled, op, name, "the program is ending")
	case ctx.Err() != nil:
		err = fmt.Errorf("it did not end in %v, and was killed", askWait)
	case err != nil:
		err = s.complaint(err, complaint.text.String(), key)
	case out.more:
		err = fmt.Errorf("it prints more than a key (%d bytes)", MaxKey)
	case key == "":
		err = errors.New("it prints nothing")
	case strings.ContainsAny(key, "\r\n"):
		err = errors.New("it prints more than one line; the key must be the only one")
	default:
		err = CheckKey(key)
	}
	if err != nil {
		return "", &fault.Error{
			Op: op, On: name, Kind: fault.Unavailable, Err: fmt.Errorf("the command %s, which prints the key: %w", command[0], err),
			Hint: "try it at a terminal; another one: sidestick keys set " + name + " -- COMMAND",
		}
	}
	return key, nil
}

// complaint is the failure of a command with the last line of its standard error. The key that it may have
// printed is not repeated.
func (s *Store) complaint(err error, text, key string) error {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(strings.ToValidUTF8(lines[len(lines)-1], "\ufffd"))
	if len(last) > maxComplaint {
		last = last[:maxComplaint] + "…"
	}
	printed := s.opts.Secrets.Child()
	for word := range strings.FieldsSeq(key) {
		printed.Add(word)
	}
	if last = printed.RedactExcerpt(last); last == "" || strings.Contains(last, "\x1b") {
		return startFailure(err)
	}
	return fmt.Errorf("%w: %s", startFailure(err), last)
}

// startFailure returns an error without the name of the program.
func startFailure(err error) error {
	var start *exec.Error
	if errors.As(err, &start) {
		return start.Err
	}
	return err
}

// beginning keeps the beginning of what is written to it.
type beginning struct {
	text bytes.Buffer
	most int
	more bool // more than most was written
}

// Write implements [io.Writer].
func (b *beginning) Write(p []byte) (int, error) {
	room := b.most - b.text.Len()
	b.more = b.more || len(p) > room
	b.text.Write(p[:min(room, len(p))])
	return len(p), nil
}
