package mcp

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// child is a server that is a program, with its pipes.
type child struct {
	program program
	in, out *os.File      // its standard input and output
	errors  tail          // the end of its error output, and of its output that is not a message
	ended   chan struct{} // closed when the program has ended and its error output is read
	code    int           // its exit code; valid once ended is closed
	threads sync.WaitGroup
}

// program is a started program: with a keeper, or in a sandbox ([sandbox.Process]).
type program interface {
	// Wait waits until it and everything that it started have ended, and returns its exit code.
	Wait() int
	// Kill kills it and everything that it started, and does not wait.
	Kill()
}

// launch is where and how a program is started.
type launch struct {
	keeper  string         // this program, for the keeper; "" starts the server itself
	dir     string         // the working directory of the session
	environ []string       // what servers inherit
	boxes   *sandbox.Boxes // of the session
	policy  *sandbox.Policy
}

// begin starts the program of a server.
func (l launch) begin(c *config) (*child, error) {
	spec, err := l.spec(c)
	if err != nil {
		return nil, err
	}
	var near, far []*os.File
	defer func() { closeAll(far) }()
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(near)
			return nil, unavailable("the pipes to it cannot be made: %w", err)
		}
		if i == 0 {
			r, w = w, r
		}
		near, far = append(near, r), append(far, w)
	}
	spec.Files = far
	child := &child{in: near[0], out: near[1], ended: make(chan struct{})}
	if l.policy != nil {
		child.program, err = l.inside(spec)
	} else {
		child.program, err = startProgram(l.keeper, spec)
	}
	if err != nil {
		closeAll(near)
		return nil, err
	}
	child.watch(near[2])
	return child, nil
}

// inside starts a program in the sandbox of the session.
func (l launch) inside(spec sandbox.Spec) (program, error) {
	if l.boxes == nil {
		return nil, unavailable("it must run in a sandbox, and this session has none")
	}
	p, err := l.boxes.Start(*l.policy, spec)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unavailable, Err: err, Hint: "the server runs in the sandbox of the session; sandboxMcpServers: false starts it outside"}
	}
	return p, nil
}

// spec describes the program of a server.
func (l launch) spec(c *config) (sandbox.Spec, error) {
	dir := c.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return sandbox.Spec{}, unavailable("its working directory %s cannot be used: %w", dir, errors.Join(err))
	}
	inherited := l.environ
	if l.policy != nil {
		inherited = l.policy.Environ(inherited)
	}
	env := slices.Clone(inherited)
	for name, value := range c.env {
		env = append(env, name+"="+value) // the last one counts
	}
	path, err := lookPath(c.command, dir, env)
	if err != nil {
		return sandbox.Spec{}, err
	}
	return sandbox.Spec{Path: path, Args: append([]string{c.command}, c.args...), Dir: dir, Env: env}, nil
}

// lookPath finds a program as a shell in dir with that environment does.
func lookPath(command, dir string, env []string) (string, error) {
	if strings.ContainsAny(command, `/\`) {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path, err := exec.LookPath(path)
		if err != nil {
			return "", unavailable("the program %s cannot be started: %w", command, errors.Unwrap(err))
		}
		return path, nil
	}
	for i := len(env) - 1; i >= 0; i-- {
		list, ok := strings.CutPrefix(env[i], "PATH=")
		if !ok {
			continue
		}
		for _, folder := range filepath.SplitList(list) {
			if !filepath.IsAbs(folder) {
				continue // a project could put a program there
			}
			if path, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
				return path, nil
			}
		}
		break
	}
	return "", unavailable("there is no program %s on PATH", command)
}

// watch collects the error output of the program, and its end.
func (c *child) watch(stderr *os.File) {
	read := make(chan struct{})
	c.threads.Go(func() {
		defer close(read)
		c.drain(stderr)
	})
	c.threads.Go(func() {
		c.code = c.program.Wait()
		_ = stderr.SetReadDeadline(time.Now().Add(lateOutput)) // a pipe takes deadlines
		<-read                                                 // an error message quotes the last output
		close(c.ended)
	})
}

// drain reads the error output of the program until nobody can write to it any more, or the deadline.
// A deadline that has passed fails a read although there is something to read. On a busy machine this
// may come so late that it has read nothing before, so it reads once more.
func (c *child) drain(stderr *os.File) {
	if _, err := io.Copy(&c.errors, stderr); errors.Is(err, os.ErrDeadlineExceeded) {
		_ = stderr.SetReadDeadline(time.Now().Add(lateOutput)) // a pipe takes deadlines
		_, _ = io.Copy(&c.errors, stderr)                      // until the second deadline
	}
	_ = stderr.Close()
}

// lateOutput is how long the rest of the error output of a program that has ended is waited
// for.
const lateOutput = 100 * time.Millisecond

// Times for the end of a program: how long it may take after its standard input was closed;
// how long its exit code is waited for after it has closed its output, which is long because it names
// the cause, and keepers end late on a busy machine (under the race detector each takes a second);
// and how long its kill may take.
const (
	endGrace  = time.Second
	exitGrace = 5 * time.Second
	killGrace = 5 * time.Second
)

// close ends the program and everything that it has started, and waits until that has
// happened, at most endGrace and killGrace.
func (c *child) close() {
	closeAll([]*os.File{c.in})
	if !c.endsWithin(endGrace) {
		c.program.Kill()
		c.endsWithin(killGrace)
	}
	closeAll([]*os.File{c.out})
}

func (c *child) endsWithin(d time.Duration) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-c.ended:
		return true
	case <-late.C:
		return false
	}
}

// transport returns the connection to the program. broke is called if it sends what ends the
// connection, and heard with each message.
func (c *child) transport(broke func(error), heard func(message []byte)) sdk.Transport {
	from := newMessages(c.out, &c.errors, broke)
	from.heard = heard
	return &sdk.IOTransport{Reader: from, Writer: patient{c.in}, MaxLineLength: maxLine + 1}
}

// patient writes to a pipe that a server may not read.
type patient struct{ *os.File }

// writeTime bounds one write. A pipe holds 64 KiB; a server that takes longer to read them has
// stopped.
const writeTime = 10 * time.Second

// Write implements [io.Writer].
func (p patient) Write(text []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(writeTime)) // a pipe takes deadlines
	return p.File.Write(text)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // the second close of a file does nothing
	}
}

func unavailable(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, "", "", format, args...)
}
