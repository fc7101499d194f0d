package shell

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// keys maps the names of keys in [Keys] to the bytes that a terminal sends for them. The cursor
// keys are those of xterm.
var keys = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f", "space": " ",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
		"insert": "\x1b[2~", "delete": "\x1b[3~", "shift-tab": "\x1b[Z",
	}
}}

// Keys returns what a terminal sends for a text in which keys are named: {enter}, {tab},
// {escape}, {backspace}, {space}, {up}, {down}, {left}, {right}, {home}, {end}, {pageup},
// {pagedown}, {insert}, {delete}, {shift-tab}, and {ctrl-a} to {ctrl-z}. Other braces
// stay as they are; {{enter}} is the text {enter}.
func Keys(text string) string {
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		end := strings.IndexByte(text, '}')
		if end < 0 {
			break
		}
		name, literal := strings.CutPrefix(text[1:end], "{")
		sent, known := key(name)
		switch {
		case known && literal && strings.HasPrefix(text[end+1:], "}"):
			sent, end = "{"+name+"}", end+1
		case !known || literal:
			sent, end = "{", 0
		}
		b.WriteString(sent)
		text = text[end+1:]
	}
	return b.String() + text
}

func key(name string) (sent string, known bool) {
	name = strings.ToLower(name)
	if letter, ok := strings.CutPrefix(name, "ctrl-"); ok && len(letter) == 1 && 'a' <= letter[0] && letter[0] <= 'z' {
		return string(rune(letter[0] - 'a' + 1)), true
	}
	sent, known = keys.Get()[name]
	return sent, known
}
