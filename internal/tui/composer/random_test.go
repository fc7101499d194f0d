package composer

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

var keys = flag.Int("keys", 5_000, "how many random keys are pressed")

// pieces of random texts, among them those that are hard to measure or to divide.
var samples = []string{
	"a", "b", "Z", " ", "  ", "word ", "two words", "!", "/", "@", "/mo", "@int", "\t", "漢", "字", "e\u0301", "\u0301", "👍🏽", "👨‍👩‍👧", "🇩🇪", "🇩", "\u200d", "\u200b",
	"ש", "مرحبا", "\u0600", "\u202e", "\ufeff", "é", "\r", "\r\n", "\n", "x\ny\n", "\x1b[2J", "\x00", "\xff\xfe", "\U00100000", "\U0010fffd", "ﷺ", "नि", `\`, "/tmp/x.png",
	strings.Repeat("long ", 30), strings.Repeat("漢字", 60), strings.Repeat("line\n", 12), strings.Repeat("\u0301", 300), "a" + strings.Repeat("\u200d👩", 80),
}

// names are all keys of the table, and some others.
func names() (all []string) {
	for _, a := range keymap.Default().Actions() {
		all = append(all, a.Keys...)
	}
	return append(all, "f5", "backspace", "left", "right", "up", "down", "ctrl+_", "ctrl+_", "alt+_", "enter")
}

// driver presses random keys and checks the box after each.
type driver struct {
	*Composer
	t     testing.TB
	r     *rand.Rand
	names []string
	trace []string
}

func newDriver(t testing.TB, r *rand.Rand) *driver {
	c := offering()
	c.SetHistory([]string{"one", "!two", "three\nlines\nof text", strings.Repeat("long ", 100), "one"})
	return &driver{Composer: c, t: t, r: r, names: names()}
}

func (d *driver) step() {
	sample := samples[d.r.IntN(len(samples))]
	switch n := d.r.IntN(100); {
	case n < 40:
		d.trace = append(d.trace, "text "+sample)
		d.Key(input.Key{Name: sample, Text: sample})
	case n < 90:
		name := d.names[d.r.IntN(len(d.names))]
		d.trace = append(d.trace, name)
		d.Key(input.Key{Name: name})
	case n < 96:
		d.trace = append(d.trace, "paste "+sample)
		if sample == "/tmp/x.png" && d.TakesFiles() {
			d.Attach(Attachment{Name: "x.png", Image: true})
		} else {
			d.Paste(sample)
		}
	case n == 96:
		d.Queued = !d.Queued
	case n == 97:
		d.trace = append(d.trace, "drop")
		d.Drop()
	case n == 98:
		d.trace = append(d.trace, "put")
		d.Put(d.Draft())
	default:
		if d.r.IntN(5) == 0 {
			d.trace = append(d.trace, "take")
			d.Take()
		}
	}
	d.check(d.r.IntN(90)+1, d.r.IntN(12)+1)
}

// check checks what is always true of a box.
func (d *driver) check(w, height int) {
	d.t.Helper()
	if d.r.IntN(4) > 0 {
		w = 30 // the same as often as not
	}
	rows, at := d.Rows(w, height)
	if len(rows) < 1 || len(rows) > height || at.Row < 0 || at.Row >= len(rows) || at.Column < 0 || at.Column >= w {
		d.fail("cursor at %+v in %d rows of a box of %d by %d", at, len(rows), w, height)
	}
	for _, r := range rows {
		if r.Width() > w {
			d.fail("a row of %d columns in a box of %d: %q", r.Width(), w, r.String())
		}
	}
	for _, r := range d.Popup(w) {
		if r.Width() > w {
			d.fail("a completion of %d columns in a box of %d: %q", r.Width(), w, r.String())
		}
	}
	size := -1
	for i := range d.text.lines {
		ln := d.text.lines[i]
		size += len(ln.text) + 1
		fresh := line{text: ln.text}
		for n, from := range ln.starts {
			d.layout.known(&fresh, n+1)
			if n >= len(fresh.starts) || fresh.starts[n] != from {
				d.fail("line %d: rows at %v, want %v", i, ln.starts, fresh.starts)
			}
		}
	}
	if size != d.text.size {
		d.fail("the size is %d, want %d", d.text.size, size)
	}
	if p := d.whole(d.cursor); p != d.cursor {
		d.fail("the cursor is inside a character: %v, want %v", d.cursor, p)
	}
	if s := d.text.String(); clean(strings.Map(hidden, s)) != strings.Map(hidden, s) {
		d.fail("the text is not clean: %q", s)
	}
}

func hidden(r rune) rune {
	if isAtom(r) {
		return 'A'
	}
	return r
}

func (d *driver) fail(format string, args ...any) {
	d.t.Helper()
	d.t.Errorf(format, args...)
	d.t.Fatalf("after %q", d.trace[max(len(d.trace)-60, 0):])
}

// undoAll takes all changes back: then the box is as it was when it was last emptied. Doing them again gives the
// same text.
func (d *driver) undoAll() {
	d.finish()
	was, shell := d.text.String(), d.shell
	whole := len(d.log.done) < maxEdits
	n := 0
	for d.undo() {
		n++
	}
	if got := d.text.String(); whole && (got != "" || d.shell) {
		d.fail("undoing everything leaves %q", got)
	}
	for range n {
		d.redo()
	}
	if got := d.text.String(); got != was || d.shell != shell {
		d.fail("doing everything again gives %q, want %q", got, was)
	}
	d.Take()
	d.trace = nil
}

func TestRandomKeys(t *testing.T) {
	d := newDriver(t, rand.New(rand.NewPCG(1, uint64(*keys))))
	for i := range *keys {
		d.step()
		if i%200 == 199 {
			d.undoAll()
		}
	}
}

// Characters that are read together do what they do one by one, and are undone in the same steps.
func TestARunIsWhatItsKeysAre(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	runs := 0
	for range *keys / 10 {
		together, single := offering(), offering()
		var events []input.Event
		for range r.IntN(30) {
			s := samples[r.IntN(len(samples))]
			if len(s) > 1 && strings.Contains(s, " ") || strings.ContainsAny(s, "\n\t") || s != clean(s) || len(s) > 20 { // no key sends it
				s = "word"
			}
			events = append(events, input.Key{Name: s, Text: s})
		}
		for rest := events; len(rest) > 0; {
			text, n := together.Run(rest)
			if n > 1 {
				runs++
				together.Type(text)
			} else {
				n = 1
				together.Key(rest[0].(input.Key))
			}
			for _, e := range rest[:n] {
				single.Key(e.(input.Key))
			}
			rest = rest[n:]
			if got, want := together.Draft(), single.Draft(); got.Text != want.Text || got.Shell != want.Shell || together.cursor != single.cursor || together.popup.IsOpen() != single.popup.IsOpen() {
				t.Fatalf("%q: %q at %v, want %q at %v", events, got.Text, together.cursor, want.Text, single.cursor)
			}
		}
		for single.undo() {
			if !together.undo() || together.Draft().Text != single.Draft().Text {
				t.Fatalf("%q: undoing gives %q, want %q", events, together.Draft().Text, single.Draft().Text)
			}
		}
	}
	if runs == 0 {
		t.Error("there was no run")
	}
}

func FuzzKeys(f *testing.F) {
	f.Add(uint64(1), 40)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		d := newDriver(t, rand.New(rand.NewPCG(seed, 2)))
		for range n % 500 {
			d.step()
		}
		d.undoAll()
	})
}

// No byte of a pasted or typed text is lost, but those that are no text.
func FuzzText(f *testing.F) {
	for _, s := range samples {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, pasted, typed string) {
		c := &Composer{}
		c.Paste(pasted)
		c.Insert(typed)
		if got, want := c.Draft().Text, clean(pasted)+clean(typed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		c.Put(c.Draft())
		if got, want := c.Draft().Text, clean(pasted)+clean(typed); got != want {
			t.Errorf("put back: %q, want %q", got, want)
		}
	})
}
