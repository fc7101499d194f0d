//go:build unix

package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Supported says whether this system has shells.
const Supported = true

// begin starts the process of a shell for its command. mu is held.
func (s *Shells) begin(sh *shell) error {
	switch sh.mode {
	case Async:
		return s.startTerminal(sh)
	case Detached:
		return s.startDetached(sh)
	}
	return s.startLine(sh)
}

// window is how large a terminal claims to be: wide, as lines are not looked at on
// a screen.
var window = pty.Winsize{Rows: 40, Cols: 160}

// startTerminal starts a command at a terminal of its own.
func (s *Shells) startTerminal(sh *shell) error {
	program, args, err := s.opts.lookShell()
	if err != nil {
		return err
	}
	near, far, err := openTerminal()
	if err != nil {
		return unavailable("shell.Run", sh.id, err)
	}
	defer far.Close()
	cmd := exec.Command(program, append(args, "-c", sh.job.text)...)
	cmd.Args[0] = filepath.Base(program) // its messages begin with it
	cmd.Dir, cmd.Env = sh.state.dir, append(sh.state.env[:len(sh.state.env):len(sh.state.env)], "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		near.Close()
		return unavailable("shell.Run", program, err)
	}
	p := newProcess(cmd, near, near)
	sh.proc, sh.job.kill = p, p.kill
	p.follow(sh.job)
	s.wg.Go(p.read)
	s.wg.Go(func() {
		code := p.reap()
		select {
		case <-p.drained:
		case <-time.After(drainGrace):
		}
		s.left(sh, p)
		p.current().finish(code)
		p.close()
	})
	return nil
}

// drainGrace is how long the last output of a terminal may take to come through
// the kernel once its programs are dead, if the terminal has not said by then that
// it is at its end.
const drainGrace = 250 * time.Millisecond

// openTerminal opens both sides of a terminal. Ours does not block, so that closing
// it ends a read; package pty's does.
func openTerminal() (near, far *os.File, err error) {
	blocking, far, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := syscall.Dup(int(blocking.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	if err == nil {
		err = pty.Setsize(far, &window)
	}
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), far, nil
}
