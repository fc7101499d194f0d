package front_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// program is the variable that makes the test binary the program.
const program = "SIDESTICK_FRONT_PROGRAM"

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if os.Getenv(program) != "" {
		app.Protect(os.Getenv)
		os.Exit(app.Main(app.Signals(), os.Args[1:], cli.System{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}))
	}
	if signal.Ignored(syscall.SIGHUP) { // as by nohup: the programs that are started would ignore it, too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // never read: a full channel blocks nobody
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come. It only says how a test fails.
const patience = 30 * time.Second

// desk is a program on a terminal of its own, which an emulator shows.
type desk struct {
	t        testing.TB
	home     string // SIDESTICK_HOME and HOME
	folder   string // the working directory
	model    *modeltest.Server
	env      []string
	cols, ys int
	checked  int // the width at the last check of a monkey

	before unix.Termios // the settings of the terminal before the program
	cmd    *exec.Cmd
	pty    *os.File
	input  chan<- string // keys
	ended  chan struct{}

	mu      sync.Mutex // guards the rest
	screen  *vt.Emulator
	written []byte        // everything that the program has written
	changed chan struct{} // closed with the next write
	outside string        // a place of the cursor outside the screen
	resized bool          // the emulator leaves the cursor where it was when its size changes
}

// newDesk prepares a folder and a model, and starts nothing.
func newDesk(t testing.TB, replies ...modeltest.Reply) *desk {
	t.Helper()
	home := t.TempDir()
	d := &desk{t: t, home: filepath.Join(home, "home"), folder: filepath.Join(home, "work"), model: modeltest.NewServer(replies...), cols: 80, ys: 24}
	t.Cleanup(d.model.Close)
	for _, f := range []string{d.home, d.folder} {
		if err := os.Mkdir(f, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// sit starts the program in front of a new folder, at a terminal of 80 by 24.
func sit(t testing.TB, replies ...modeltest.Reply) *desk {
	t.Helper()
	d := newDesk(t, replies...)
	d.start()
	d.shows("Ask anything")
	return d
}

// environment is all that the program gets to know of this machine.
func (d *desk) environment() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "SIDESTICK_HOME=" + d.home, "XDG_CONFIG_HOME=" + d.home, "TMPDIR=" + d.t.TempDir(), "TERM=xterm-256color", "LANG=C.UTF-8",
		"OPENAI_BASE_URL=" + d.model.URL() + "/v1", "SIDESTICK_MODEL=test-model", "SIDESTICK_KEYRING=off", "SIDESTICK_LOCAL_SERVERS=off", program + "=1",
	}, d.env...)
}

// start starts the program. It ends with the test.
func (d *desk) start(args ...string) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	d.launch(exec.Command(self, append([]string{"chat"}, args...)...))
}

// launch starts any program so.
func (d *desk) launch(cmd *exec.Cmd) {
	d.t.Helper()
	cmd.Dir, cmd.Env = d.folder, d.environment()
	f := d.terminal(cmd)
	screen := vt.NewEmulator(d.cols, d.ys)
	d.mu.Lock()
	d.cmd, d.pty, d.ended, d.screen, d.written, d.changed = cmd, f, make(chan struct{}), screen, nil, make(chan struct{})
	d.mu.Unlock()
	answered := make(chan struct{})
	input := make(chan string, maxInput)
	d.input = input
	go func() { // what the emulator answers
		defer close(answered)
		buf := make([]byte, 4096)
		for {
			n, err := screen.Read(buf)
			if err != nil {
				return
			}
			input <- string(buf[:n])
		}
	}()
	go enter(f, input)
	go d.watch(f, screen, d.ended)
	ended := d.ended
	d.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it has mostly ended
		<-ended
		_ = screen.InputPipe().(io.Closer).Close() // ends the copying
		<-answered
		close(input)
		_ = f.Close()
	})
}

// maxInput bounds what was pressed and not read, in keys. A terminal waits for a program that does
// not read, but shows what it writes.
const maxInput = 1 << 16

// enter gives keys to the terminal.
func enter(f io.Writer, input <-chan string) {
	for keys := range input {
		_, _ = io.WriteString(f, keys) // fails once the program has ended
	}
}

// watch shows what the program writes, until it ends.
func (d *desk) watch(f *os.File, screen *vt.Emulator, ended chan struct{}) {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		d.mu.Lock()
		d.written = append(d.written, buf[:n]...)
		_, _ = screen.Write(buf[:n])
		if at := screen.CursorPosition(); at.X < 0 || at.Y < 0 || !d.resized && (at.X >= screen.Width() || at.Y >= screen.Height()) {
			d.outside = at.String()
		}
		close(d.changed)
		d.changed = make(chan struct{})
		d.mu.Unlock()
		if err != nil { // the last one has closed the terminal
			break
		}
	}
	_ = d.cmd.Wait()
	close(ended)
	d.mu.Lock()
	close(d.changed)
	d.changed = make(chan struct{})
	d.mu.Unlock()
}

// now is what the screen shows.
func (d *desk) now() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(glass.Rows(d.screen), "\n")
}

// all is the scrollback, too.
func (d *desk) all() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(glass.All(d.screen), "\n")
}

// until waits until something is so.
func (d *desk) until(what string, so func() bool) {
	d.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		d.mu.Lock()
		changed := d.changed
		d.mu.Unlock()
		if so() {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			d.t.Fatalf("%s: not in %v; the screen:\n%s", what, patience, d.all())
		}
	}
}

// shows waits until the screen has all texts.
func (d *desk) shows(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		d.until("shows "+text, func() bool { return strings.Contains(d.now(), text) })
	}
}

// matches waits until the screen matches.
func (d *desk) matches(pattern string) {
	d.t.Helper()
	want := regexp.MustCompile(pattern)
	d.until("matches "+pattern, func() bool { return want.MatchString(d.now()) })
}

// hides waits until the screen does not have a text.
func (d *desk) hides(text string) {
	d.t.Helper()
	d.until("hides "+text, func() bool { return !strings.Contains(d.now(), text) })
}

// keys are the bytes of keys.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "backspace": "\x7f",
	"shift+tab": "\x1b[Z", "alt+enter": "\x1b\r", "pgup": "\x1b[5~", "pgdown": "\x1b[6~", "home": "\x1b[H", "end": "\x1b[F",
}

// press presses keys, one after the other, each with a write of its own: names, ctrl+x, alt+x, or
// characters.
func (d *desk) press(names ...string) {
	d.t.Helper()
	for _, name := range names {
		if name == "enter" { // a mark and its Enter that come at once are no answer
			glass.Pause(200 * time.Millisecond)
		}
		b, ok := keys[name]
		if rest, ctrl := strings.CutPrefix(name, "ctrl+"); !ok && ctrl {
			b, ok = string(rune(rest[0]&0x1f)), true
		}
		if rest, alt := strings.CutPrefix(name, "alt+"); !ok && alt {
			b, ok = "\x1b"+rest, true
		}
		if !ok {
			b = name
		}
		d.write(b)
	}
}

// write writes bytes as the terminal would.
func (d *desk) write(b string) {
	d.input <- b
}

// types types a text key by key, and waits until it is in the input box.
func (d *desk) types(text string) {
	d.t.Helper()
	for _, r := range text {
		d.write(string(r))
	}
	d.shows("› " + text)
}

// says sends a message.
func (d *desk) says(text string) {
	d.t.Helper()
	d.types(text)
	d.press("enter")
	d.empty()
}

// pastes pastes a text as terminals do.
func (d *desk) pastes(text string) {
	d.write("\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
}

// idle waits until no run is under way.
func (d *desk) idle() {
	d.t.Helper()
	d.hides("Esc to interrupt")
}

// asks waits until a question has the keys: then the cursor is hidden.
func (d *desk) asks(text string) {
	d.t.Helper()
	d.shows("waiting for your answer", text)
	d.until("the question has the keys", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return bytes.LastIndex(d.written, []byte("\x1b[?25l")) > bytes.LastIndex(d.written, []byte("\x1b[?25h"))
	})
}

// turns moves to a question with Tab. A question that has just come does not take it yet.
func (d *desk) turns(text string) {
	d.t.Helper()
	d.shows("Tab to answer")
	for strings.Contains(d.now(), "Tab to answer") {
		d.press("tab")
		glass.Pause(50 * time.Millisecond)
	}
	d.asks(text)
}

// empty waits until the input box is empty.
func (d *desk) empty() {
	d.t.Helper()
	d.shows("› Ask anything")
}

// asked waits until the model has been asked so often.
func (d *desk) asked(times int) {
	d.t.Helper()
	for deadline := time.Now().Add(patience); len(d.model.Requests()) < times; glass.Pause(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("the model was asked %d times, want %d; the screen:\n%s", len(d.model.Requests()), times, d.all())
		}
	}
}

// ends waits until the program has ended, and returns its exit code.
func (d *desk) ends() int {
	d.t.Helper()
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.t.Fatalf("the program does not end; the screen:\n%s", d.all())
	}
	return d.cmd.ProcessState.ExitCode()
}

// leave leaves with Ctrl-C and checks all that was written.
func (d *desk) leave() {
	d.t.Helper()
	d.press("ctrl+c")
	d.shows("Ctrl-C again to leave")
	d.press("ctrl+c")
	if code := d.ends(); code != 0 {
		d.t.Errorf("the exit code is %d", code)
	}
	d.checkWritten()
}

// call is a reply of the model that calls a tool.
func call(tool, arguments string) modeltest.Reply {
	return modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: tool, Arguments: arguments}}}
}

// say is one of text.
func say(text string) modeltest.Reply { return modeltest.Reply{Text: text} }
