package screen

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	seen "github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// start is when the tests begin.
var start = time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)

// glass is a terminal: an emulator, which shows what was written, and a record of each write.
type glass struct {
	*vt.Emulator
	columns, rows int
	writes        []string
	raw           int // how often raw mode was entered and not left
	broken        bool
	written, left time.Time // the last write, and when raw mode was left
}

func (g *glass) Write(p []byte) (int, error) {
	if g.broken {
		return 0, io.ErrClosedPipe
	}
	g.writes, g.written = append(g.writes, string(p)), time.Now()
	return g.Emulator.Write(p)
}

func (g *glass) WriteString(text string) (int, error) { return g.Write([]byte(text)) }

func (g *glass) Extent() (columns, rows int) { return g.columns, g.rows }

func (g *glass) Raw() (restore func(), err error) {
	if g.broken {
		return nil, io.ErrClosedPipe
	}
	g.raw++
	return func() { g.raw, g.left = g.raw-1, time.Now() }, nil
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if value, ok := strings.CutPrefix(p, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// open opens a Screen at a terminal of that size.
func open(t testing.TB, columns, rows int, env ...string) (*Screen, *glass) {
	t.Helper()
	g := &glass{Emulator: vt.NewEmulator(columns, rows), columns: columns, rows: rows}
	answers := make(chan struct{})
	go func() { // the emulator blocks if nobody reads its answers
		defer close(answers)
		_, _ = io.Copy(io.Discard, g.Emulator)
	}()
	t.Cleanup(func() {
		if err := g.InputPipe().(io.Closer).Close(); err != nil {
			t.Error(err)
		}
		<-answers
	})
	s, err := Open(g, environment(env...))
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

// since returns what was written since the last call.
func (g *glass) since() string {
	text := strings.Join(g.writes, "")
	g.writes = nil
	return text
}

// all is the scrollback and the screen, as rows without spaces at their ends.
func (g *glass) all() []string { return seen.All(g.Emulator) }

// screen is the rows of the screen, without the empty ones at the end.
func (g *glass) screen() []string { return seen.Rows(g.Emulator) }

func texts(lines ...string) (out []row.Row) {
	for _, l := range lines {
		out = append(out, row.Text(l))
	}
	return out
}

// numbered are lines with numbers, each at least so wide.
func numbered(from, to, width int) (out []string) {
	for i := from; i < to; i++ {
		l := fmt.Sprintf("line %d ", i)
		out = append(out, l+strings.Repeat("x", max(width-len(l)-1, 0))+"|")
	}
	return out
}

// wrapped is what a terminal makes of lines.
func wrapped(columns int, lines ...string) (out []string) {
	for _, l := range lines {
		for len(l) > columns {
			out, l = append(out, strings.TrimRight(l[:columns], " ")), l[columns:]
		}
		out = append(out, strings.TrimRight(l, " "))
	}
	return out
}

func paint(t testing.TB, s *Screen, f Frame) {
	t.Helper()
	if err := s.Paint(f, start); err != nil {
		t.Fatal(err)
	}
}

// forbidden is what must not be written inline: clearing the scrollback, resetting the terminal,
// modes of the mouse, the alternate screen, scroll regions, inserting and deleting lines, absolute
// places.
var forbidden = regexp.MustCompile(`\x1b\[[0-9;]*[23]J|\x1bc|\x1b\[\?(?:9|1000|1002|1003|1005|1006|1015|1049|47|1047)h|\x1b\[[0-9;]*[rLMSTHfdGP@X]`)

// sequences are all that a frame may hold besides text.
var sequences = regexp.MustCompile(`\x1b\[\?(?:2026|25)[hl]|\x1b\[[0-9]+[AC]|\x1b\[[JK]|\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\|\r|\n`)

// checkFrames fails if a write is no frame as the package promises it.
func checkFrames(t *testing.T, writes []string) {
	t.Helper()
	if len(writes) == 0 {
		t.Fatal("nothing was written")
	}
	for _, w := range writes {
		w = strings.TrimSuffix(strings.TrimSuffix(w, askPaste), askBackground)
		if !strings.HasPrefix(w, syncBegin) || !strings.HasSuffix(w, syncEnd) {
			t.Fatalf("a frame is not within a synchronized update: %.200q", w)
		}
		if bad := forbidden.FindString(w); bad != "" {
			t.Fatalf("a frame has %q: %.200q", bad, w)
		}
		if rest := sequences.ReplaceAllString(w, ""); strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' }) {
			t.Fatalf("a frame has other sequences: %.200q", rest)
		}
		if strings.Contains(strings.TrimSuffix(strings.TrimPrefix(w, syncBegin), syncEnd), syncBegin) {
			t.Fatalf("two frames in one write: %.200q", w)
		}
	}
}
