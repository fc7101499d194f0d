package terminal

import (
	"context"
	"errors"
	"io"

	"golang.org/x/term"
)

// maxSecret bounds what [TTY.ReadSecret] takes, in characters.
const maxSecret = 16 << 10

// errEchoes is returned if a terminal cannot be kept from showing what is typed.
var errEchoes = errors.New("this terminal shows what is typed")

// ReadSecret asks for a line after prompt and shows nothing of it. Backspace and Ctrl-U correct
// it. Errors are those of [TTY.ReadLine]; another one, before anything is read, if the terminal
// would show what is typed.
func (t *TTY) ReadSecret(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", errEchoes
	}
	defer func() { _ = term.Restore(int(t.in.Fd()), before) }() // fails if the terminal has been closed
	if _, err := io.WriteString(t.out, prompt); err != nil {
		return "", err
	}
	defer func() { _, _ = io.WriteString(t.out, "\r\n") }()
	var text []rune
	for {
		for k, n := nextKey(t.rest); n > 0; k, n = nextKey(t.rest) {
			t.rest = t.rest[n:]
			switch {
			case k == enter, k == lineFeed:
				return string(text), nil
			case k == ctrlC:
				return "", ErrInterrupted
			case k == ctrlD && len(text) == 0:
				return "", io.EOF
			case k == ctrlU:
				text = nil
			case k == backspace, k == ctrlH:
				text = text[:max(len(text)-1, 0)]
			case k >= ' ' && len(text) < maxSecret:
				text = append(text, rune(k))
			}
		}
		if err := t.more(ctx, false); err != nil {
			return "", err
		}
	}
}
