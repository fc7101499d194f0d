//go:build unix

package shell

import (
	"os"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// window is the size that a terminal reports. It is wide, because no screen shows it.
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
	env := append(sh.state.env[:len(sh.state.env):len(sh.state.env)], "TERM=xterm-256color")
	cmd := prepare(program, append(args, "-c", sh.job.command), sh.state.dir, env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr.Setctty = true
	if err := cmd.Start(); err != nil {
		near.Close()
		return unstarted("shell.Run", cmd, err)
	}
	p := newProcess(cmd, near, near)
	sh.proc, sh.job.kill = p, p.kill
	p.follow(sh.job)
	s.watch(sh, p, p.read)
	s.watch(sh, p, func() {
		defer p.close()
		code := p.reap()
		select {
		case <-p.drained:
		case <-time.After(drainGrace):
		}
		s.exited(sh, p)
		p.current().finish(code)
	})
	return nil
}

// drainGrace is how long the last output of a terminal may take to pass through the kernel
// after its programs have ended, if the terminal has not reported its end by then.
const drainGrace = 250 * time.Millisecond

// openTerminal opens both sides of a terminal. The near side, which this program reads,
// does not block, so that closing it ends a read; package pty opens a blocking one.
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
