package terminal

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// atDevice is a terminal with a device behind it, and its user.
func atDevice(t *testing.T) (tty *TTY, user *os.File) {
	t.Helper()
	user, device, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(device.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	tty = &TTY{in: device, out: out, getenv: func(string) string { return "" }, keys: newKeyboard(device)}
	t.Cleanup(func() {
		if err := tty.Close(); err != nil {
			t.Error(err)
		}
		_ = user.Close()
	})
	return tty, user
}

// receive collects keys until there are n bytes.
func receive(t *testing.T, keys <-chan []byte, n int) string {
	t.Helper()
	var got strings.Builder
	for got.Len() < n {
		select {
		case p, ok := <-keys:
			if !ok {
				t.Fatalf("the keys end after %q", got.String())
			}
			got.Write(p)
		case <-time.After(10 * time.Second):
			t.Fatalf("no keys come after %q", got.String())
		}
	}
	return got.String()
}

// After stop, another program that reads the terminal gets every key; those that nobody has
// received come first when the reading goes on.
func TestKeysCanBeStopped(t *testing.T) {
	tty, user := atDevice(t)
	restore, err := tty.Raw()
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	typed := func(text string) {
		t.Helper()
		if _, err := user.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 50 {
		keys, stop, err := tty.Keys()
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			if got := receive(t, keys, 4); got != "kept" {
				t.Fatalf("round %d: the first keys are %q", round, got)
			}
		}
		typed("one\x1b[A")
		if got := receive(t, keys, 6); got != "one\x1b[A" {
			t.Fatalf("round %d: the keys are %q", round, got)
		}
		stop()
		stop()
		if p, ok := <-keys; ok {
			t.Fatalf("round %d: %q comes after stop", round, p)
		}
		typed("editor")
		buf := make([]byte, 100)
		n, err := tty.in.Read(buf)
		if got := string(buf[:n]); got != "editor" || err != nil {
			t.Fatalf("round %d: the editor reads %q, %v", round, got, err)
		}
		tty.rest = []byte("kept") // read before stop, and not received
	}
}

// Keys that were read and not received are not lost.
func TestKeysThatNobodyReceived(t *testing.T) {
	tty, user := atDevice(t)
	restore, err := tty.Raw()
	if err != nil {
		t.Fatal(err)
	}
	defer restore()

	for range 20 {
		_, stop, err := tty.Keys()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := user.WriteString("k"); err != nil {
			t.Fatal(err)
		}
		stop()
	}
	keys, stop, err := tty.Keys()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if got := receive(t, keys, 20); got != strings.Repeat("k", 20) {
		t.Errorf("the keys are %q", got)
	}
}

func TestKeysEndWithTheTerminal(t *testing.T) {
	tty, user := atDevice(t)
	keys, stop, err := tty.Keys()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := user.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case p, ok := <-keys:
		if ok {
			t.Errorf("%q comes from a terminal that was closed", p)
		}
	case <-time.After(10 * time.Second):
		t.Error("the keys do not end")
	}
}

func TestExtentIsTheTruth(t *testing.T) {
	tty, user := atDevice(t)
	if err := pty.Setsize(user, &pty.Winsize{Rows: 3, Cols: 7}); err != nil {
		t.Fatal(err)
	}
	if columns, rows := tty.Extent(); columns != 7 || rows != 3 {
		t.Errorf("Extent = %d, %d, want 7, 3", columns, rows)
	}
	if columns, rows := tty.Size(); columns != narrowest || rows != 5 {
		t.Errorf("Size = %d, %d, want %d, 5", columns, rows, narrowest)
	}
}

func TestReflows(t *testing.T) {
	for _, tc := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true},
		{map[string]string{"TERM": "linux"}, false},
		{map[string]string{"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"}, false},
		{map[string]string{"TERM": "screen", "STY": "1.pts"}, false},
		{map[string]string{"TERM": "tmux", "TMUX": "/tmp/x,1,0", "XTERM_VERSION": "XTerm(390)"}, true},
	} {
		if got := Reflows(func(name string) string { return tc.env[name] }); got != tc.want {
			t.Errorf("Reflows with %v = %v", tc.env, got)
		}
	}
}
