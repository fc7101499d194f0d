package cli

import (
	"strings"
	"testing"
)

// BenchmarkPrintableJSON is the cost for an event of --json.
func BenchmarkPrintableJSON(b *testing.B) {
	for name, text := range map[string][]byte{
		"ascii": []byte(`{"content":"` + strings.Repeat("Some text of an answer. ", 40) + `"}`),
		"other": []byte(`{"content":"` + strings.Repeat("Ein Satz für Prüfer – 世界. ", 40) + `"}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				PrintableJSON(text)
			}
		})
	}
}
