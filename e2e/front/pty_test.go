package front_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal starts a program at a new terminal. With NOFLSH the kernel does not discard what was
// written and not read when Ctrl-C is a signal: else the end of what the program writes is lost
// sometimes, if a further Ctrl-C comes when the program has restored the terminal.
func (d *desk) terminal(cmd *exec.Cmd) *os.File {
	d.t.Helper()
	f, tty, err := pty.Open()
	if err != nil {
		d.t.Fatal(err)
	}
	defer tty.Close()
	d.pty = f
	d.before = d.settings()
	d.before.Lflag |= unix.NOFLSH
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = errors.Join(
		unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, &d.before),
		pty.Setsize(f, &pty.Winsize{Rows: uint16(d.ys), Cols: uint16(d.cols)}),
		cmd.Start())
	if err != nil {
		d.t.Fatal(errors.Join(err, f.Close()))
	}
	return f
}

// settings are those of the terminal line, as `stty -a` shows them.
func (d *desk) settings() unix.Termios {
	d.t.Helper()
	got, err := unix.IoctlGetTermios(int(d.pty.Fd()), unix.TCGETS)
	if err != nil {
		d.t.Fatal(err)
	}
	return *got
}

// resizes changes the size of the terminal.
func (d *desk) resizes(columns, rows int) {
	d.t.Helper()
	d.mu.Lock()
	d.screen.Resize(columns, rows)
	d.cols, d.ys, d.resized = columns, rows, true
	d.mu.Unlock()
	if err := pty.Setsize(d.pty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil && !errors.Is(err, syscall.EIO) {
		d.t.Fatal(err)
	}
}
