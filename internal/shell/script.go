package shell

import (
	"context"
	"os"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Script is a command that does not belong to a session's shells: a program of the user's
// that answers a question, such as a hook. It gets all its input at once, and its output
// is the answer.
type Script struct {
	// Text is what bash reads, as in [Command].
	Text string
	// Dir is where it starts, absolute.
	Dir string
	// Drop is as in [Options]. The script inherits the rest of this program's
	// environment.
	Drop []string
	// Env is added to the environment. $NAME and ${NAME} in a value stand for inherited
	// variables.
	Env map[string]string
	// Input is its standard input.
	Input []byte
	// Keeper is as in [Options].
	Keeper string
	// Sandbox is the policy of the sandbox in which it runs, one of Boxes. nil: outside.
	Sandbox *sandbox.Policy
	Boxes   *sandbox.Boxes
}

// Outcome is the result of a script.
type Outcome struct {
	// Output is the script's standard output. Errors is the beginning of its standard
	// error, at most maxErrors bytes, cleaned.
	Output []byte
	Errors string
	// Code is its exit status: 128 plus the signal's number if a signal ended it.
	Code int
}

// Bounds of a script's output, in bytes. An answer is short; a longer output is an error.
const (
	maxAnswer = 1 << 20
	maxErrors = 4 << 10
)

// RunScript runs a script, and returns when it and everything that it has started have
// ended. An exit status is not an error.
//
// If ctx ends first, all of it is killed and the error is [fault.Canceled]. Other kinds:
// Invalid, the text is not valid, or the output is longer than 1 MiB; Unavailable, the
// script could not be started.
func RunScript(ctx context.Context, s Script) (Outcome, error) {
	if err := (Command{Text: s.Text}).check(); err != nil {
		return Outcome{}, err
	}
	if ctx.Err() != nil {
		return Outcome{}, canceled("shell.RunScript", "", ctx)
	}
	return s.run(ctx)
}

// Signal is what [Running.Signal] sends to a program.
type Signal int

// The signals.
const (
	Terminate Signal = iota // SIGTERM
	Interrupt               // SIGINT
	Kill                    // SIGKILL, to everything that the program has started
)

// environ returns the environment of a script.
func (s Script) environ() []string {
	env := Options{Drop: s.Drop}.inherited(s.Sandbox)
	known := func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if key, value, _ := strings.Cut(env[i], "="); key == name {
				return value
			}
		}
		return ""
	}
	var more []string
	for name, value := range s.Env {
		more = append(more, name+"="+os.Expand(value, known))
	}
	return append(env, more...)
}

// head keeps the beginning of its input, and counts the bytes.
type head struct {
	kept  []byte
	limit int
	total int
}

func (h *head) Write(p []byte) (int, error) {
	h.total += len(p)
	h.kept = append(h.kept, p[:min(len(p), h.limit-len(h.kept))]...)
	return len(p), nil
}

// outcome returns the result of a script that has ended.
func outcome(code int, out, errs head) (Outcome, error) {
	if out.total > out.limit {
		return Outcome{}, fault.New(fault.Invalid, "shell.RunScript", "", "it wrote %d bytes to its standard output, and at most %d are allowed", out.total, out.limit)
	}
	return Outcome{Output: out.kept, Errors: strings.TrimSpace(Clean(errs.kept)), Code: code}, nil
}
