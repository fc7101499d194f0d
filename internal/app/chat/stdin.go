package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// maxPrompt bounds a prompt from stdin, in bytes: far more than any model reads, and less
// than a large file that is piped in by accident.
const maxPrompt = 16 << 20

// readPrompt returns the prompt of the command line. Without one, or for "-", it reads the
// prompt from stdin.
func readPrompt(ctx context.Context, o *cli.Options, args []string) (string, error) {
	prompt := strings.Join(args, " ")
	if len(args) == 0 || prompt == "-" {
		if terminal.Is(o.Sys.Stdin) {
			fmt.Fprintln(o.Sys.Stderr, "Type the prompt, then Ctrl-D on a line of its own.")
		}
		var err error
		if prompt, err = readAll(ctx, o.Sys.Stdin); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", cli.NewUsageError(errors.New(`the prompt is empty (write it after the command, or pipe it in: echo "..." | sidestick run)`))
	}
	return prompt, nil
}

// readAll reads a prompt to its end. The read itself cannot be interrupted, so it is
// abandoned when ctx ends: the process is about to end too.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", cli.ErrAborted
	case r := <-done:
		switch {
		case r.err != nil:
			return "", fmt.Errorf("cannot read the prompt from stdin: %w", r.err)
		case len(r.text) > maxPrompt:
			return "", cli.NewUsageError(fmt.Errorf("the prompt on stdin is larger than %d MiB", maxPrompt>>20))
		}
		return string(r.text), nil
	}
}
