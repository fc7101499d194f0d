package keyscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// readKey reads a key from the terminal, without showing it, or else from stdin to its end.
func readKey(ctx context.Context, o *cli.Options, name string) (string, error) {
	read := fromStdin
	if terminal.Is(o.Sys.Stdin) {
		read = fromTerminal
	}
	key, err := read(ctx, o, name)
	if err != nil {
		return "", err
	}
	key = strings.TrimSpace(key)
	o.Secrets.Add(key)
	if err := keys.CheckKey(key); err != nil {
		return "", cli.NewUsageError(err)
	}
	return key, nil
}

func fromTerminal(ctx context.Context, o *cli.Options, name string) (string, error) {
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return "", err
	}
	defer func() { _ = tty.Close() }() // nothing is written to it any more
	key, err := tty.ReadSecret(ctx, "The key of "+name+" (it is not shown): ")
	switch {
	case err == nil:
		return key, nil
	case ctx.Err() != nil, errors.Is(err, terminal.ErrInterrupted), errors.Is(err, io.EOF):
		return "", cli.ErrAborted
	}
	return "", fmt.Errorf("%w; pipe the key in instead", err)
}

// fromStdin reads stdin to its end. The read cannot be interrupted, so it is abandoned when ctx
// ends: the process is about to end, too.
func fromStdin(ctx context.Context, o *cli.Options, _ string) (string, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(o.Sys.Stdin, 2*keys.MaxKey))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return string(r.data), r.err
	case <-ctx.Done():
		return "", cli.ErrAborted
	}
}
