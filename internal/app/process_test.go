package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// process is a sidestick in the background.
type process struct {
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr *output
	ended          chan struct{} // closed when it has; err is set then
	err            error
	port           string // of a server
	signaled       time.Time
	requests       int // written by request; the id of the last one
}

// output collects what a process prints.
type output struct {
	mu      sync.Mutex // guards the rest
	text    bytes.Buffer
	changed chan struct{} // closed at the next write
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) now() (text string, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.changed
}

// forget drops what was seen.
func (o *output) forget(seen string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Next(len(seen))
}

// start runs the program in the script's environment and folder.
func start(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "start ARGS...")
	binary, err := exec.LookPath("sidestick")
	ts.Check(err)
	launch(ts, binary, args)
}

// launch runs any program so, in place of the one in the background.
func launch(ts *testscript.TestScript, binary string, args []string) *process {
	w := worldOf(ts)
	if w.process != nil {
		w.process.kill()
	}
	p := &process{cmd: exec.Command(binary, args...), stdout: newOutput(), stderr: newOutput(), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = ts.MkAbs("."), p.stdout, p.stderr
	for _, name := range passed {
		if v := ts.Getenv(name); v != "" {
			p.cmd.Env = append(p.cmd.Env, name+"="+v)
		}
	}
	stdin, err := p.cmd.StdinPipe()
	ts.Check(err)
	p.stdin = stdin
	ts.Check(p.cmd.Start())
	w.process = p
	go func() { p.err = p.cmd.Wait(); close(p.ended) }()
	return p
}

// passed are the variables that a program in the background gets.
var passed = []string{
	"PATH", "HOME", "TMPDIR", "GOCOVERDIR", "GORACE", "SIDESTICK_HOME", "OPENAI_BASE_URL", "OPENAI_API_KEY", "SIDESTICK_MODEL", "SIDESTICK_TOOL_SEARCH",
	"COPILOT_CONNECTION_TOKEN", "COPILOT_SDK_AUTH_TOKEN", "MINE", "SIDESTICK_LOCAL_SERVERS", "SIDESTICK_KEYRING", "XDG_CONFIG_HOME",
}

// serve starts a server and waits until it listens.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, "serve [FLAGS...]")
	start(ts, false, append([]string{"--server", "--port", "0"}, args...))
	listening(ts, false, nil)
}

// listening waits for the line that the SDKs wait for, which must be all that
// stands on stdout.
func listening(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "listening")
	p := worldOf(ts).process
	p.port = p.until(ts, regexp.MustCompile(`^listening on port (\d+)\n$`))[1]
	ts.Setenv("PORT", p.port)
}

func prints(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "prints REGEXP")
	worldOf(ts).process.until(ts, regexp.MustCompile(args[0]))
}

// until waits for a match in all that stands on stdout.
func (p *process) until(ts *testscript.TestScript, want *regexp.Regexp) []string {
	ctx, cancel := within(patience)
	defer cancel()
	for {
		text, changed := p.stdout.now()
		if m := want.FindStringSubmatch(text); m != nil {
			return m
		}
		select {
		case <-changed:
		case <-p.ended:
			said, _ := p.stderr.now()
			ts.Fatalf("the program ended: %v\nstdout: %s\nstderr: %s", p.err, text, said)
		case <-ctx.Done():
			ts.Fatalf("no %v in %v; stdout: %q", want, patience, text)
		}
	}
}

// leaving is how long a program may take to end after a signal: half of what the SDKs
// give it. It takes some milliseconds, but for a busy machine.
const leaving = 5 * time.Second

func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT}
	usage(ts, neg || len(args) != 1 || signals[args[0]] == 0, "signal INT|TERM|HUP|QUIT")
	p := worldOf(ts).process
	p.signaled = time.Now()
	ts.Check(p.cmd.Process.Signal(signals[args[0]]))
}

// request writes a request to its stdin, as a program does over stdio.
func request(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 1 || len(args) > 2, "request METHOD [PARAMS]")
	params := "{}"
	if len(args) == 2 {
		params = args[1]
	}
	p := worldOf(ts).process
	p.requests++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.requests, args[0], params)
	_, err := fmt.Fprintf(p.stdin, "Content-Length: %d\r\n\r\n%s", len(body), body)
	ts.Check(err)
}

func hangUp(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "hangup")
	ts.Check(worldOf(ts).process.stdin.Close())
}

func crash(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "crash")
	worldOf(ts).process.kill()
}

// kill is kill -9. The process may have ended before.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// exits runs a program, or waits for the one in the background, and compares its
// exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "exits CODE [PROGRAM ARGS...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if len(args) > 1 {
		err = ts.Exec(args[1], args[2:]...)
	} else {
		err = worldOf(ts).process.wait(ts)
	}
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// wait waits for the end of a process and hands its output to the script.
func (p *process) wait(ts *testscript.TestScript) error {
	ctx, cancel := within(patience)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
		_ = p.cmd.Process.Signal(syscall.SIGABRT) // it prints what its goroutines wait for
		select {
		case <-p.ended:
		case <-time.After(leaving):
		}
		out, _ := p.stdout.now()
		said, _ := p.stderr.now()
		ts.Fatalf("the program has not ended in %v; then it was aborted\nstdout: %s\nstderr: %s", patience, out, said)
	}
	if took := time.Since(p.signaled); !p.signaled.IsZero() && took > leaving {
		ts.Fatalf("the program ended %v after the signal, want %v at most", took, leaving)
	}
	out, _ := p.stdout.now()
	said, _ := p.stderr.now()
	_, err := io.WriteString(ts.Stdout(), out)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), said)
	ts.Check(err)
	return p.err
}
