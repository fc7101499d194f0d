package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// Process is a program in a sandbox. It leads a process session of its own.
type Process struct {
	// Terminal is the side of its terminal that this program reads and writes; nil without
	// one. The caller closes it.
	Terminal *os.File

	box   *box
	id    int
	pid   int           // as the keeper sees it; set by the first reply
	first chan reply    // the answer to its start
	done  chan struct{} // closed when it has ended

	killOnce sync.Once
	killed   chan struct{} // closed by the first Kill

	once sync.Once
	code int // valid once done is closed
}

// tell passes on a reply of the keeper.
func (p *Process) tell(r reply, files []*os.File) {
	switch {
	case r.Ended:
		p.once.Do(func() {
			p.code = r.Code
			close(p.done)
		})
		select { // the keeper has ended before the program started
		case p.first <- r:
		default:
		}
	default:
		p.pid = r.PID
		if len(files) > 0 {
			p.Terminal, files = files[0], files[1:]
		}
		select {
		case p.first <- r:
		default:
		}
	}
	closeFiles(files)
}

// Wait waits until the program has ended and what it started has been killed. It returns its
// exit status: 128 plus the signal's number if a signal ended it, as SIGKILL does if the
// sandbox ends. If the program has not ended within killTime after Kill, Wait ends the sandbox.
func (p *Process) Wait() int {
	select {
	case <-p.done:
		return p.code
	case <-p.killed:
	}
	late := time.NewTimer(killTime)
	defer late.Stop()
	select {
	case <-p.done:
	case <-late.C:
		p.box.close() // a command may have stopped the keeper
		<-p.done
	}
	return p.code
}

// killTime bounds the wait for the end of a program that was killed. The keeper needs up to a
// second; see [proctree.Tree.KillAll].
const killTime = 5 * time.Second

// Kill kills the program and everything that it started, and does not wait.
func (p *Process) Kill() {
	p.killOnce.Do(func() { close(p.killed) })
	if p.box.pids && !p.ended() {
		proctree.NewTree(p.pid).KillOnce()
	}
	_ = p.box.send(request{ID: p.id, Kill: true}) // a broken socket has ended it already
}

func (p *Process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// startProcess starts a program in the sandbox.
func (b *box) startProcess(s Spec) (*Process, error) {
	p := &Process{box: b, first: make(chan reply, 1), done: make(chan struct{}), killed: make(chan struct{})}
	b.mu.Lock()
	if b.gone {
		b.mu.Unlock()
		return nil, unstarted(s, reply{Error: "the sandbox has ended"})
	}
	b.last++
	p.id = b.last
	b.programs[p.id] = p
	b.mu.Unlock()
	q := request{ID: p.id, Path: s.Path, Args: s.Args, Dir: s.Dir, Env: slices.Concat(s.Env, b.environ())}
	if s.Rows > 0 {
		q.Terminal = &size{s.Rows, s.Cols}
	}
	if err := b.send(q, s.Files...); err != nil {
		return nil, unstarted(s, reply{Error: err.Error()})
	}
	late := time.NewTimer(startTime)
	defer late.Stop()
	select {
	case r := <-p.first:
		if r.Error != "" {
			return nil, unstarted(s, r)
		}
		return p, nil
	case <-late.C:
		b.close() // a command may have stopped the keeper
		return nil, unstarted(s, reply{Error: fmt.Sprintf("the sandbox did not answer within %v, and was ended", startTime)})
	}
}

// send sends a request to the keeper. A keeper that does not read it within startTime is ended,
// with its sandbox.
func (b *box) send(q request, files ...*os.File) error {
	_ = b.ch.conn.SetWriteDeadline(time.Now().Add(startTime)) // a closed socket fails below
	err := b.ch.send(q, files...)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		b.close() // a command may have stopped the keeper
	}
	return err
}

// startTime bounds the wait for the start of a program, which takes a millisecond.
const startTime = 5 * time.Second

// environ is what the sandbox adds to the environment of a program.
func (b *box) environ() []string {
	env := []string{"HOME=" + b.home, "TMPDIR=" + b.tmp, "GIT_CONFIG_GLOBAL=" + b.git}
	if b.proxy != nil {
		env = append(env, b.proxy.Env(net.JoinHostPort("127.0.0.1", strconv.Itoa(proxyPort)))...)
	}
	return env
}

// unstarted is the error of a program that did not start.
func unstarted(s Spec, r reply) error {
	why := r.Error
	if r.NotFound {
		why = "the program or its folder " + s.Dir + " is not visible in the sandbox: " + syscall.ENOENT.Error()
	}
	return fault.New(fault.Unavailable, "sandbox.Start", s.Path, "%s", why)
}
