package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"
)

// TTY is the terminal that the process was started at. Text is written to it
// unchanged. One goroutine at a time may use it.
type TTY struct {
	// History is the lines that the arrow keys bring back, oldest first.
	History []string
	// Plain treats the terminal as one that understands no escape sequences: the system edits the
	// lines, and text is only appended. A screen reader needs that.
	Plain bool

	in     *os.File
	out    io.WriteCloser
	getenv func(string) string
	keys   *keyboard
	rest   []byte // read, and not used yet
}

// ErrInterrupted is what [TTY.ReadLine] returns when the user presses Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Open opens the terminal of the process. getenv is [os.Getenv] or a test's own; TERM
// says what kind of terminal it is.
func Open(getenv func(string) string) (*TTY, error) {
	names := [2]string{"/dev/tty", "/dev/tty"}
	if runtime.GOOS == "windows" {
		names = [2]string{"CONIN$", "CONOUT$"}
	}
	in, err := os.OpenFile(names[0], os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(names[1], os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &TTY{in: in, out: out, getenv: getenv, keys: newKeyboard(in)}, nil
}

// Close closes the terminal. It does not restore a mode: call what [TTY.Quiet] returned
// first.
func (t *TTY) Close() error {
	err := errors.Join(t.in.Close(), t.out.Close())
	t.keys.stop()
	return err
}

// Append reports whether text may only be appended: the terminal understands no escape sequences,
// or Plain is set.
func (t *TTY) Append() bool { return t.Plain || t.getenv("TERM") == "dumb" }

// reflows reports whether the terminal wraps the rows on its screen again when it gets
// narrower. Most do; xterm and the Linux console cut the rows off.
func (t *TTY) reflows() bool { return t.getenv("TERM") != "linux" && t.getenv("XTERM_VERSION") == "" }

// Paint returns the text styles that this terminal shows.
func (t *TTY) Paint(getenv func(string) string) Paint { return PaintFor(t.out, getenv) }

// Size returns the present number of columns and rows.
func (t *TTY) Size() (columns, rows int) { return Size(t.out) }

// Write shows p.
func (t *TTY) Write(p []byte) (int, error) { return t.out.Write(p) }

// Quiet stops the terminal from showing typed keys until restore is called. Typed keys
// wait for the next ReadLine, unless Discard drops them. Ctrl-C still sends a signal.
// Quiet does nothing at a dumb terminal, whose lines the system edits and shows.
func (t *TTY) Quiet() (restore func()) {
	if t.Append() {
		return func() {}
	}
	restore, err := muffle(t.in)
	if err != nil {
		return func() {} // the keys are shown; nothing else is lost
	}
	return restore
}

// settle is how long Discard waits for a read, which returns at once if keys are waiting.
const settle = 10 * time.Millisecond

// Discard drops the keys that were typed so far: keys that were meant for something else
// must not answer a question.
func (t *TTY) Discard() {
	t.rest = nil
	defer t.raw()()
	ctx, cancel := context.WithTimeout(context.Background(), settle)
	defer cancel()
	for {
		if _, err := t.keys.next(ctx); err != nil {
			return
		}
	}
}

// raw makes the terminal pass on each key as it is pressed, Ctrl-C too, until restore is
// called.
func (t *TTY) raw() (restore func()) {
	if t.Append() {
		return func() {}
	}
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(t.in.Fd()), before) } // fails if the terminal has been closed
}

// ReadLine asks for a line after prompt, which is plain text of one line. look styles
// the prompt; nil leaves it plain. A pasted text may contain line feeds. ReadLine returns
// [io.EOF] for Ctrl-D on an empty line and after the terminal was closed,
// [ErrInterrupted] and what was typed for Ctrl-C, and the error of ctx when ctx ends.
func (t *TTY) ReadLine(ctx context.Context, prompt string, look func(string) string) (string, error) {
	if t.Append() {
		return t.plainLine(ctx, prompt)
	}
	defer t.raw()()
	e := &editor{line: line{history: t.History}, out: t.out, prompt: prompt, look: look, reflows: t.reflows()}
	e.start()
	defer e.finish()
	for {
		v := t.press(e)
		width, _ := t.Size()
		e.draw(width)
		switch v {
		case entered:
			return string(e.text), nil
		case interrupted:
			return string(e.text), ErrInterrupted
		case ended:
			return "", io.EOF
		}
		if err := t.more(ctx, e.pasting); err != nil {
			return "", err
		}
	}
}

// press applies the keys that have been read, up to one that ends the line.
func (t *TTY) press(e *editor) verdict {
	for {
		k, n := nextKey(t.rest)
		if n == 0 {
			return goesOn
		}
		t.rest = t.rest[n:]
		switch v := e.press(k); v {
		case goesOn:
		case cleared:
			e.clear()
		default:
			return v
		}
	}
}

// escapeWait is how long the rest of an escape sequence may take to arrive. Terminals
// send a sequence at once, so after this time the user has pressed Esc alone. A person
// who presses Esc and then another key takes longer.
const escapeWait = 50 * time.Millisecond

// more waits for further keys. An escape sequence that stays incomplete is dropped,
// because Esc does nothing in a line; but not in a pasted text, which must find its end.
func (t *TTY) more(ctx context.Context, pasting bool) error {
	if len(t.rest) == 0 || t.rest[0] != escape || pasting {
		return t.read(ctx)
	}
	soon, cancel := context.WithTimeout(ctx, escapeWait)
	defer cancel()
	err := t.read(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		t.rest = nil
		return nil
	}
	return err
}

func (t *TTY) read(ctx context.Context) error {
	keys, err := t.keys.next(ctx)
	t.rest = append(t.rest, keys...)
	return err
}

// plainLine reads a line that the system edits.
func (t *TTY) plainLine(ctx context.Context, prompt string) (string, error) {
	if _, err := io.WriteString(t.out, prompt); err != nil {
		return "", err
	}
	for {
		if line, rest, ok := strings.Cut(string(t.rest), "\n"); ok {
			t.rest = []byte(rest)
			return strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\ufffd"), nil
		}
		if err := t.read(ctx); err != nil {
			_, _ = io.WriteString(t.out, "\n")
			return "", err
		}
	}
}
