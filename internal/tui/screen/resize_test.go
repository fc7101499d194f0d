package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// check stops the animation and compares all rows with what they must be.
func (m *tmux) check(columns int) {
	m.t.Helper()
	m.Keys("s")
	m.WaitFor("live still")
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
	for _, stops := range [][]size{{{50, 24}}, {{50, 24}, {80, 24}}, {{65, 24}, {30, 24}, {100, 24}, {79, 24}}, {{80, 10}, {80, 24}}, {{50, 12}, {80, 40}, {60, 24}}} {
		t.Run(fmt.Sprint(stops), func(t *testing.T) {
			t.Parallel()
			from := size{80, 24}
			m := startTmux(t, from.columns, from.rows)
			for _, to := range stops {
				m.drag(from, to, 10*time.Millisecond)
				from = to
			}
			m.check(from.columns)
		})
	}
}

// Live rows that fill the screen are wrapped by the terminal when it becomes narrower, so that the first
// of them leave the screen. The others do not stay in the scrollback.
func TestTallRowsInANarrowerTerminal(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.Keys("s")
	m.WaitFor("live still")
	m.Keys("t")
	m.WaitFor("tall 22 of 80")
	for _, columns := range []int{60, 80} {
		m.Resize(columns, 24)
		rows := m.WaitFor(fmt.Sprintf("tall 22 of %d", columns))
		n := 0
		for _, r := range rows {
			if strings.HasPrefix(r, "tall 22 ") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("at %d columns the last row is there %d times:\n%s", columns, n, strings.Join(rows, "\n"))
		}
	}
}

// An editor or a shell gets all keys while it has the terminal, and what it wrote stays.
func TestAnotherProgramReadsTheTerminal(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.Keys("s")
	m.WaitFor("live still")
	m.Keys("e")
	m.WaitFor("reading")
	m.Keys("every key")
	m.Keys("Enter")
	rows := m.WaitFor("status")
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
	m.Keys("m") // the program has its keys again
	m.WaitFor("live moving")
}

// Below an overlay the window changes its size, and final rows come.
func TestAnOverlayWhileTheSizeChanges(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.Keys("o")
	m.WaitFor("overlay")
	for _, columns := range []string{"60", "50"} {
		m.Run("resize-window", "-x", columns, "-y", "20")
	}
	m.told(size{50, 20})
	m.Keys("c")
	m.painted(50)
	m.check(50)
}

// After the end the shell's next line is below the last frame, and its keys are as before.
func TestTheEnd(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 80, 24)
	m.Keys("s")
	m.WaitFor("live still")
	m.Keys("q")
	m.WaitFor("left")
	m.Keys("typed", "Enter")
	rows := m.WaitFor("typed\ntyped")
	end := slices.Index(rows, "left")
	if diff := cmp.Diff([]string{"left", "typed", "typed"}, rows[end:]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if last := rows[end-1]; !strings.HasPrefix(last, "status ") {
		t.Errorf("the row above is %q", last)
	}
}

// Ctrl-Z gives the terminal to the shell, and fg brings all back.
func TestTheShellStopsTheProgram(t *testing.T) {
	t.Parallel()
	m := newTmux(t, 80, 24, "ENV= PS1='ready ' sh -i")
	m.WaitFor("ready")
	m.Keys("$PROGRAM", "Enter")
	m.WaitFor("final 6")
	m.Keys("s")
	m.WaitFor("live still")
	m.Keys("z")
	m.WaitFor("Stopped")
	if rows := m.Rows(); strings.Contains(strings.Join(rows, "\n"), "live still") {
		t.Errorf("the live rows are left behind:\n%s", strings.Join(rows, "\n"))
	}
	m.Keys("echo the $((6*7)) shell", "Enter")
	m.WaitFor("the 42 shell")
	m.Keys("fg", "Enter")
	rows := m.WaitFor("status ")
	n, err := strconv.Atoi(strings.Fields(rows[len(rows)-1])[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(liveRows(n, 80, true), rows[len(rows)-5:]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	m.Keys("q")
	m.Wait("it", func() bool { rows := m.Rows(); return rows[len(rows)-1] == "ready" })
	m.Keys("echo after the $((6*6)) end", "Enter")
	m.WaitFor("after the 36 end")
}
