package screen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

var box = []string{"working 1 s", "> typed", "model  main"}

// Blocks of any height, wider than the terminal or exactly as wide, go above the live rows: none
// is missing, doubled, out of order or cut, and no live row is left behind.
func TestFinalRows(t *testing.T) {
	const columns, rows = 80, 24
	for _, width := range []int{0, 40, 79, 80, 81, 159, 160, 161, 400} {
		for _, block := range []int{1, 20, 21, 22, 23, 24, 40, 100} {
			t.Run(fmt.Sprintf("width %d, blocks of %d", width, block), func(t *testing.T) {
				s, g := open(t, columns, rows)
				g.since()
				var want []string
				for i := 0; i < 300; i += block {
					final := numbered(i, i+block, width)
					want = append(want, wrapped(columns, final...)...)
					box := []string{fmt.Sprintf("working %d s", i), "> typed", "model  main"}[:1+i%3]
					paint(t, s, Frame{Final: texts(final...), Live: texts(box...), Cursor: Cursor{Row: i % 2, Column: 7, Shown: true}})
				}
				paint(t, s, Frame{Live: texts(box...)})
				if diff := cmp.Diff(append(want, box...), g.all()); diff != "" {
					t.Error("-want +got:\n" + diff)
				}
				checkFrames(t, g.writes)
			})
		}
	}
}

func TestManyRowsAtOnce(t *testing.T) {
	s, g := open(t, 80, 24)
	g.SetScrollbackSize(20_000)
	final := numbered(0, 10_000, 0)
	g.since()
	paint(t, s, Frame{Final: texts(final...), Live: texts(box...)})
	if len(g.writes) != 1 {
		t.Errorf("a frame has %d writes", len(g.writes))
	}
	if diff := cmp.Diff(append(final, box...), g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// Whatever the live rows were before, and whatever was shown between, a frame shows its own.
func TestLiveRowsChange(t *testing.T) {
	s, g := open(t, 20, 10)
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "a", "short", "just twenty columns!", "漢字漢字漢字漢字漢字", "漢字 wide", "👨‍👩‍👧 family", "e\u0301 marks", "nineteen columns..."}
	some := func(n, from int) (out []string) {
		for range n {
			out = append(out, words[from+random.IntN(len(words)-from)])
		}
		return out
	}
	var final []string
	for n := range 1000 {
		c := Cursor{Row: random.IntN(4), Column: random.IntN(20), Shown: n%5 > 0}
		live, more := some(random.IntN(9), 0), some(max(random.IntN(8)-4, 0), 1)
		final = append(final, more...)
		between(t, s, random.IntN(20), Frame{Final: texts(more...), Cursor: c})
		g.since()
		paint(t, s, Frame{Live: texts(live...), Cursor: c})
		if len(g.writes) > 0 {
			checkFrames(t, g.writes)
		}
		want := slices.Concat(final, live)
		for len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if diff := cmp.Diff(want, g.all()); diff != "" {
			t.Fatalf("frame %d: -want +got:\n%s", n, diff)
		}
		if c.Shown {
			checkCursor(t, g, live, c)
		}
	}
}

// between does something that a frame may come after, and paints the frame.
func between(t *testing.T, s *Screen, what int, f Frame) {
	t.Helper()
	var err error
	switch what {
	case 0:
		err = s.Overlay(texts("overlay", "rows"), f.Cursor)
		paint(t, s, f)
		f.Final, err = nil, errors.Join(err, s.EndOverlay())
	case 1:
		err = s.Suspend()
		paint(t, s, f)
		f.Final, err = nil, errors.Join(err, s.Resume())
	case 2:
		s.Redraw()
	case 3:
		s.SetDark(f.Cursor.Row%2 == 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	paint(t, s, f)
}

// checkCursor compares the cursor of the terminal with that of a frame: rows below it are those
// of the frame.
func checkCursor(t *testing.T, g *glass, live []string, c Cursor) {
	t.Helper()
	at := g.CursorPosition()
	row := min(c.Row, max(len(live)-1, 0))
	if at.X != c.Column {
		t.Fatalf("the cursor is in column %d, want %d", at.X, c.Column)
	}
	if len(live) > 0 {
		if got := g.screen(); at.Y < len(got) && got[at.Y] != live[row] {
			t.Fatalf("the cursor is in row %q, want %q", got[at.Y], live[row])
		}
	}
}

// A frame that changes nothing writes nothing, and a key writes its row only.
func TestOnlyChangesAreWritten(t *testing.T) {
	s, g := open(t, 80, 24)
	f := Frame{Live: texts(box...), Cursor: Cursor{Row: 1, Column: 7, Shown: true}}
	paint(t, s, f)
	g.since()
	for range 1000 {
		paint(t, s, f)
	}
	if got := g.since(); got != "" {
		t.Errorf("frames without a change write %q", got)
	}
	f.Live, f.Cursor.Column = texts(box[0], "> typed!", box[2]), 8
	paint(t, s, f)
	if got, want := g.since(), syncBegin+"\r> typed!\r\x1b[8C"+syncEnd; got != want {
		t.Errorf("a key writes %q, want %q", got, want)
	}
	f.Cursor.Column = 3
	paint(t, s, f)
	if got, want := g.since(), syncBegin+"\r\x1b[3C"+syncEnd; got != want {
		t.Errorf("a move writes %q, want %q", got, want)
	}
	f.Live[0] = row.Text("working 2 s")
	paint(t, s, f)
	if got, want := g.since(), syncBegin+"\x1b[1A\rworking 2 s\r\n\x1b[3C"+syncEnd; got != want {
		t.Errorf("a tick writes %q, want %q", got, want)
	}
}

// More live rows than the terminal has: the last ones are shown, or those around the cursor.
func TestLiveRowsAreClipped(t *testing.T) {
	s, g := open(t, 80, 24)
	live := numbered(0, 30, 0)
	paint(t, s, Frame{Live: texts(live...), Cursor: Cursor{Row: 29, Shown: true}})
	if diff := cmp.Diff(live[7:], g.all()); diff != "" {
		t.Error("the cursor below: -want +got:\n" + diff)
	}
	for i := range 50 {
		live[0] = fmt.Sprintf("tick %d", i)
		paint(t, s, Frame{Live: texts(live...), Cursor: Cursor{Row: 3, Column: i, Shown: true}})
	}
	if diff := cmp.Diff(live[3:26], g.all()); diff != "" {
		t.Error("the cursor above: -want +got:\n" + diff)
	}
	if at := g.CursorPosition(); at.X != 49 || at.Y != 0 {
		t.Errorf("the cursor is at %v", at)
	}
	paint(t, s, Frame{})
	if got := g.screen(); len(got) > 0 {
		t.Errorf("without live rows the screen shows %q", got)
	}
}

func TestTabsAndControlCharacters(t *testing.T) {
	s, g := open(t, 40, 10)
	paint(t, s, Frame{Live: texts(strings.Repeat("#", 40), strings.Repeat("#", 40))})
	r := row.Text("a\tb").And("\tc\x1b[2J\r\n", row.Bold)
	paint(t, s, Frame{Final: []row.Row{r}, Live: []row.Row{r}})
	want := "a       b       c\ufffd[2J\ufffd\ufffd"
	if diff := cmp.Diff([]string{want, want}, g.all()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

func TestATerminalThatIsGone(t *testing.T) {
	s, g := open(t, 80, 24)
	g.broken = true
	if err := s.Paint(Frame{Live: texts("x")}, start); err == nil {
		t.Error("Paint reports no error")
	}
	s.Restore()
	if _, err := Open(g, environment()); err == nil {
		t.Error("Open reports no error")
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, bench := range []struct {
		name  string
		frame func(i int) Frame
	}{
		{"key", func(i int) Frame {
			return Frame{Live: texts(append(slices.Clone(box), strings.Repeat("x", i%60))...), Cursor: Cursor{Row: 3, Column: i % 60, Shown: true}}
		}},
		{"stream", func(i int) Frame {
			return Frame{Final: texts("a final row of an answer, as wide as most of them are, here"), Live: texts(append(slices.Clone(box), strings.Repeat("x", i%60))...)}
		}},
		{"idle", func(int) Frame { return Frame{Live: texts(box...)} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, err := Open(&void{}, environment())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				paint(b, s, bench.frame(i))
			}
		})
	}
}

// void is a terminal that shows nothing.
type void struct{ bytes int }

func (v *void) Write(p []byte) (int, error)    { v.bytes += len(p); return len(p), nil }
func (*void) Extent() (columns, rows int)      { return 80, 24 }
func (*void) Raw() (restore func(), err error) { return func() {}, nil }
