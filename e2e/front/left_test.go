package front_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// The terminal is as it was, however the program ends.
func TestTheTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *desk){
		"Ctrl-C":  func(d *desk) { d.press("ctrl+c"); d.shows("again to leave"); d.press("ctrl+c") },
		"/quit":   func(d *desk) { d.types("/quit"); d.press("enter") },
		"SIGTERM": func(d *desk) { _ = d.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(d *desk) { _ = d.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGQUIT": func(d *desk) { _ = d.cmd.Process.Signal(syscall.SIGQUIT) },
		"SIGINT":  func(d *desk) { _ = d.cmd.Process.Signal(syscall.SIGINT) },
		"SIGTERM in an overlay": func(d *desk) {
			d.press("?")
			d.shows("While you write")
			_ = d.cmd.Process.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.start()
			d.empty()
			if d.settings() == d.before {
				t.Error("the terminal is not in raw mode")
			}
			end(d)
			d.ends()
			d.checkWritten()
		})
	}
}

// colours are sequences that set a colour.
var colours = regexp.MustCompile(`\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m`)

func TestNoColour(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		d := newDesk(t, touch("one"), say("# Done\n\n```go\nfunc main() {}\n```"))
		if off {
			d.env = []string{"NO_COLOR=1"}
		}
		d.start("--allow-all")
		d.empty()
		d.says("make it")
		d.shows("func main")
		d.idle()
		d.leave()
		if got := colours.Find(d.written); (got == nil) != off {
			t.Errorf("NO_COLOR %v: the colours are %q", off, got)
		}
	}
}

// A terminal that cannot move its cursor, and a screen reader, get lines.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  string
		args []string
	}{{"TERM=dumb", nil}, {"ACCESSIBLE=1", nil}, {"", []string{"--plain"}}} {
		d := newDesk(t, say("Hello."))
		d.env = []string{tc.env, "NO_COLOR=1"}
		d.start(tc.args...)
		d.shows("/help lists the commands", "\n›")
		d.write("hello\r")
		d.shows("Hello.", "1 turn")
		d.write("/quit\r")
		d.ends()
		if strings.Contains(string(d.written), "\x1b") {
			t.Errorf("%s %q: there are sequences: %q", tc.env, tc.args, d.written)
		}
	}
}

// A session that another process is working in is refused by its title, and nothing is drawn.
func TestASessionInUseIsRefused(t *testing.T) {
	t.Parallel()
	d := sit(t, modeltest.Silent())
	d.says("explain closures")
	d.asked(1)
	second := &desk{t: t, home: d.home, folder: d.folder, model: d.model, cols: 80, ys: 24}
	second.start("--continue")
	if code := second.ends(); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
	second.matches(`(?s)^sidestick: "explain closures":\s+process \d+.*is at work in the\s+session.*start\s+a\s+new\s+session`)
	if got := second.all(); strings.Contains(got, "events.jsonl") || strings.Contains(got, "Ask anything") {
		t.Errorf("the screen is\n%s", got)
	}
}

// The question about a log from elsewhere comes before the interface, which then has the terminal for itself, also
// if the answer took long.
func TestALogFromElsewhereIsAskedAboutFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t, say("Hello."))
	dir := filepath.Join(d.home, "session-state", "foreign")
	log := `{"type":"session.start","data":{"sessionId":"foreign","version":1,"producer":"copilot","startTime":"2026-01-02T03:04:05.000Z","context":{"cwd":"/elsewhere"}},"id":"30000000-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","parentId":null}` + "\n"
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(log), 0o600)); err != nil {
		t.Fatal(err)
	}
	d.start("--resume", "foreign")
	d.shows("was not written on this machine", "use it?")
	time.Sleep(500 * time.Millisecond) // longer than a session may take to open before the interface is drawn without it
	if strings.Contains(d.now(), "Ask anything") {
		t.Error("the interface is drawn while the question is open")
	}
	d.write("n\r")
	d.empty()
	if d.settings() == d.before {
		t.Error("the terminal is not in raw mode")
	}
	d.says("hi")
	d.shows("Hello.")
	d.leave()
	d.checkWritten()
}
