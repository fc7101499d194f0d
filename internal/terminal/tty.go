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

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// TTY is the terminal that a process was started at. What is written to it is shown
// as it is. One goroutine uses it.
type TTY struct {
	// History is the lines that can be called back while one is typed, oldest first.
	History []string

	in, out *os.File
	dumb    bool
	keys    *keyboard
	rest    []byte // read, and not used yet
}

// ErrInterrupted is what [TTY.ReadLine] returns when somebody presses Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Open opens the terminal of the process. getenv says what kind it is.
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
	return &TTY{in: in, out: out, dumb: getenv("TERM") == "dumb", keys: newKeyboard(in)}, nil
}

// Close gives the terminal back.
func (t *TTY) Close() error {
	err := errors.Join(t.in.Close(), t.out.Close())
	t.keys.stop()
	return err
}

// Paint is how text stands out here.
func (t *TTY) Paint(getenv func(string) string) Paint { return PaintFor(t.out, getenv) }

// Size is how many columns and rows it has.
func (t *TTY) Size() (columns, rows int) { return Size(t.out) }

func (t *TTY) Write(p []byte) (int, error) { return t.out.Write(p) }

// settle is how long what was typed ahead is waited for when it is to be dropped: it
// is there already, and only has to be read.
const settle = 10 * time.Millisecond

// Discard drops what was typed and not asked for: a question must not be answered
// by what was meant for something else.
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

// raw has keys come as they are pressed, and returns what ends that.
func (t *TTY) raw() (restore func()) {
	if t.dumb {
		return func() {}
	}
	was, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(t.in.Fd()), was) } // as far as that goes: the terminal may be gone
}

// ReadLine asks for a line after prompt, which is plain text of one line. It returns
// [io.EOF] for Ctrl-D on an empty line and when the terminal is gone,
// [ErrInterrupted] with what was typed for Ctrl-C, and ctx.Err() when ctx ends. A
// pasted text may have line feeds in it. look is how the prompt stands out; nil is
// plain.
func (t *TTY) ReadLine(ctx context.Context, prompt string, look func(string) string) (string, error) {
	if t.dumb {
		return t.plainLine(ctx, prompt)
	}
	defer t.raw()()
	e := &editor{line: line{history: t.History}, out: t.out, prompt: prompt, look: look}
	e.start()
	defer e.finish()
	for {
		e.draw(t.Size())
		v, err := t.pressed(ctx, e)
		if v != goesOn {
			e.draw(t.Size()) // what stays on the screen is what was entered
		}
		switch {
		case err != nil:
			return "", err
		case v == entered:
			return string(e.text), nil
		case v == interrupted:
			return string(e.text), ErrInterrupted
		case v == ended:
			return "", io.EOF
		}
	}
}

// pressed waits for keys and applies what has come, up to one that ends the line.
func (t *TTY) pressed(ctx context.Context, e *editor) (verdict, error) {
	for {
		k, n := nextKey(t.rest)
		if n == 0 {
			break
		}
		t.rest = t.rest[n:]
		v := e.press(k)
		if v == cleared {
			e.clear()
		}
		if v != goesOn && v != cleared {
			return v, nil
		}
	}
	return goesOn, t.more(ctx)
}

// more reads on.
func (t *TTY) more(ctx context.Context) error {
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
		if err := t.more(ctx); err != nil {
			_, _ = io.WriteString(t.out, "\n")
			return "", err
		}
	}
}

// editor draws a line that is being typed. It has one row; a longer line moves in it.
type editor struct {
	line
	out    io.Writer
	prompt string
	look   func(string) string // of the prompt; nil for plain
}

// Bracketed paste, so that a pasted line end does not end the line.
const pasteOn, pasteOff = "\x1b[?2004h", "\x1b[?2004l"

// What cannot be written to a terminal that is gone is no loss; reading says so.

func (e *editor) start() { _, _ = io.WriteString(e.out, pasteOn) }

func (e *editor) finish() { _, _ = io.WriteString(e.out, pasteOff+"\r\n") }

func (e *editor) clear() { _, _ = io.WriteString(e.out, "\x1b[H\x1b[2J") }

func (e *editor) draw(width, _ int) {
	prompt := timeline.Cut(e.prompt, width-8)
	text, cursor := e.view(width - timeline.Width(prompt))
	if e.look != nil {
		prompt = e.look(prompt)
	}
	back := timeline.Width(text) - cursor
	s := "\r\x1b[K" + prompt + text
	if back > 0 {
		s += "\x1b[" + timeline.Count(int64(back)) + "D"
	}
	_, _ = io.WriteString(e.out, s)
}
