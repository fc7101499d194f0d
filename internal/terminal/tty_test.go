package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen records what is written to a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) Close() error { return nil }

// row returns what was drawn after the row was erased last.
func (s *screen) row() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.text.String()
	return text[strings.LastIndex(text, "\x1b[K")+len("\x1b[K"):]
}

// typist is a user at a terminal that has no real device behind it.
type typist struct {
	t      *testing.T
	tty    *TTY
	screen *screen
	keys   io.Writer
}

// atTerminal runs a test with a terminal inside a synctest bubble, where time is fake.
func atTerminal(t *testing.T, f func(u *typist)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		device, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		in, keys := io.Pipe()
		u := &typist{t: t, screen: &screen{}, keys: keys}
		u.tty = &TTY{in: device, out: u.screen, getenv: func(string) string { return "" }, keys: newKeyboard(in)}
		f(u)
		_ = keys.Close()
		if err := u.tty.Close(); err != nil {
			t.Error(err)
		}
	})
}

// press types keys, which arrive together, and waits until the terminal has handled
// them.
func (u *typist) press(keys string) {
	u.t.Helper()
	if _, err := io.WriteString(u.keys, keys); err != nil {
		u.t.Fatal(err)
	}
	synctest.Wait()
}

// line reads a line while type presses the keys.
func (u *typist) line(presses func()) (line string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		line, err = u.tty.ReadLine(context.Background(), "> ", nil)
	}()
	synctest.Wait()
	presses()
	<-done
	return line, err
}

func TestEachKeyIsShownAtOnce(t *testing.T) {
	atTerminal(t, func(u *typist) {
		line, err := u.line(func() {
			for _, typed := range []string{"a", "ab", "abc"} {
				u.press(typed[len(typed)-1:])
				if got := u.screen.row(); got != "> "+typed {
					t.Errorf("after %q was typed the screen shows %q", typed, got)
				}
			}
			u.press("\x7f")
			if got := u.screen.row(); got != "> ab" {
				t.Errorf("after backspace the screen shows %q", got)
			}
			u.press("\r")
		})
		if line != "ab" || err != nil {
			t.Errorf("ReadLine = %q, %v", line, err)
		}
	})
}

func TestEscSwallowsNoKey(t *testing.T) {
	for _, tc := range []struct {
		name string
		keys []string // each a second after the one before
		want string
	}{
		{"Esc, then a letter", []string{"a", "\x1b", "b", "\r"}, "ab"},
		{"Esc, then Enter", []string{"a", "\x1b", "\r"}, "a"},
		{"Esc twice, then a letter", []string{"\x1b", "\x1b", "[", "A", "\r"}, "[A"},
		{"Esc, then an arrow", []string{"ab", "\x1b", "\x1b[D", "c", "\r"}, "acb"},
		{"Esc and an arrow together", []string{"ab", "\x1b\x1b[D", "c", "\r"}, "acb"},
		{"an escape sequence in one piece", []string{"one two", "\x1bb", "x", "\r"}, "one xtwo"},
		{"half an escape sequence", []string{"ab", "\x1b[", "c", "\r"}, "abc"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			atTerminal(t, func(u *typist) {
				line, err := u.line(func() {
					for _, k := range tc.keys {
						u.press(k)
						<-time.After(time.Second)
					}
				})
				if line != tc.want || err != nil {
					t.Errorf("ReadLine = %q, %v, want %q", line, err, tc.want)
				}
			})
		})
	}
}

// A slow line delivers an escape sequence in pieces.
func TestAnEscapeSequenceMayComeInPieces(t *testing.T) {
	atTerminal(t, func(u *typist) {
		line, err := u.line(func() {
			for _, k := range []string{"ab", "\x1b", "[", "D", "c", "\x1b[200~x", "\x1b[20"} {
				u.press(k)
				<-time.After(escapeWait / 2)
			}
			<-time.After(time.Minute) // a pasted text is waited for
			u.press("1~\r")
		})
		if line != "acxb" || err != nil {
			t.Errorf("ReadLine = %q, %v, want acxb", line, err)
		}
	})
}

func TestReadLineEndsWithItsContext(t *testing.T) {
	atTerminal(t, func(u *typist) {
		ctx, cancel := context.WithTimeout(u.t.Context(), time.Minute)
		defer cancel()
		u.tty.rest = []byte("\x1b")
		if _, err := u.tty.ReadLine(ctx, "> ", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ReadLine = %v, want the end of its context", err)
		}
	})
}

// A terminal that has become narrower has wrapped the row: the next draw removes all of it.
func TestTheRowIsRedrawnAfterTheTerminalGotNarrower(t *testing.T) {
	for _, tc := range []struct {
		name    string
		reflows bool
		width   int
		want    string
	}{
		{"the same width", true, 80, "\r\x1b[K> " + strings.Repeat("x", 50)},
		{"narrower, and it still fits", true, 60, "\r\x1b[K> " + strings.Repeat("x", 50)},
		{"three rows now", true, 20, "\x1b[2A\r\x1b[J> " + strings.Repeat("x", 17)},
		{"a terminal that cuts rows off", false, 20, "\r\x1b[K> " + strings.Repeat("x", 17)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			e := &editor{out: &out, prompt: "> ", reflows: tc.reflows}
			presses(&e.line, strings.Repeat("x", 50))
			e.draw(80)
			out.Reset()
			e.draw(tc.width)
			if out.String() != tc.want {
				t.Errorf("draw writes %q, want %q", out.String(), tc.want)
			}
		})
	}
}
