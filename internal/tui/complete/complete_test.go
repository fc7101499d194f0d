package complete

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// best is the candidates that fit the query, at most n.
func (l *List) best(query string, n int) []Match {
	matches, _ := l.rank(query, nil, false, n)
	return matches
}

func texts(matches []Match) (out []string) {
	for _, m := range matches {
		out = append(out, m.Text)
	}
	return out
}

var project = []string{
	"README.md", "docs/architecture.md", "docs/tools.md", "cmd/sidestick/main.go", "internal/", "internal/tool/", "internal/tool/tool.go", "internal/tool/walk.go",
	"internal/tui/row/row.go", "internal/tui/row/row_test.go", "internal/tui/row/wrap.go", "internal/arrow/throw.go", "internal/app/chat/chat.go", "internal/app/chat/chat_test.go",
	"internal/mcp/oauth/GoogleAuth.go", "docs/überblick.md", "internal/zoo/outer/tail/owl.txt",
}

// The best match of a query.
func TestRank(t *testing.T) {
	for query, want := range map[string]string{
		"readme":      "README.md",
		"row":         "internal/tui/row/row.go",
		"rowt":        "internal/tui/row/row_test.go",
		"rt":          "internal/tui/row/row_test.go",
		"tool":        "internal/tool/",
		"tool.go":     "internal/tool/tool.go",
		"itool":       "internal/tool/",
		"chatchat":    "internal/app/chat/chat.go",
		"chat_t":      "internal/app/chat/chat_test.go",
		"main":        "cmd/sidestick/main.go",
		"ga":          "internal/mcp/oauth/GoogleAuth.go",
		"GA":          "internal/mcp/oauth/GoogleAuth.go",
		"README":      "README.md",
		"arch":        "docs/architecture.md",
		"tui/wrap":    "internal/tui/row/wrap.go",
		"über":        "docs/überblick.md",
		"Ü":           "",
		"zzz":         "",
		"internal/to": "internal/tool/",
	} {
		got := ""
		if m := NewPaths(project).best(query, 1); len(m) > 0 {
			got = m[0].Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestAnEmptyQueryOffersTheNearestFirst(t *testing.T) {
	got := texts(NewPaths(project).best("", 3))
	if diff := cmp.Diff([]string{"README.md", "internal/", "docs/tools.md"}, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	got = texts(NewList([]Candidate{{Text: "new"}, {Text: "help"}, {Text: "a"}}).best("", 9))
	if diff := cmp.Diff([]string{"new", "help", "a"}, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

func TestCommandsKeepTheirOrder(t *testing.T) {
	l := NewList([]Candidate{{Text: "model"}, {Text: "mode"}, {Text: "compact"}, {Text: "remove"}})
	for query, want := range map[string][]string{"mo": {"model", "mode", "remove"}, "mode": {"mode", "model"}} {
		if diff := cmp.Diff(want, texts(l.best(query, 9))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", query, diff)
		}
	}
}

// Where the characters of the query are marked.
func TestMarks(t *testing.T) {
	for _, tc := range []struct{ text, query, want string }{
		{"internal/tui/row/row.go", "row", "internal/tui/row/[row].go"},
		{"internal/app/chat/chat_test.go", "ct", "internal/app/chat/[c]hat_[t]est.go"},
		{"docs/überblick.md", "üb", "docs/[üb]erblick.md"},
		{"e\u0301a", "ea", "[e\u0301a]"},
	} {
		m := NewPaths([]string{tc.text}).best(tc.query, 1)
		if len(m) != 1 {
			t.Errorf("%s: no match", tc.text)
			continue
		}
		var b strings.Builder
		for _, s := range marked(m[0], row.Plain) {
			if s.Style.Is(row.Bold) {
				s.Text = "[" + s.Text + "]"
			}
			b.WriteString(s.Text)
		}
		if b.String() != tc.want {
			t.Errorf("%s: %s, want %s", tc.query, &b, tc.want)
		}
	}
}

func TestPopup(t *testing.T) {
	var p Popup
	if p.IsOpen() || p.Rows(80) != nil {
		t.Error("the zero value is open")
	}
	p.Move(1)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("file%02d.go", i))
	}
	p.Open(NewPaths(many), "fi")
	chosen := func() string { c, _ := p.Chosen(); return c.Text }
	for _, tc := range []struct {
		by   int
		want string
		row  int
	}{{0, "file00.go", 0}, {1, "file01.go", 1}, {6, "file07.go", 7}, {1, "file08.go", 7}, {-1, "file07.go", 6}, {-8, "file19.go", 7}, {1, "file00.go", 0}} {
		p.Move(tc.by)
		rows := p.Rows(80)
		if chosen() != tc.want || len(rows) != Height+1 || rows[tc.row].String() != "› "+tc.want {
			t.Errorf("by %d: %s in %d rows, want %s in row %d", tc.by, chosen(), len(rows), tc.want, tc.row)
		}
	}
	if got := p.Rows(80)[Height].String(); got != "  8 of 20; ↓ shows more, letters narrow" {
		t.Errorf("below the matches: %q", got)
	}
	p.Set("fi12")
	if chosen() != "file12.go" || len(p.Rows(80)) != 1 {
		t.Errorf("narrowed: %s of %d", chosen(), len(p.Rows(80)))
	}
	p.Set("fi1")
	if len(p.matches) != 11 {
		t.Errorf("widened: %d", len(p.matches))
	}
	p.Move(2)
	was := chosen()
	p.Use(NewPaths(append([]string{"afile1"}, many...)))
	if chosen() != was {
		t.Errorf("with another list: %s, want %s", chosen(), was)
	}
	p.Set("none")
	if _, ok := p.Chosen(); ok || len(p.Rows(80)) != 1 {
		t.Error("something is chosen where nothing fits")
	}
}

// A path that is too wide loses its beginning, help its end.
func TestPopupRowsAreCut(t *testing.T) {
	var p Popup
	p.Open(NewPaths([]string{"internal/app/chat/漢字/conversation_test.go"}), "conv")
	if got := p.Rows(24)[0].String(); got != "› …/conversation_test.go" {
		t.Errorf("%q", got)
	}
	p.Open(NewList([]Candidate{{"help", "list the commands"}, {"a-very-long-command-name", "help"}}), "")
	if got := p.Rows(24); got[0].String() != "› help          list th…" || got[1].String() != "  a-very-long…  help" {
		t.Errorf("%q", got)
	}
	for w := range 40 {
		for _, r := range p.Rows(w) {
			if r.Width() > w {
				t.Errorf("%d columns at %d", r.Width(), w)
			}
		}
	}
}

// rank finds the same as a slow search, and no text makes it fail.
func FuzzRank(f *testing.F) {
	f.Add("internal/tui/row.go\nREADME.md", "row")
	f.Add("überblick\n\xff\xfe/a", "Ü\xff")
	f.Fuzz(func(t *testing.T, candidates, query string) {
		all := strings.Split(candidates, "\n")
		l := NewPaths(all)
		found := map[string]bool{}
		for _, m := range l.best(query, len(all)) {
			found[m.Text] = true
			marked(m, row.Plain)
			for i, at := range m.At {
				if at >= len(m.Text) || i > 0 && at <= m.At[i-1] {
					t.Errorf("%q in %q at %v", query, m.Text, m.At)
				}
			}
		}
		chars := newPattern(query).chars
		for _, text := range all {
			if got, want := found[text], fits(text, chars); got != want {
				t.Errorf("%q in %q: %v, want %v", query, text, got, want)
			}
		}
		var p Popup
		p.Open(l, "")
		for i := range query {
			p.Set(query[:i])
		}
		p.Set(query)
		if diff := cmp.Diff(l.best(query, offered), p.matches); diff != "" {
			t.Error("typed one by one: -all at once +got:\n" + diff)
		}
	})
}

func fits(text string, chars []string) bool {
	if !strings.ContainsFunc(strings.Join(chars, ""), unicode.IsUpper) {
		text = fold(text)
	}
	for _, c := range chars {
		i := strings.Index(text, c)
		if i < 0 {
			return false
		}
		text = text[i+len(c):]
	}
	return true
}

// many is n paths like those of a large repository.
func many(n int) *List {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("internal server session event handler test index util parser view model table network client config build render storage cache query user account legacy vendor module")
	paths := make([]string, n)
	for i := range paths {
		var parts []string
		for range 2 + r.IntN(5) {
			parts = append(parts, words[r.IntN(len(words))])
		}
		paths[i] = strings.Join(parts, "/") + fmt.Sprintf("_%s%d.go", words[r.IntN(len(words))], i)
	}
	return NewPaths(paths)
}

func BenchmarkRank100k(b *testing.B) {
	l := many(100_000)
	for _, query := range []string{"", "e", "se", "session", "sesshand", "serindtest", "zq", "Session", "internal/server/x"} {
		b.Run("whole/"+query, func(b *testing.B) {
			for b.Loop() {
				l.best(query, offered)
			}
		})
	}
	b.Run("typed", func(b *testing.B) { // one key after another
		for b.Loop() {
			var p Popup
			p.Open(l, "")
			for i := range len("sesshand") {
				p.Set("sesshand"[:i+1])
			}
		}
	})
}

func BenchmarkNewPaths100k(b *testing.B) {
	for b.Loop() {
		many(100_000)
	}
}
