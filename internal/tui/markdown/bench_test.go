package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// answer is a long answer: headings, paragraphs with marks, nested lists, a third of it code,
// and tables.
func answer(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "## Part %d\n\n", i)
		for k := range 3 {
			fmt.Fprintf(&b, "This paragraph explains `part%d` and **what it does**, with a [link](https://go.dev/doc/%d) and some more words, so that it has a length that is usual in answers of models.\n\n", k, i)
		}
		b.WriteString("- an item with `code`\n- another one\n  - nested **deeper**\n  - and once more\n\n```go\n")
		for k := range 12 {
			fmt.Fprintf(&b, "\tif err := run(ctx, \"step %d\", 0x%x); err != nil { // try it\n", k, i)
		}
		b.WriteString("```\n\n| Name | Value | What |\n|---|--:|---|\n")
		for k := range 5 {
			fmt.Fprintf(&b, "| `a%d` | %d | some words about it |\n", k, i*k)
		}
		b.WriteString("\n")
	}
	return b.String()[:size]
}

func BenchmarkWhole1MB(b *testing.B) {
	source := answer(1 << 20)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Rows(source, 80)
	}
}

// A frame is 333 bytes: 5,000 tokens a second, 60 times a second.
func BenchmarkFrame(b *testing.B) {
	for _, size := range []int{64 << 10, 2 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			source := answer(size)
			frames := 0
			for b.Loop() {
				var s Stream
				for i := 0; i < len(source); i += 333 {
					s.Write(source[i:min(i+333, len(source))])
					s.Take(80)
					s.Tail(80)
					frames++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
		})
	}
}

// Texts that are made to cost much: what they cost for each byte is what counts.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"brackets": "[", "stars": "*a **b ", "quotes": ">", "items": "- ", "code": "`a``", "underscores": "_a", "pipes": "|", "word": "a", "links": "[a](", "images": "![", "angle": "<a ", "entities": "&",
		"table": "|a|b|\n|-|-|\n", "nested": "- a\n > b\n", "tilde": "~a~~", "backslash": "\\",
	} {
		b.Run(name, func(b *testing.B) {
			source := strings.Repeat(unit, 256<<10/len(unit))
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				Rows(source, 80)
			}
		})
	}
}
