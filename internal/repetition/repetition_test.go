package repetition_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/repetition"
)

const lorem = "The parser reads one line after the other and keeps what it has read in a small table, so that a caller may ask for it again. "

// words is a text of n characters without a cycle in it.
func words(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s%c ", []string{"if", "the", "parser", "reads", "line", "and", "then", "value", "of", "table"}[r.IntN(10)], 'a'+rune(r.IntN(26)))
	}
	return b.String()[:n-1] + "."
}

// loop is a text that repeats cycle for ever after what comes before it. It must be stopped within bound characters of
// repetition, or six copies if these are longer.
type loop struct {
	name, before, cycle string
	data                bool
	bound               int
}

func manyLoops() []loop {
	var loops []loop
	for i, n := range []int{1, 2, 3, 4, 5, 7, 11, 16, 20, 33, 64, 100, 129, 200, 256, 400, 401, 600, 900, 1199, 1200} {
		bound := repetition.Prose
		if n == 1 {
			bound = repetition.Data
		}
		cycle := words(max(n, 2), uint64(i))[:n]
		loops = append(loops, loop{fmt.Sprint("prose ", n), lorem, cycle, false, bound})
		if n > 1 {
			loops = append(loops, loop{fmt.Sprint("code ", n), "```go\nfunc main() {\n", cycle[:n-1] + "\n", false, repetition.Prose})
		}
		bound = repetition.Prose
		if n < 200 {
			bound = repetition.Data
		}
		loops = append(loops, loop{fmt.Sprint("arguments ", n), `{"text":"`, cycle, true, bound})
	}
	loops = append(
		loops,
		loop{"tools", "import iter", "toolser", false, repetition.Prose},
		loop{"a sentence", "Now I begin.\n", "The end of the task.\n", false, repetition.Prose},
		loop{"reasoning", "Let me think.\n", "Wait, but the user said that it is late. Let me think again.\n", false, repetition.Prose},
		loop{"code without a fence", "func main() {\n", "\tx := append(x, next())\n", false, repetition.Prose},
		loop{"code", "```go\nfunc main() {\n", "\tx := append(x, next())\n", false, repetition.Prose},
		loop{"code in a language with a long name", "```typescript\nfunction main() {\n", "\tx = x.concat(next())\n", false, repetition.Prose},
		loop{"code without a name", "```\nfunc main() {\n", "\tx := append(x, next())\n", false, repetition.Data},
		loop{"code in one line", "~~~ Python\nx = 1", " + x", false, repetition.Prose},
		loop{"elements of a list", "```go\nvar in = []T{\n", "\t{Name: \"x\"},\n", false, repetition.Data},
		loop{"after code", "```go\nx := 1\n```\n", "And so on, for ever and ever. ", false, repetition.Prose},
		loop{"inline code in three backticks", "```x``` is a word.\n", "And so on, for ever and ever. ", false, repetition.Prose},
		loop{"after a block of four", "````\n```\n````\n", "And so on, for ever and ever. ", false, repetition.Prose},
		loop{"records in arguments", `{"text":"`, words(210, 8), true, repetition.Prose},
		loop{"long code", "```go\nfunc main() {\n", words(700, 9), false, repetition.Prose},
		loop{"spaces", `{"a":1}`, " ", true, repetition.Data},
		loop{"two parts that are alike", lorem, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab aaaaaaaaaaaaaaaaaaaaaaaaaaaaaac ", false, repetition.Prose},
		loop{"Chinese", "你好。", "今天天气很好。", false, repetition.Prose},
		loop{"long Chinese", "你好。", strings.Repeat("今", 500) + "天" + strings.Repeat("今", 698) + "好", false, repetition.Prose},
	)
	return loops
}

// TestLoopsAreStopped feeds fifty loops and more, and one of every script that takes several bytes for a character. Of
// fifty of them the bound is that of prose.
func TestLoopsAreStopped(t *testing.T) {
	loops, strict := manyLoops(), 0
	for _, l := range loops {
		if l.bound == repetition.Prose {
			strict++
		}
	}
	if strict < 50 {
		t.Fatalf("only %d of %d loops are to be stopped within six copies or %d characters", strict, len(loops), repetition.Prose)
	}
	for _, l := range loops {
		t.Run(l.name, func(t *testing.T) {
			d := repetition.Detector{Data: l.data}
			d.Feed(l.before)
			got := len(l.before)
			for _, c := range strings.Repeat(l.cycle, 4000/len(l.cycle)+10) {
				if got += len(string(c)); d.Feed(string(c)) {
					break
				}
			}
			characters := len([]rune((l.before + strings.Repeat(l.cycle, 4000/len(l.cycle)+10))[len(l.before):got]))
			if most := max(repetition.Copies*len([]rune(l.cycle)), l.bound); d.Keep() == 0 || characters > most {
				t.Errorf("stopped: %v, after %d characters of repetition, want at most %d", d.Keep() > 0, characters, most)
			}
			if want := len(l.before) + len(l.cycle); d.Keep() > want || d.Keep() < want-len(l.cycle) {
				t.Errorf("%d bytes are kept, the first copy ends at %d", d.Keep(), want)
			}
		})
	}
}

// TestFalseAlarms feeds texts that repeat something because somebody wanted that.
func TestFalseAlarms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d texts, %v", len(files), err)
	}
	texts := map[string]string{
		"a rule":           "Title\n" + strings.Repeat("=", 2000) + "\nText",
		"spaces":           "a" + strings.Repeat(" ", 2000) + "b",
		"table rule":       "| a | b |\n" + strings.Repeat("|---", 300) + "|\n| 1 | 2 |",
		"table":            strings.Repeat("| n/a | n/a | yes |\n", 60),
		"ASCII art":        strings.Repeat(strings.Repeat("/\\", 30)+"\n", 30),
		"boxes":            strings.Repeat("─", 500) + "\n" + strings.Repeat("═", 600),
		"base64":           "The key: " + strings.Repeat("A", 2000) + "==",
		"log":              "It prints:\n```\n" + strings.Repeat("12:00:01 ERROR connection refused\n", 50) + "```\nand so on.",
		"block in a block": "````\n```\n" + strings.Repeat("12:00:01 ERROR connection refused\n", 50) + "```\n````\n",
		"log with a name":  "```log\n" + strings.Repeat("12:00:01 ERROR connection refused\n", 50) + "```\n",
		"bytes in code":    "```go\nconst zeros = \"" + strings.Repeat("\\x00", 500) + "\"\n```",
		"list in code":     "```python\nx = [" + strings.Repeat("None, ", 300) + "]\n```",
		"zeros":            "[" + strings.Repeat("0, ", 600) + "0]",
		"JSON":             "{\"rows\":[" + strings.Repeat("null,", 400) + "null]}",
		"CSV":              "```csv\na,b,c\n" + strings.Repeat("0,none,0\n", 200) + "```\n",
		"test data":        "```go\nvar in = []T{\n" + strings.Repeat("\t{Name: \"x\", Age: 1},\n", 90) + "}\n```",
		"five paragraphs":  strings.Repeat(lorem, 5),
		"three sentences":  strings.Repeat("Yes, it is so. ", 20),
		"alternating text": lorem + words(40000, 3),
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(b)
	}
	for name, text := range texts {
		var d repetition.Detector
		for i := range len(text) {
			if d.Feed(text[i : i+1]) {
				t.Errorf("%s: stopped after %d bytes", name, d.Keep())
				break
			}
		}
		d.Free()
	}
}

// In one piece only a repetition up to its end counts, because every other one has ended. One that has ended hides none
// that follows it.
func TestARepetitionThatHasEndedIsNone(t *testing.T) {
	const copies = "The end of the task.\n"
	wanted := "I begin.\n" + strings.Repeat(copies, 100) + "So it ends. "
	var d repetition.Detector
	if d.Feed(wanted) || d.Keep() != 0 {
		t.Errorf("a repetition in the middle: %d bytes are kept", d.Keep())
	}
	if !d.Feed(strings.Repeat(lorem, 50)) || d.Keep() > len(wanted)+len(lorem) || d.Keep() < len(wanted) {
		t.Errorf("after it: %d bytes are kept, want %d", d.Keep(), len(wanted)+len(lorem))
	}
	d.Free()
	if whole := "I begin.\n" + strings.Repeat(copies, 3000); !d.Feed(whole) || d.Keep() < 9 || d.Keep() > 9+len(copies) {
		t.Errorf("a repetition at the end: %d bytes are kept", d.Keep())
	}
}

// FuzzDetector feeds a text in pieces, and what has come until it is stopped in one piece. Neither may panic, and the same
// must be kept.
func FuzzDetector(f *testing.F) {
	f.Add("a", "b", 700, 3, false)
	f.Add("```\n", "line of a log\n", 300, 7, false)
	f.Add("{\"a\":\"", "今天", 900, 1, true)
	f.Fuzz(func(t *testing.T, before, cycle string, copies, size int, data bool) {
		text := before + strings.Repeat(cycle, min(max(copies, 0), 100_000/(len(cycle)+1)))
		whole, split := repetition.Detector{Data: data}, repetition.Detector{Data: data}
		b := false
		size = max(size%100, 1)
		for rest := text; rest != "" && !b; {
			n := min(size, len(rest))
			b, rest = split.Feed(rest[:n]), rest[n:]
			if b {
				text = text[:len(text)-len(rest)]
			}
		}
		a := whole.Feed(text)
		if a != b || whole.Keep() != split.Keep() || whole.Keep() > len(text) {
			t.Errorf("whole %v %d, in pieces %v %d", a, whole.Keep(), b, split.Keep())
		}
	})
}

// BenchmarkBurst feeds the 20,000 pieces of a burst: words, and numbers such as times, which have no l and no comma.
func BenchmarkBurst(b *testing.B) {
	var times strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&times, "%d ", 1_764_416_123_456_789_013+i*731)
	}
	for name, text := range map[string]string{"words": words(100_000, 5), "times": times.String()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var d repetition.Detector
				for i := 0; i+5 <= len(text); i += 5 {
					d.Feed(text[i : i+5])
				}
				d.Free()
			}
		})
	}
}
