package shell

import (
	"context"
	"os"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Script is a command that belongs to no session's shells: a program of the user's
// that is asked something, such as a hook. It gets its input at once and answers by
// its output.
type Script struct {
	// Text is what bash reads, as of a [Command].
	Text string
	// Dir is where it starts, absolute.
	Dir string
	// Drop is as in [Options]. The rest of this program's environment is inherited.
	Drop []string
	// Env is added to it. $NAME and ${NAME} in a value stand for what is inherited.
	Env map[string]string
	// Input is its standard input.
	Input []byte
}

// Outcome is what a script came to.
type Outcome struct {
	// Output is its standard output, Errors the beginning of its standard error, at
	// most maxErrors bytes, cleaned.
	Output []byte
	Errors string
	// Code is its exit status, 128 and the signal's number if a signal ended it.
	Code int
}

// Bounds of a script's output, in bytes. One that says more is not asked for an answer
// but for a log.
const (
	maxAnswer = 1 << 20
	maxErrors = 4 << 10
)

// RunScript runs a script and returns when it has ended, and with it everything that
// it has started. An exit status is no error.
//
// If ctx ends first, all of it is killed and the error is [fault.Canceled]. Invalid: a
// script that cannot be, or one that wrote more than a MiB; Unavailable: it could not
// be started.
func RunScript(ctx context.Context, s Script) (Outcome, error) {
	if err := (Command{Text: s.Text}).check(); err != nil {
		return Outcome{}, err
	}
	if ctx.Err() != nil {
		return Outcome{}, canceled("shell.RunScript", "", ctx)
	}
	return s.run(ctx)
}

// environ is the environment of a script.
func (s Script) environ() []string {
	env := Options{Drop: s.Drop}.inherited()
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

// head keeps the beginning of what is written to it, and counts the rest.
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

// outcome is what there is to say of a script that has ended.
func outcome(code int, out, errs head) (Outcome, error) {
	if out.total > out.limit {
		return Outcome{}, fault.New(fault.Invalid, "shell.RunScript", "", "it wrote %d bytes, and %d are the most", out.total, out.limit)
	}
	return Outcome{Output: out.kept, Errors: strings.TrimSpace(Clean(errs.kept)), Code: code}, nil
}
