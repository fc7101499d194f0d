package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// maxPrompt bounds a prompt from stdin, in bytes: far more than any model reads, and less
// than a large file that is piped in by accident.
const maxPrompt = 16 << 20

// separator is the line between a prompt and what was piped in beside it.
const separator = "\n\n--- stdin ---\n"

// pipeWait bounds the wait for the first byte of a pipe beside a prompt. Some programs that
// start others leave them an open pipe and never write to it.
const pipeWait = 10 * time.Second

// readPrompt returns the prompt of the command line. Without one, or for "-", it reads the
// prompt from stdin. Text that is piped in beside a prompt is appended to it.
func readPrompt(ctx context.Context, o *cli.Options, args []string) (string, error) {
	prompt := strings.Join(args, " ")
	if err := checkText(o, "the prompt", prompt); err != nil {
		return "", err
	}
	if len(args) == 0 || prompt == "-" {
		if terminal.Is(o.Sys.Stdin) {
			_ = cli.Print(o.Sys.Stderr, "Type the prompt, then Ctrl-D on a line of its own."+"\n")
		}
		var err error
		if prompt, err = readAll(ctx, o, o.Sys.Stdin); err != nil {
			return "", err
		}
	}
	if len(args) > 0 && prompt != "-" && piped(o.Sys.Stdin) {
		text, err := readBeside(ctx, o)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) != "" && strings.TrimSpace(prompt) != "" {
			prompt += separator + text
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", cli.NewUsageError(errors.New(`the prompt is empty (write it after the command, or pipe it in: echo "..." | sidestick run)`))
	}
	return prompt, nil
}

// HasText reports whether somebody has connected stdin to a file or a pipe that soon has a text.
func HasText(ctx context.Context, o *cli.Options) bool {
	if !piped(o.Sys.Stdin) {
		return false
	}
	in := bufio.NewReader(o.Sys.Stdin)
	began, err := begins(ctx, in)
	return err == nil && began && in.Buffered() > 0
}

// piped reports whether somebody has connected stdin to a file or a pipe.
func piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// readBeside reads stdin to its end, if its first byte comes soon.
func readBeside(ctx context.Context, o *cli.Options) (string, error) {
	in := bufio.NewReader(o.Sys.Stdin)
	switch began, err := begins(ctx, in); {
	case err != nil:
		return "", err
	case began:
		return readAll(ctx, o, in)
	}
	_ = cli.Printf(o.Sys.Stderr, "sidestick: nothing came from stdin in %v, so the prompt is sent without it "+
		"(</dev/null says at once that there is nothing; for a slow program, leave out the prompt)\n", pipeWait)
	return "", nil
}

// begins waits until in has a byte or ends. began is false if neither comes soon.
func begins(ctx context.Context, in *bufio.Reader) (began bool, err error) {
	came := make(chan struct{})
	go func() { // it may be abandoned in a read, as that of readAll
		defer close(came)
		_, _ = in.Peek(1) // who reads on gets its error
	}()
	select {
	case <-came:
		return true, nil
	case <-ctx.Done():
		return false, cli.ErrAborted
	case <-time.After(pipeWait):
		return false, nil
	}
}

// checkText returns an error if text, called name, has a NUL byte: then it is not text. If it
// is not UTF-8, it prints a warning, because other characters are sent than were given.
func checkText(o *cli.Options, name, text string) error {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return cli.NewUsageError(fmt.Errorf("%s is not text: byte %d is NUL (convert it, as iconv does UTF-16, or name the file in the prompt)", name, at+1))
	}
	for at, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[at:]); size == 1 {
			_ = cli.Printf(o.Sys.Stderr, "sidestick: warning: %s is not UTF-8 from byte %d on; what cannot be read is sent as U+FFFD (iconv converts it)\n", name, at+1)
			return nil
		}
	}
	return nil
}

// readAll reads a prompt from stdin to its end. The read itself cannot be interrupted, so it is
// abandoned when ctx ends: the process is about to end too.
func readAll(ctx context.Context, o *cli.Options, in io.Reader) (string, error) {
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
		text := string(r.text)
		return text, checkText(o, "stdin", text)
	}
}
