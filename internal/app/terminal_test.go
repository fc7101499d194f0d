package app_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	terminalpkg "github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// terminal runs a program on a terminal of 80 by 24, in the background.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "terminal PROGRAM [ARGS...]")
	w := worldOf(ts)
	if w.process != nil {
		w.process.kill()
	}
	binary, err := exec.LookPath(args[0])
	ts.Check(err)
	p := &process{cmd: exec.Command(binary, args[1:]...), stdout: newOutput(), stderr: newOutput(), ended: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = []string{"TERM=xterm"}
	for _, name := range append(passed, "NO_COLOR", "TERM", "ACCESSIBLE", "SIDESTICK_REPEATED_ANSWERS") {
		if v := ts.Getenv(name); v != "" {
			p.cmd.Env = append(p.cmd.Env, name+"="+v)
		}
	}
	screen, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	ts.Check(err)
	p.stdin, w.process = screen, p
	go p.watch(screen)
}

// watch collects what is on the screen until the program ends.
func (p *process) watch(screen *os.File) {
	defer close(p.ended)
	buf := make([]byte, 4096)
	for {
		n, err := screen.Read(buf)
		_, _ = p.stdout.Write(buf[:n])
		if err != nil { // the last one has closed the terminal
			break
		}
	}
	p.err = p.cmd.Wait()
}

// types presses keys: the text may have Go's escapes.
func types(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "types KEYS")
	keys, err := strconv.Unquote(`"` + strings.ReplaceAll(args[0], `"`, `\"`) + `"`)
	ts.Check(err)
	_, err = worldOf(ts).process.stdin.Write([]byte(keys))
	ts.Check(err)
}

// shows waits for a match in the output since the last match.
func shows(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "shows REGEXP")
	p := worldOf(ts).process
	p.stdout.forget(p.until(ts, regexp.MustCompile(`(?s)^(.*?)(?:`+args[0]+`)`))[0])
}

// unshown is shows for its second argument, and wants no match of the first before that.
func unshown(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "unshown REGEXP REGEXP")
	p := worldOf(ts).process
	seen := p.until(ts, regexp.MustCompile(`(?s)^(.*?)(?:`+args[1]+`)`))[0]
	p.stdout.forget(seen)
	if found := regexp.MustCompile(args[0]).FindString(seen); found != "" {
		ts.Fatalf("%q is on the screen before %q", found, args[1])
	}
}

// quotes is shows, and wants that what a model or a server has written is never in the first column.
func quotes(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "quotes REGEXP COLUMNS")
	columns, err := strconv.Atoi(args[1])
	ts.Check(err)
	p := worldOf(ts).process
	seen := p.until(ts, regexp.MustCompile(`(?s)^(.*?)(?:`+args[0]+`)`))[0]
	p.stdout.forget(seen)
	for line := range strings.SplitSeq(ours.ReplaceAllString(seen, ""), "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case strings.ContainsFunc(line, func(r rune) bool {
			return r < ' ' && r != '\r' || 0x7f <= r && r < 0xa0 || r == '\u202e' || r == '\u2066' || r == '\U000e0041'
		}):
			ts.Fatalf("a control character is on the screen: %q", line)
		case timeline.Width(line) > columns:
			ts.Fatalf("a row has more than %d columns: %q", columns, line)
		case strings.Contains(line, "Allow") && !strings.HasPrefix(line, terminalpkg.Indent) && !strings.HasPrefix(strings.TrimLeft(line, " "), terminalpkg.Margin):
			ts.Fatalf("a row of text from elsewhere has no margin: %q", line)
		}
	}
}

// ours are the sequences that the program itself writes.
var ours = regexp.MustCompile(`\x1b\[(\?2004[hl]|[0-9;]*m|K)|\r\x1b\[K`)

// resizes gives the terminal another size.
func resizes(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "resizes COLUMNS ROWS")
	columns, err := strconv.ParseUint(args[0], 10, 16)
	ts.Check(err)
	rows, err := strconv.ParseUint(args[1], 10, 16)
	ts.Check(err)
	screen := worldOf(ts).process.stdin.(*os.File)
	ts.Check(pty.Setsize(screen, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}))
}
