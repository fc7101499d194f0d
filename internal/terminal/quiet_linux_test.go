package terminal

import (
	"os"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A quiet terminal shows no typed key, keeps it for the next line, and Ctrl-C is a signal.
func TestQuiet(t *testing.T) {
	user, device, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	out, err := os.OpenFile(device.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	tty := &TTY{in: device, out: out, getenv: func(string) string { return "" }, keys: newKeyboard(device)}
	settings := func() *unix.Termios {
		s, err := unix.IoctlGetTermios(int(device.Fd()), getTermios)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := settings()
	restore := tty.Quiet()
	if s := settings(); s.Lflag&unix.ECHO != 0 || s.Lflag&unix.ISIG == 0 || s.Oflag != before.Oflag {
		t.Errorf("a quiet terminal has the settings %+v", s)
	}
	if _, err := user.WriteString("typed\r"); err != nil {
		t.Fatal(err)
	}
	if _, err := tty.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, err := user.Read(buf)
	if got := string(buf[:n]); got != "answer" || err != nil {
		t.Errorf("the screen shows %q (%v), want the answer alone", got, err)
	}
	if line, err := tty.ReadLine(t.Context(), "> ", nil); line != "typed" || err != nil {
		t.Errorf("ReadLine = %q, %v, want what was typed", line, err)
	}
	restore()
	if diff := cmp.Diff(before, settings()); diff != "" {
		t.Errorf("the settings after restore (-before +after):\n%s", diff)
	}
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
}
