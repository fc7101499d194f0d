//go:build unix

package shell

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a program that leads a session of its own, and what reads its output.
type process struct {
	cmd *exec.Cmd
	out *os.File // its output: the reading end of a pipe, or the terminal
	in  *os.File // what it reads: a pipe of commands, or the terminal

	bash  bool   // it is bash, not a plain sh; of a persistent shell
	exit  string // file that it writes its last state to; of a persistent shell
	begun bool   // it has been given a command; only the holder of the shell asks

	catching sync.Mutex    // one at a time waits for caughtUp
	caughtUp chan struct{} // the reader has read all there was
	drained  chan struct{} // closed when the reader has ended

	mu     sync.Mutex // guards the rest
	job    *job       // whose output it is; nil before the first
	reaped bool       // its id may be another's by now
	prey   prey       // what is to be killed
}

// newProcess is of a command that has been started.
func newProcess(cmd *exec.Cmd, out, in *os.File) *process {
	return &process{
		cmd: cmd, out: out, in: in, caughtUp: make(chan struct{}, 1), drained: make(chan struct{}), prey: newPrey(cmd.Process.Pid),
	}
}

// follow makes j the job that output belongs to, from here on: what was written before
// is of the job before, or of nobody.
func (p *process) follow(j *job) {
	if p.current() != nil { // else nothing reads yet
		p.catchUp()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.job = j
}

func (p *process) current() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.job
}

// read copies output to the jobs until there is no more, or p.out is closed.
func (p *process) read() {
	defer close(p.drained)
	buf := make([]byte, 16<<10)
	for {
		n, err := p.out.Read(buf)
		_, _ = p.current().out.Write(buf[:n])
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			p.readRest(buf)
			p.caughtUp <- struct{}{}
		default:
			return // the end, or EIO from a terminal that nobody has open
		}
	}
}

// pipeSize is the most that a pipe holds, so that what comes after catchUp was
// called does not keep it. Source: pipe(7), pipe-max-size.
const pipeSize = 1 << 20

// readRest reads what is in the pipe without waiting for more.
func (p *process) readRest(buf []byte) {
	_ = p.out.SetReadDeadline(time.Time{})
	raw, err := p.out.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		for sum := 0; sum < pipeSize; {
			n, err := syscall.Read(int(fd), buf)
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 || err != nil {
				break
			}
			_, _ = p.current().out.Write(buf[:n])
			sum += n
		}
		return true
	})
}

// catchUp returns when everything that was in the pipe is with the job.
func (p *process) catchUp() {
	p.catching.Lock()
	defer p.catching.Unlock()
	_ = p.out.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	select {
	case <-p.caughtUp:
	case <-p.drained:
	}
}

// reap waits for the process to end, ends what it left behind, and returns its
// exit status.
func (p *process) reap() int {
	_ = p.cmd.Wait() // what it says is in ProcessState
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prey.sweep()
	p.reaped = true
	return exitCode(p.cmd.ProcessState)
}

// write types into the terminal.
func (p *process) write(text string) error {
	_ = p.in.SetWriteDeadline(time.Now().Add(writeGrace)) // where there are none, it waits
	_, err := p.in.WriteString(text)
	return err
}

// writeGrace is how long a terminal may take to accept input: it keeps some 4 KiB
// for a program that does not read.
const writeGrace = 5 * time.Second

func (p *process) close() {
	_ = p.out.Close()
	_ = p.in.Close()
}

// exitCode is the status as a shell tells it.
func exitCode(st *os.ProcessState) int {
	ws, ok := st.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}

// kill kills the process and everything that it started, and does not wait.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.prey.strike()
	}
}
