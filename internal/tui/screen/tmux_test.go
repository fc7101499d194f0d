package screen

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// program is the variable that makes the test binary a program that runs in a terminal.
const program = "SIDESTICK_SCREEN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		if err := animate(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// animation is a program with live rows as wide as the terminal, which change all the time, and
// final rows. The key s makes it still, m makes it move again, f prints a final row, o and c show and close an overlay,
// e gives the terminal away until Enter, q ends it.
type animation struct {
	screen      *Screen
	ticks       int
	still       bool
	final, sent int // rows
}

func animate() error {
	tty, err := terminal.Open(os.Getenv)
	if err != nil {
		return err
	}
	s, err := Open(tty, os.Getenv)
	if err != nil {
		return err
	}
	defer s.Restore()
	s.kind.rest = 2 * time.Second // tmux is slow on a busy machine
	keys, stop, err := tty.Keys()
	if err != nil {
		return err
	}
	defer func() { stop() }()
	resizes, end := terminal.Resizes()
	defer end()
	var d input.Decoder
	a := animation{screen: s}
	for tick := time.NewTicker(30 * time.Millisecond); ; {
		var due <-chan time.Time
		if at, waits := s.Due(); waits {
			due = time.After(time.Until(at))
		}
		select {
		case <-tick.C:
			a.tick()
		case <-resizes:
			s.Resized(time.Now())
		case <-due:
		case p, ok := <-keys:
			for _, ev := range d.Feed(p, time.Now()) {
				if k, pressed := ev.(input.Key); pressed && k.Name == "q" || !ok {
					return nil
				} else if pressed && k.Name == "e" {
					if err := a.giveAway(stop); err != nil {
						return err
					}
					if keys, stop, err = tty.Keys(); err != nil {
						return err
					}
				} else if pressed {
					a.key(k.Name)
				}
			}
		}
		if err := a.paint(); err != nil {
			return err
		}
	}
}

func (a *animation) tick() {
	if !a.still {
		if a.ticks++; a.ticks%3 == 0 {
			a.final++
		}
	}
}

func (a *animation) key(name string) {
	switch name {
	case "s", "m":
		a.still = name == "s"
	case "f":
		a.final++
	case "o":
		_ = a.screen.Overlay(texts("overlay", strings.Repeat("=", 200)), Cursor{Row: 1, Column: 3, Shown: true})
	case "c":
		_ = a.screen.EndOverlay()
	}
}

// giveAway lets another program read the terminal.
func (a *animation) giveAway(stop func()) error {
	stop()
	if err := a.screen.Suspend(); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", `echo reading; read line </dev/tty; echo "read $line"`)
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return err
	}
	return a.screen.Resume()
}

func (a *animation) paint() error {
	columns, _ := a.screen.Size()
	var f Frame
	for ; a.sent < a.final; a.sent++ {
		f.Final = append(f.Final, row.Text(finalRow(a.sent)))
	}
	f.Live = texts(liveRows(a.ticks, columns, a.still)...)
	f.Cursor = Cursor{Row: 2, Column: 4, Shown: true}
	return a.screen.Paint(f, time.Now())
}

// finalRow is short, as wide as a terminal of 80 columns, or wider.
func finalRow(n int) string {
	return fmt.Sprintf("final %d", n) + []string{"", strings.Repeat(" x", 35), strings.Repeat("y", 100), " 漢字"}[n%4]
}

func liveRows(ticks, columns int, still bool) []string {
	state := "moving"
	if still {
		state = "still"
	}
	fill := func(text string) string { return text + strings.Repeat("-", max(columns-len(text), 0)) }
	return []string{
		fill(fmt.Sprintf("live %s %d", state, ticks)),
		fill("+"),
		"| > typed" + strings.Repeat(" ", max(columns-10, 0)) + "|",
		fill("+"),
		fill(fmt.Sprintf("status %d ", ticks)),
	}
}

// tmux is a server of its own, with one window that runs the program.
type tmux struct {
	t      *testing.T
	socket string
}

func startTmux(t *testing.T, columns, rows int) *tmux {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, socket: filepath.Join(t.TempDir(), "socket")}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	m.run("new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "env "+program+"=1 "+self+"; echo left; cat")
	m.run("set-option", "-g", "window-size", "manual")
	m.waitFor("final 6") // tmux tells no new size in the first 250 ms of a window
	return m
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", m.socket, "-f", os.DevNull}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) { m.run(append([]string{"send-keys"}, keys...)...) }

// pause lets the program and tmux work. The test waits for what happens, not for this time.
func pause(d time.Duration) { <-time.After(d) }

// rows are those of the scrollback and the screen; wrapped ones are joined.
func (m *tmux) rows() []string {
	var out []string
	for _, l := range strings.Split(m.run("capture-pane", "-p", "-J", "-S", "-"), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// waitFor waits until a row contains text.
func (m *tmux) waitFor(text string) []string {
	m.t.Helper()
	var rows []string
	m.wait(func() bool {
		rows = m.rows()
		return strings.Contains(strings.Join(rows, "\n"), text)
	})
	return rows
}

// drag changes the width in steps of one column, while rows change.
func (m *tmux) drag(from, to, rows int, step time.Duration) {
	m.t.Helper()
	m.keys("s") // what is being written while the first step happens can be anywhere
	m.waitFor("live still")
	for first := true; from != to; first = false {
		if from < to {
			from++
		} else {
			from--
		}
		m.run("resize-window", "-x", strconv.Itoa(from), "-y", strconv.Itoa(rows))
		if first {
			m.told(rows, from)
			m.keys("m")
		}
		pause(step)
	}
	m.painted(to)
}

// told waits until the program can know the size.
func (m *tmux) told(rows, columns int) {
	m.t.Helper()
	device := strings.TrimSpace(m.run("display-message", "-p", "#{pane_tty}"))
	m.wait(func() bool {
		out, _ := exec.Command("stty", "-F", device, "size").Output()
		return strings.TrimSpace(string(out)) == fmt.Sprint(rows, columns)
	})
}

// painted waits until the live rows are as wide as the terminal, and returns all rows.
func (m *tmux) painted(columns int) (rows []string) {
	m.t.Helper()
	m.wait(func() bool {
		rows = m.rows()
		last := rows[len(rows)-1]
		return len(last) == columns && strings.HasPrefix(last, "status")
	})
	return rows
}

// wait waits until something is so.
func (m *tmux) wait(so func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); pause(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	m.t.Fatalf("it takes too long:\n%s", strings.Join(m.rows(), "\n"))
}

// check stops the animation and compares all rows with what they must be.
func (m *tmux) check(columns int) {
	m.t.Helper()
	m.keys("s")
	m.waitFor("live still")
	got := m.painted(columns)
	var ticks int
	if _, err := fmt.Sscanf(got[len(got)-1], "status %d", &ticks); err != nil {
		m.t.Fatalf("the last row is %q", got[len(got)-1])
	}
	var want []string
	for n := range ticks / 3 {
		want = append(want, finalRow(n))
	}
	want = append(want, liveRows(ticks, columns, true)...)
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Errorf("at %d columns: -want +got:\n%s", columns, diff)
	}
}

// The window is dragged from 80 columns to 50 and back, while rows as wide as the terminal
// change and final rows come: nothing is missing, doubled or left behind.
func TestDrags(t *testing.T) {
	for _, stops := range [][]int{{50}, {50, 80}, {65, 30, 100, 79}} {
		t.Run(fmt.Sprint(stops), func(t *testing.T) {
			t.Parallel()
			m := startTmux(t, 80, 24)
			from := 80
			for _, to := range stops {
				m.drag(from, to, 24, 10*time.Millisecond)
				from = to
			}
			m.check(from)
		})
	}
}

// An editor or a shell gets all keys while it has the terminal, and what it wrote stays.
func TestAnotherProgramReadsTheTerminal(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.keys("s")
	m.waitFor("live still")
	m.keys("e")
	m.waitFor("reading")
	m.keys("every key")
	m.keys("Enter")
	rows := m.waitFor("status")
	rows = rows[slices.Index(rows, "reading"):]
	ticks := strings.Fields(rows[len(rows)-1])[1]
	n, err := strconv.Atoi(ticks)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"reading", "every key", "read every key"}, liveRows(n, 80, true)...)
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	m.keys("m") // the program has its keys again
	m.waitFor("live moving")
}

// Below an overlay the window changes its size, and final rows come.
func TestAnOverlayWhileTheSizeChanges(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.keys("o")
	m.waitFor("overlay")
	for _, columns := range []string{"60", "50"} {
		m.run("resize-window", "-x", columns, "-y", "20")
	}
	m.told(20, 50)
	m.keys("c")
	m.painted(50)
	m.check(50)
}

// After the end the shell's next line is below the last frame, and its keys are as before.
func TestTheEnd(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.keys("s")
	m.waitFor("live still")
	m.keys("q")
	m.waitFor("left")
	m.keys("typed", "Enter")
	rows := m.waitFor("typed\ntyped")
	end := slices.Index(rows, "left")
	if diff := cmp.Diff([]string{"left", "typed", "typed"}, rows[end:]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if last := rows[end-1]; !strings.HasPrefix(last, "status ") {
		t.Errorf("the row above is %q", last)
	}
}
