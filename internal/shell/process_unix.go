//go:build unix

package shell

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// program is a program that has been started: outside ([proctree.Kept]) or
// in a sandbox ([sandbox.Process]). It leads a process session of its own.
type program interface {
	// Wait waits until it has ended, kills what it left behind, and returns its exit status.
	Wait() int
	// Kill kills it and everything that it started, and does not wait.
	Kill()
}

// process is a program with its output and input.
type process struct {
	program
	out *os.File // where its output is read: the end of a pipe, or the terminal
	in  *os.File // where its input is written: a pipe of commands, or the terminal

	// Only for a persistent shell:
	bash     bool       // it is bash, not a plain sh
	exitFile string     // where it writes its state when it ends
	begun    bool       // it has got a command; used only by the call that holds the shell
	writing  sync.Mutex // held while something is written to in: a script must not be parted

	catching sync.Mutex    // only one goroutine at a time waits for caughtUp
	caughtUp chan struct{} // a value: the reader has read all there was
	drained  chan struct{} // closed when the reader has ended

	mu  sync.Mutex // guards job
	job *job       // the command whose output it is; nil before the first
}

// newProcess returns the process of a program that has been started.
func newProcess(started program, out, in *os.File) *process {
	return &process{program: started, out: out, in: in, caughtUp: make(chan struct{}, 1), drained: make(chan struct{})}
}

// follow makes j the job that output belongs to from now on. Output that was written
// before belongs to the job before, or is dropped if there was none.
func (p *process) follow(j *job) {
	if p.current() != nil { // otherwise nothing is reading yet
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

// read copies output to the current job until there is no more, or p.out is closed.
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
			return // the end, or EIO from a terminal that no process has open
		}
	}
}

// pipeSize is the most that a pipe can hold. It bounds readRest, so that output written
// after catchUp was called does not delay it forever. Source: pipe(7), pipe-max-size.
const pipeSize = 1 << 20

// readRest reads what is in the pipe now, without waiting for more.
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

// catchUp returns when everything that was in the pipe has been given to the job.
func (p *process) catchUp() {
	p.catching.Lock()
	defer p.catching.Unlock()
	_ = p.out.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	select {
	case <-p.caughtUp:
	case <-p.drained:
	}
}

// write types into the terminal.
func (p *process) write(text string) error {
	_ = p.in.SetWriteDeadline(time.Now().Add(writeGrace)) // a terminal without deadlines waits
	_, err := p.in.WriteString(text)
	return err
}

// writeGrace is how long a terminal may take to accept input: it buffers about 4 KiB for
// a program that does not read.
const writeGrace = 5 * time.Second

func (p *process) close() {
	_ = p.out.Close()
	_ = p.in.Close()
}

// killed is the exit status of a command that SIGKILL has ended.
const killed = 128 + int(syscall.SIGKILL)

// watch runs f on a goroutine that Close waits for. A panic there does not end the
// program: it kills the shell's process, whose command ends with the panic as its error.
func (s *Shells) watch(sh *shell, p *process, f func()) {
	s.wg.Go(func() {
		if err := fault.Guard("shell.watch", func() error { f(); return nil }); err != nil {
			s.fail(sh, p, err)
		}
	})
}

// fail gives up the process of a shell. The next command gets a new one. The command ends
// first, because the end of the process would end it without the reason.
func (s *Shells) fail(sh *shell, p *process, why error) {
	s.giveUp(sh, p)
	p.current().end(killed, why)
	p.Kill()
	p.close()
}
