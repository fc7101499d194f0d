package composer

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// texts of 1 MB: many lines, one line of words, one line without a place to break.
var texts = map[string]string{
	"empty":    "",
	"lines":    strings.Repeat("A line of forty characters for a test.\n", 1<<20/39),
	"words":    strings.Repeat("words of a text ", 1<<20/16),
	"unbroken": strings.Repeat("0123456789abcdef", 1<<20/16),
	"wide":     strings.Repeat("漢字かな", 1<<20/12),
}

// A key and the drawing behind it, in the middle of the text.
func BenchmarkKey(b *testing.B) {
	for name, text := range texts {
		for _, key := range []string{"x", "backspace", "left", "up", "enter"} {
			b.Run(name+"/"+key, func(b *testing.B) {
				c := &Composer{}
				c.Rows(80, 8)
				c.Insert(text)
				c.Rows(80, 8)
				c.cursor = c.whole(place{len(c.text.lines) / 2, len(c.text.lines[len(c.text.lines)/2].text) / 2})
				c.Rows(80, 8)
				k := input.Key{Name: key}
				if len(key) == 1 {
					k.Text = key
				}
				if key == "enter" {
					k.Name = "alt+enter"
				}
				b.ResetTimer()
				for b.Loop() {
					c.Key(k)
					c.Rows(80, 8)
				}
			})
		}
	}
}
