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
	env := append(sh.state.env[:len(sh.state.env):len(sh.state.env)], "TERM=xterm-256color")
	spec, err := s.opts.spec(sh.state.dir, env, "-c", sh.job.command)
	if err != nil {
		return err
	}
	spec.Rows, spec.Cols = window.Rows, window.Cols
	started, near, err := run(s.opts.Keeper, s.opts.Sandbox, sh.policy, spec)
	if err != nil {
		return err
	}
	p := newProcess(started, near, near)
	sh.proc, sh.job.kill = p, p.Kill
	p.follow(sh.job)
	s.watch(sh, p, p.read)
	s.watch(sh, p, func() {
		defer p.close()
		code := p.Wait()
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

// openTerminal opens both sides of a terminal of a size. The near side, which this program reads,
// does not block, so that closing it ends a read; package pty opens a blocking one.
func openTerminal(rows, cols uint16) (near, far *os.File, err error) {
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
		err = pty.Setsize(far, &pty.Winsize{Rows: rows, Cols: cols})
	}
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), far, nil
}
