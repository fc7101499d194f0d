package screen

import (
	"encoding/base64"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// longestNotice bounds titles and notices, in columns.
const longestNotice = 120

// short is a text that a terminal shows outside of its rows: one line, and nothing in it can end
// the sequence that it is part of.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return row.Harmless(row.Text(text).Cut(longestNotice).String())
}

// Title sets the title of the window. Restore brings the earlier one back, at terminals that keep
// it.
func (s *Screen) Title(text string) error {
	if s.kind.simple || !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.raw == nil {
		return nil
	}
	push := ""
	if !s.titled {
		push, s.titled = "\x1b[22;2t", true
	}
	return s.write(push + "\x1b]2;" + short(text) + "\x1b\\")
}

func (s *Screen) untitle() string {
	if !s.titled {
		return ""
	}
	return "\x1b]2;\x1b\\\x1b[23;2t"
}

// Bell rings the bell of the terminal.
func (s *Screen) Bell() error { return s.send("\a") }

// Notify shows a notice on the desktop, at terminals that can. tmux and screen keep notices from
// the terminal around them, so that the bell rings there, which marks the window.
func (s *Screen) Notify(title, body string) error {
	if s.kind.multi || s.kind.simple {
		return s.Bell()
	}
	// A semicolon separates the fields of OSC 777, and a number at the beginning of OSC 9 is a command.
	title = strings.ReplaceAll(short(title), ";", ",")
	if s.kind.notices == "9;" {
		return s.send("\x1b]9;" + title + ": " + short(body) + "\x1b\\")
	}
	return s.send("\x1b]" + s.kind.notices + title + ";" + short(body) + "\x1b\\")
}

// maxClipboard bounds what is put into the clipboard, in bytes: with more, the sequence exceeds the
// 100,000 bytes that terminals take.
const maxClipboard = 74_991

// Copy puts a text into the clipboard of the user, also over ssh. It reports false if the
// terminal is known to refuse it, or if the text is too long; a terminal that ignores it does not
// tell.
func (s *Screen) Copy(text string) (sent bool, err error) {
	if s.kind.multi || s.kind.simple || len(text) > maxClipboard {
		return false, nil
	}
	return true, s.send("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x1b\\")
}

// send writes what shows nothing in the rows.
func (s *Screen) send(text string) error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.raw == nil {
		return nil
	}
	return s.write(text)
}
