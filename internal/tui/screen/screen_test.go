package screen

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// What is set when a Screen opens is undone when it is restored, in the order of the modes.
func TestOpenAndRestore(t *testing.T) {
	s, g := open(t, 80, 24)
	if got, want := g.since(), "\x1b[>5u\x1b[?2004h\x1b[?1004h"; got != want || g.raw != 1 {
		t.Errorf("Open writes %q, want %q; raw mode %d", got, want, g.raw)
	}
	paint(t, s, Frame{Final: texts("answer"), Live: texts(box...), Cursor: Cursor{Row: 1, Column: 3, Shown: true}})
	if got := g.since(); !strings.HasSuffix(got, syncEnd+"\x1b]11;?\x1b\\\x1b[?2004$p") {
		t.Errorf("the first frame is %q, want one that asks for the background, and whether pasted text is marked", got)
	}
	s.Restore()
	if got, want := g.since(), "\r\n\n\x1b[0m\x1b[?2026l\x1b[<u\x1b[?2004l\x1b[?1004l\x1b[?25h"; got != want || g.raw != 0 {
		t.Errorf("Restore writes %q, want %q; raw mode %d", got, want, g.raw)
	}
	if diff := cmp.Diff(append([]string{"answer"}, box...), g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if at := g.CursorPosition(); at.X != 0 || at.Y != 4 {
		t.Errorf("the cursor is at %v, want the row below all", at)
	}
	s.Restore()
	paint(t, s, Frame{Final: texts("late")})
	for _, err := range []error{s.Overlay(texts("late"), Cursor{}), s.EndOverlay(), s.Suspend(), s.Resume(), s.Title("late"), s.Bell(), s.Notify("a", "b")} {
		if err != nil {
			t.Error(err)
		}
	}
	if got := g.since(); got != "" || g.raw != 0 {
		t.Errorf("after Restore %q is written; raw mode %d", got, g.raw)
	}
}

// The kernel gets time to pass the ends of the modes on: as soon as raw mode is left, a further Ctrl-C
// makes it discard what it has not passed on.
func TestTheTerminalSettlesBeforeRawModeIsLeft(t *testing.T) {
	for name, end := range map[string]func(s *Screen){"Restore": (*Screen).Restore, "Suspend": func(s *Screen) { _ = s.Suspend() }} {
		s, g := open(t, 80, 24)
		end(s)
		if rest := g.left.Sub(g.written); rest < settle {
			t.Errorf("%s: raw mode is left %v after the last text", name, rest)
		}
	}
}

func TestMarksPaste(t *testing.T) {
	for env, want := range map[string]bool{"TERM=xterm": false, "TERM=linux": false, "TMUX=x": true, "VTE_VERSION=7600": true, "TERM_PROGRAM=WezTerm": true} {
		s, _ := open(t, 80, 24, env)
		if got := s.MarksPaste(); got != want {
			t.Errorf("%s: MarksPaste = %v", env, got)
		}
	}
}

// The console of Linux shows parts of sequences that it does not know.
func TestASimpleTerminal(t *testing.T) {
	s, g := open(t, 80, 24, "TERM=linux")
	if got := g.since(); got != pasteOn {
		t.Errorf("Open writes %q", got)
	}
	if err := s.Overlay(texts("x"), Cursor{}); err != nil {
		t.Fatal(err)
	}
	_ = s.Title("title")
	_ = s.Notify("a", "b")
	if sent, err := s.Copy("text"); sent || err != nil {
		t.Errorf("Copy = %v, %v", sent, err)
	}
	s.Restore()
	if got := g.since(); strings.ContainsAny(got, "<>u]") {
		t.Errorf("%q is written", got)
	}
}

// A frame that was held when the program ends is not lost.
func TestRestoreWritesFinalRows(t *testing.T) {
	for _, overlay := range []bool{true, false} {
		s, g := open(t, 80, 24)
		paint(t, s, Frame{Final: texts("one"), Live: texts(box...), Cursor: Cursor{Row: 1, Shown: true}})
		if overlay {
			if err := s.Overlay(texts("overlay"), Cursor{}); err != nil {
				t.Fatal(err)
			}
		} else {
			s.Resized(start)
		}
		paint(t, s, Frame{Final: texts("two", "three"), Live: texts(box...)})
		s.Restore()
		if diff := cmp.Diff([]string{"one", "two", "three"}, g.all()); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
	}
}

// stuck is a terminal that takes nothing more, as after Ctrl-S.
type stuck struct {
	*glass
	on   bool
	wait chan struct{}
	once sync.Once
	hit  chan struct{}
}

func (s *stuck) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

func (s *stuck) Write(p []byte) (int, error) {
	if s.on && strings.Contains(string(p), "stuck") {
		s.once.Do(func() { close(s.hit) })
		<-s.wait
		return len(p), nil
	}
	return s.glass.Write(p)
}

// A handler of signals restores the terminal while a frame is being written.
func TestRestoreDuringAFrame(t *testing.T) {
	_, g := open(t, 80, 24)
	d := &stuck{glass: g, wait: make(chan struct{}), hit: make(chan struct{}), on: true}
	s, err := Open(d, environment())
	if err != nil {
		t.Fatal(err)
	}
	var painter sync.WaitGroup
	painter.Go(func() { _ = s.Paint(Frame{Live: texts("stuck")}, start) })
	<-d.hit
	g.since()
	s.Restore()
	if got := g.since(); !strings.HasSuffix(got, s.kind.end()+showCursor) {
		t.Errorf("Restore writes %q", got)
	}
	close(d.wait)
	painter.Wait()
}

// A panic in a frame leaves no lock behind.
func TestRestoreAfterAPanic(t *testing.T) {
	s, g := open(t, 80, 24)
	func() {
		defer func() {
			_ = recover()
			s.Restore()
		}()
		g.columns = 0 // a terminal without columns
		paint(t, s, Frame{Live: texts("x", "y"), Cursor: Cursor{Row: -5, Column: 900, Shown: true}})
		panic("elsewhere")
	}()
	if g.raw != 0 || !strings.Contains(g.since(), popKeys) {
		t.Error("the terminal is not restored")
	}
}

// While an editor or the shell has the terminal, nothing is painted, and then everything is.
func TestSuspend(t *testing.T) {
	s, g := open(t, 80, 24)
	f := Frame{Final: texts("one"), Live: texts(box...), Cursor: Cursor{Row: 1, Column: 3, Shown: true}}
	paint(t, s, f)
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one"}, g.all()); diff != "" || g.raw != 0 {
		t.Errorf("suspended, raw mode %d: -want +got:\n%s", g.raw, diff)
	}
	g.since()
	f.Final = texts("two")
	paint(t, s, f)
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	if got := g.since(); got != "" {
		t.Errorf("suspended, %q is written", got)
	}
	_, _ = g.WriteString("$ fg\r\n")
	for range 2 {
		if err := s.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	f.Final = nil
	paint(t, s, f)
	want := append([]string{"one", "$ fg", "two"}, box...)
	if diff := cmp.Diff(want, g.all()); diff != "" || g.raw != 1 {
		t.Errorf("resumed, raw mode %d: -want +got:\n%s", g.raw, diff)
	}
	if n := strings.Count(strings.Join(g.writes, ""), pushKeys); n != 1 {
		t.Errorf("the keyboard was asked %d times", n)
	}
}

func TestOverlay(t *testing.T) {
	s, g := open(t, 80, 24)
	f := Frame{Final: texts("one"), Live: texts(box...), Cursor: Cursor{Row: 1, Column: 3, Shown: true}}
	paint(t, s, f)
	before := g.CursorPosition()
	g.since()
	list := numbered(0, 40, 90)
	show := func(want []string, c Cursor, rows ...row.Row) {
		t.Helper()
		if err := s.Overlay(rows, c); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, g.screen()); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
		if at := g.CursorPosition(); c.Shown && (at.X != c.Column || at.Y != c.Row) {
			t.Errorf("the cursor is at %v, want %v", at, c)
		}
		if !g.IsAltScreen() {
			t.Error("the alternate screen is not shown")
		}
	}
	var cut []string
	for _, l := range list[:24] {
		cut = append(cut, row.Text(l).Cut(80).String())
	}
	show(cut, Cursor{Row: 3, Column: 4, Shown: true}, texts(list...)...)
	show([]string{"a", "", "c"}, Cursor{}, texts("a", "", "c")...)
	g.since()
	show([]string{"a", "", "c"}, Cursor{}, texts("a", "", "c")...)
	f.Final = texts("two", "three") // comes meanwhile
	paint(t, s, f)
	if got := g.since(); got != "" {
		t.Errorf("without a change, %q is written", got)
	}
	if _, waits := s.Due(); waits {
		t.Error("a frame is due, below the overlay")
	}
	if err := s.EndOverlay(); err != nil {
		t.Fatal(err)
	}
	if at := g.CursorPosition(); at != before || g.IsAltScreen() {
		t.Errorf("after the overlay the cursor is at %v, want %v", at, before)
	}
	f.Final = nil
	paint(t, s, f)
	if diff := cmp.Diff(append([]string{"one", "two", "three"}, box...), g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// The alternate screen is not wrapped again, and is painted at once for the new size.
func TestOverlayAndResize(t *testing.T) {
	s, g := open(t, 80, 24)
	paint(t, s, Frame{Live: texts(box...)})
	rows := numbered(0, 24, 0)
	for _, size := range [][2]int{{80, 24}, {40, 10}, {100, 30}} {
		g.columns, g.rows = size[0], size[1]
		g.Resize(g.columns, g.rows)
		s.Resized(start)
		if err := s.Overlay(texts(rows...), Cursor{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows[:min(24, g.rows)], g.screen()); diff != "" {
			t.Errorf("at %v: -want +got:\n%s", size, diff)
		}
	}
}

// Frames are held while the size changes; one is due when it has rested.
func TestQuietTime(t *testing.T) {
	for env, rest := range map[string]time.Duration{"": 75 * time.Millisecond, "TMUX=x": 500 * time.Millisecond} {
		s, g := open(t, 80, 24, env)
		f := Frame{Live: texts(box...)}
		paint(t, s, f)
		if _, waits := s.Due(); waits {
			t.Error("a frame is due at the beginning")
		}
		g.since()
		now := start.Add(time.Second)
		s.Resized(now)
		if at, waits := s.Due(); !waits || at != now.Add(rest) {
			t.Errorf("%s: Due = %v, %v", env, at, waits)
		}
		g.columns = 60 // before the terminal has told it
		now = now.Add(rest - 1)
		f.Final = texts("held")
		if err := s.Paint(f, now); err != nil || g.since() != "" {
			t.Errorf("%s: a frame is painted, %v", env, err)
		}
		f.Final = nil
		if at, waits := s.Due(); !waits || at != now.Add(rest) {
			t.Errorf("%s: Due = %v, %v after another size", env, at, waits)
		}
		if err := s.Paint(f, now.Add(rest)); err != nil {
			t.Fatal(err)
		}
		if _, waits := s.Due(); waits || !strings.Contains(g.since(), "held") {
			t.Errorf("%s: the frame that was held is not painted", env)
		}
	}
}

// A terminal that cuts rows off has lost their ends, even if its size is as before in the end.
func TestASizeThatReturns(t *testing.T) {
	s, g := open(t, 80, 24, "XTERM_VERSION=XTerm(390)")
	full := []string{strings.Repeat("-", 80), "> typed", strings.Repeat("=", 80)}
	f := Frame{Live: texts(full...), Cursor: Cursor{Row: 1, Column: 3, Shown: true}}
	paint(t, s, f)
	g.Resize(50, 24)
	g.Resize(80, 24)
	s.Resized(start)
	if err := s.Paint(f, start.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full, g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// How far up the first live row is, when the terminal has wrapped the rows again.
func TestReflowed(t *testing.T) {
	full := strings.Repeat("-", 80)
	live := []string{full, strings.Repeat("漢", 40), "short", full}
	for _, tc := range []struct {
		name    string
		env     string
		columns int
		cursor  Cursor
		want    int
	}{
		{"the same", "", 80, Cursor{Row: 3, Shown: true}, 3},
		{"wider", "", 200, Cursor{Row: 3, Shown: true}, 3},
		{"one column less", "", 79, Cursor{Row: 3, Shown: true}, 2 + 3 + 1 - 1},
		{"half", "", 40, Cursor{Row: 2, Column: 3, Shown: true}, 4},
		{"the cursor in a second row", "", 40, Cursor{Row: 3, Column: 41, Shown: true}, 2 + 2 + 1 + 1},
		{"wide characters do not divide", "", 25, Cursor{Row: 2, Shown: true}, 4 + 4},
		{"a terminal that cuts", "XTERM_VERSION=XTerm(390)", 40, Cursor{Row: 3, Shown: true}, 3},
		{"tmux in it wraps", "TMUX=/tmp/x XTERM_VERSION=XTerm(390)", 40, Cursor{Row: 2, Shown: true}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, g := open(t, 80, 24, strings.Fields(tc.env)...)
			paint(t, s, Frame{Live: texts(live...), Cursor: tc.cursor})
			g.columns = tc.columns
			if got := s.reflowed(); got != tc.want {
				t.Errorf("reflowed = %d, want %d", got, tc.want)
			}
		})
	}
}

// Redraw paints what another program has destroyed.
func TestRedraw(t *testing.T) {
	s, g := open(t, 80, 24)
	f := Frame{Final: texts("one"), Live: texts(box...), Cursor: Cursor{Row: 1, Shown: true}}
	paint(t, s, f)
	_, _ = g.Emulator.WriteString("noise from elsewhere\r")
	s.Redraw()
	f.Final = nil
	paint(t, s, f)
	if diff := cmp.Diff(append([]string{"one"}, box...), g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// What clears the scrollback, resets the terminal or takes the mouse is in no source of the
// terminal interface.
func TestSourcesHaveNoForbiddenSequence(t *testing.T) {
	forbidden := regexp.MustCompile(`\[3J|x1bc|033c|\?(1000|1002|1003|1006|1015)h`)
	files := 0
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if bad := forbidden.Find(source); bad != nil {
			t.Errorf("%s has %q", path, bad)
		}
		files++
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}
