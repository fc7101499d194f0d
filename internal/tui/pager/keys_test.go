package pager

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Whatever the keys and the sizes, there are as many rows as asked for, none is too wide, and the
// caret is on the screen.
func FuzzKeys(f *testing.F) {
	f.Add("jjG/item\rnN", uint8(40), uint8(10))
	f.Add("/a\x1bq\x02\x04", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, keys string, width, height uint8) {
		keys = keys[:min(len(keys), 400)]
		s := &numbered{n: len(keys) * 3}
		p := New("a title", s, keymap.Default())
		names := []string{"enter", "esc", "left", "right", "ctrl+d", "ctrl+u", "pgup", "home", "backspace", "up"}
		for i, c := range keys {
			switch {
			case c < 10:
				p.Key(key(names[c]))
			case c < 14:
				s.n = int(c) * i
				p.Changed(i)
			case c < 16:
				p.Paste("it\nem 漢")
			case c < 20:
				p.Step()
			default:
				p.Key(input.Key{Name: string(c), Text: string(c)})
			}
			w, h := max(int(width)-i, 1), max(int(height)/(1+i%3), 1)
			rows := p.Rows(w, h)
			if len(rows) != max(h, 2) {
				t.Fatalf("%d rows, want %d", len(rows), max(h, 2))
			}
			for _, r := range rows {
				if r.Width() > max(w, 2) {
					t.Fatalf("at %d a row of %d columns: %q", w, r.Width(), r)
				}
			}
			if y, x, ok := p.Cursor(); ok && (y < 0 || y >= len(rows) || x < 0 || x >= max(w, 2)) {
				t.Fatalf("the caret is at %d, %d of %dx%d", y, x, w, h)
			}
		}
	})
}

func BenchmarkKeys(b *testing.B) {
	for _, keys := range []string{"j", "space", "G", "right"} {
		b.Run(keys, func(b *testing.B) {
			p := open(&numbered{n: 10_000}, 80, 24)
			for b.Loop() {
				if p.Key(key(keys)); p.follow {
					p.Key(key("g"))
				}
				p.Rows(80, 24)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		open(&numbered{n: 10_000}, 80, 24)
	}
}

// BenchmarkSearchKey is one letter of a search over 10,000 items, and one Step.
func BenchmarkSearchKey(b *testing.B) {
	p := open(&numbered{n: 10_000}, 80, 24)
	press(p, "/")
	for b.Loop() {
		p.Key(key("z"))
		p.Rows(80, 24)
		p.Step()
		p.Key(key("backspace"))
	}
}
