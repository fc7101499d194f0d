package timeline

import (
	"strings"
	"testing"
)

// BenchmarkHarmless is the cost for a piece of an answer, which is on the way of each.
func BenchmarkHarmless(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("Some text of an answer.\n", 40),
		"other": strings.Repeat("Ein Satz für Prüfer – 世界.\n", 40),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Harmless(text)
			}
		})
	}
}
