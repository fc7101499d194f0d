//go:build unix

package torture_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// process is one life of the program under test.
type process struct {
	addr string // where it listens; empty if it died before

	cmd    *exec.Cmd
	ended  chan struct{} // closed when it is gone; the rest is fixed then
	ops    []op
	stderr bytes.Buffer
}

// op is an operation that the process carried out.
type op struct {
	n    int
	name string
	size int64
	path string
}

// start begins a life on a home.
func start(home string, f fault) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, "--headless"), ended: make(chan struct{})}
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "COPILOT_HOME=" + home, faultOf + "=" + f.String()}
	p.cmd.Dir, p.cmd.Stderr = home, &p.stderr
	if _, err := p.cmd.StdinPipe(); err != nil { // closed when it is gone, or we are
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	trace, far, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.ExtraFiles = []*os.File{far}
	err = p.cmd.Start()
	_ = far.Close() // the process has its own
	if err != nil {
		_ = trace.Close()
		return nil, err
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n') // none if it died first
	go p.watch(trace)
	return p, p.listens(line)
}

// listens reads what the process says when it is up.
func (p *process) listens(line string) error {
	port, found := strings.CutPrefix(line, "listening on port ")
	if found {
		p.addr = "127.0.0.1:" + strings.TrimSpace(port)
		return nil
	}
	<-p.ended
	return p.died()
}

// watch reads the trace until the process is gone.
func (p *process) watch(trace *os.File) {
	defer close(p.ended)
	for lines := bufio.NewScanner(trace); lines.Scan(); {
		var o op
		if _, err := fmt.Sscanf(lines.Text(), "%d\t%s\t%d\t%s", &o.n, &o.name, &o.size, &o.path); err == nil {
			p.ops = append(p.ops, o) // what cannot be read was torn by the end
		}
	}
	_ = trace.Close()
	_ = p.cmd.Wait() // how it ended is in ProcessState
}

// kill ends the process with kill -9, if it has not ended, and waits.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails if it is gone
	<-p.ended
}

// died returns an error if the process, which is gone, did not die of a SIGKILL.
func (p *process) died() error {
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() && s.Signal() == syscall.SIGKILL {
		return nil
	}
	return fmt.Errorf("the process ended with %v; it said:\n%.2000s", p.cmd.ProcessState, &p.stderr)
}

// begun is start for a test that needs the process.
func begun(t *testing.T, home string, f fault) *process {
	t.Helper()
	p, err := start(home, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
