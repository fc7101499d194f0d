package tool

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ripgrep reports every file in which our own search finds a match. Patterns and texts are
// built at random, the same each time, from pieces that the two might read differently.
func TestRipgrepMissesNothing(t *testing.T) {
	if ripgrep() == "" {
		t.Skip("rg is not on the PATH")
	}
	random := rand.New(rand.NewPCG(1, 2))
	join := func(pieces string, n int) string {
		all := strings.Split(pieces, "|")
		var b strings.Builder
		for range n {
			b.WriteString(all[random.IntN(len(all))])
		}
		return b.String()
	}
	dir := t.TempDir()
	var files []sought
	var texts [][]byte
	for i := range batch {
		text := join("a|b|needle| |\n|\r\n|é|1|x|N|\xff|_|\t|ſ|K||\r", random.IntN(12))
		path := filepath.Join(dir, string(rune('a'+i%26))+string(rune('a'+i/26)))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files, texts = append(files, sought{f, path}), append(texts, []byte(strings.ReplaceAll(text, "\r\n", "\n")))
	}
	asked := 0
	for range 200 {
		pattern := join(`a|b|needle|\b|\d|\w+|\s|[^a]|[a-c]|.|^|$|é|\pL|\W|x*|(?:a`+"\x00"+`b)|(?i:N)|\D|[[:alpha:]]|\x{e9}|(?:^`+"\x00"+`b)|$?|[\r]|\S|{2}|?|ſ`, 1+random.IntN(4))
		pattern = strings.ReplaceAll(pattern, "\x00", "|")
		q, err := compile(pattern, random.IntN(4) == 0, false)
		if err != nil || q.rg == "" {
			continue
		}
		asked++
		worth := newScan(q, grepArgs{}).worth(t.Context(), files)
		for i, text := range texts {
			for range q.matches(text) {
				if !worth(i) {
					t.Errorf("%q is in %q, which ripgrep misses", pattern, text)
				}
				break
			}
		}
	}
	if asked < 100 {
		t.Errorf("ripgrep was asked %d times only", asked)
	}
}
