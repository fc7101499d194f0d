package pager

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// texts is a source whose items are wrapped texts. Those that begin with "> " are marks.
type texts []string

func (s texts) Len() int        { return len(s) }
func (s texts) Mark(i int) bool { return strings.HasPrefix(s[i], "> ") }

func (s texts) Rows(i, width int) (rows []row.Row) {
	for line := range strings.Lines(s[i]) {
		rows = append(rows, row.Text(strings.TrimSuffix(line, "\n")).Wrap(width, row.Text("  "))...)
	}
	return rows
}

// numbered is a source of n items of three rows, every tenth a mark. It counts what is made.
type numbered struct {
	n    int
	made int
}

func (s *numbered) Len() int        { return s.n }
func (s *numbered) Mark(i int) bool { return i%10 == 0 }

func (s *numbered) Rows(i, _ int) []row.Row {
	s.made++
	return []row.Row{row.Of(fmt.Sprintf("item %d", i), row.Bold), row.Text("  some text of it"), nil}
}

func key(name string) input.Key {
	text := ""
	if len(name) == 1 {
		text = name
	}
	if name == "space" {
		text = " "
	}
	return input.Key{Name: name, Text: text}
}

// press presses keys, which are separated by spaces.
func press(p *Pager, keys string) (last Outcome) {
	for name := range strings.FieldsSeq(keys) {
		last = p.Key(key(name))
	}
	return last
}

func typed(p *Pager, text string) {
	for _, c := range text {
		if c == ' ' {
			p.Key(key("space"))
			continue
		}
		p.Key(key(string(c)))
	}
}

func searchFor(p *Pager, text string) {
	press(p, "/")
	typed(p, text)
	press(p, "enter")
	for p.Step() {
	}
}

func lines(rows []row.Row) (out []string) {
	for _, r := range rows {
		out = append(out, strings.TrimRight(r.String(), " "))
	}
	return out
}

// top is the first row that is seen.
func top(p *Pager) string { return p.Rows(p.width, p.height)[0].String() }

func open(s Source, width, height int) *Pager {
	p := New("session", s, keymap.Default())
	p.Rows(width, height)
	return p
}

func TestMoving(t *testing.T) {
	p := open(&numbered{n: 100}, 40, 11) // ten rows of text
	for _, tc := range []struct{ keys, want string }{
		{"", "item 0"},
		{"k up b", "item 0"},
		{"j", "  some text of it"},
		{"down enter", "item 1"},
		{"space", "  some text of it"}, // of item 4
		{"b", "item 1"},
		{"ctrl+d j", "item 3"},
		{"u k", "item 1"},
		{"G", ""}, // the last row of item 96
		{"j space G", ""},
		{"k k", "item 96"},
		{"g", "item 0"},
		{"right", "item 10"},
		{"right", "item 20"},
		{"j left", "item 20"},
		{"left", "item 10"},
		{"end left", "item 90"},
		{"home", "item 0"},
		{"x F7 ctrl+q", "item 0"},
	} {
		press(p, tc.keys)
		if got := top(p); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.keys, got, tc.want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	p := open(&numbered{n: 100}, 40, 11)
	for _, tc := range []struct {
		keys string
		want Outcome
	}{{"j", Stay}, {"q", Close}, {"esc", Close}, {"ctrl+c", Close}, {"e", Edit}, {"/ q", Stay}, {"esc", Stay}, {"esc", Close}, {"/ ctrl+c", Stay}, {"Q", Stay}} {
		if got := press(p, tc.keys); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.keys, got, tc.want)
		}
	}
}

// A search finds words over the end of a row, and small letters find capitals, but not the other
// way round.
func TestSearch(t *testing.T) {
	p := open(texts{"> first question", "the quick brown fox jumps over\nthe lazy dog", "> Second", "nothing here", "QUICK\nquick brown"}, 20, 4)
	for _, tc := range []struct{ query, want string }{
		{"quick", "1 of 3"},
		{"QUICK", "1 of 1"},
		{"quick brown", "1 of 2"},
		{"fox jumps", "1 of 1"}, // on two rows
		{"zebra", "no match for zebra"},
		{"second", "1 of 1"},
		{"a.c*(", "no match for a.c*("},
	} {
		press(p, "g")
		searchFor(p, tc.query)
		if got := p.result(""); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.query, got, tc.want)
		}
	}
}

// n and N walk through the matches and begin again at the ends.
func TestSearchWalks(t *testing.T) {
	p := open(&numbered{n: 1000}, 60, 11)
	searchFor(p, "item 77")
	var got []string
	for _, k := range []string{"", "n", "n", "N", "N", "N", "N"} {
		press(p, k)
		for p.Step() {
		}
		got = append(got, p.result(""))
	}
	want := []string{"1 of 11", "2 of 11", "3 of 11", "2 of 11", "1 of 11", "11 of 11", "10 of 11"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if rows := strings.Join(lines(p.Rows(60, 11)), "\n"); !strings.Contains(rows, "item 778") {
		t.Errorf("the match is not on the screen:\n%s", rows)
	}
}

// A search goes to the first match below where the user is, while it is typed; Esc goes back.
func TestSearchWhileTyping(t *testing.T) {
	p := open(&numbered{n: 1000}, 60, 11)
	press(p, "right right right") // item 30
	press(p, "/")
	typed(p, "item 5")
	if got := lines(p.Rows(60, 11)); !strings.Contains(strings.Join(got, "\n"), "item 50") {
		t.Errorf("the screen is\n%s", strings.Join(got, "\n"))
	}
	if r, c, ok := p.Cursor(); !ok || r != 10 || c != 7 {
		t.Errorf("the caret is at %d, %d, %v", r, c, ok)
	}
	if press(p, "esc") != Stay || top(p) != "item 30" || p.result("") != "" {
		t.Errorf("after esc: %q, %q", top(p), p.result(""))
	}
	if _, _, ok := p.Cursor(); ok {
		t.Error("the caret is shown without a field")
	}
}

// The text at the top stays there when the width changes.
func TestResizeKeepsThePlace(t *testing.T) {
	var s texts
	for i := range 50 {
		s = append(s, fmt.Sprintf("%d: ", i)+strings.Repeat("several words that are wrapped ", 20))
	}
	p := open(s, 80, 10)
	press(p, "space space space j j")
	before, _, _ := strings.Cut(p.Rows(80, 10)[0].String(), "words")
	item := p.Item()
	for _, width := range []int{40, 200, 33, 120, 80} {
		p.Rows(width, 12)
		if p.Item() != item {
			t.Fatalf("at %d the top is item %d, want %d", width, p.Item(), item)
		}
	}
	if after := p.Rows(80, 10)[0].String(); !strings.HasPrefix(after, before) {
		t.Errorf("the top was %q and is %q", before, after)
	}
}

// At the end, what is added is followed; elsewhere nothing moves.
// A call whose rows have become fewer, and of which the pager was not told, does not end the program.
func TestAnItemThatHasBecomeShorter(t *testing.T) {
	for _, width := range []int{80, 40} {
		s := texts{strings.Repeat("a line\n", 100), "the end"}
		p := open(s, 80, 10)
		press(p, "space space space")
		s[0] = "a line\n"
		p.items = cache{} // it forgets what was not used for long
		if got := lines(p.Rows(width, 10)); got[0] != "a line" || got[1] != "the end" {
			t.Errorf("at %d: %q", width, got)
		}
	}
}

// A search that is given up returns to the text that was at the top, also if the size has changed
// meanwhile: at a wider terminal that is another row.
func TestASearchIsGivenUpAfterAResize(t *testing.T) {
	p := open(texts{strings.Repeat("some words of a text ", 200) + "HERE" + strings.Repeat(" and some more of it", 200), "the end"}, 20, 10)
	for !strings.Contains(top(p), "HERE") {
		press(p, "j")
	}
	press(p, "/")
	typed(p, "end")
	p.Rows(100, 10)
	press(p, "esc")
	if got := p.Rows(100, 10)[0].String(); !strings.Contains(got, "HERE") {
		t.Errorf("the top is %q", got)
	}
}

func TestItemsAreAdded(t *testing.T) {
	s := &numbered{n: 20}
	p := open(s, 40, 11)
	press(p, "G")
	s.n = 25
	p.Changed(20)
	if got := strings.Join(lines(p.Rows(40, 11)), "\n"); !strings.Contains(got, "item 24") {
		t.Errorf("the end is not followed:\n%s", got)
	}
	press(p, "g j")
	s.n = 30
	p.Changed(25)
	if got := top(p); got != "  some text of it" || p.Item() != 0 {
		t.Errorf("the top has moved: %q", got)
	}
	s.n = 0
	p.Changed(0)
	if got := lines(p.Rows(40, 3)); got[0] != "" || !strings.Contains(got[2], "empty") {
		t.Errorf("without items: %q", got)
	}
	press(p, "j k G g right / a enter n")
	for _, keys := range []string{"j", "G", "space", "left", "/ a enter n N"} { // a source that never had any
		press(open(Lines{}, 80, 24), keys)
	}
}

// A key makes few items, however many there are, and few are kept.
func TestFewItemsAreMade(t *testing.T) {
	s := &numbered{n: 10_000}
	p := open(s, 80, 24)
	for _, keys := range []string{"", "G", "g", "space", "right", "left", "b"} {
		before := s.made
		press(p, keys)
		p.Rows(80, 24)
		if n := s.made - before; n > 40 {
			t.Errorf("%q makes %d items", keys, n)
		}
	}
	press(p, "/")
	before := s.made
	typed(p, "z")
	if n := s.made - before; n > 100 {
		t.Errorf("a letter of a search makes %d items", n)
	}
	for p.Step() {
	}
	if n := len(p.items.young) + len(p.items.old); n > 2*cacheRows {
		t.Errorf("%d items are kept", n)
	}
}

// Rows that are too wide are folded, and found as if they were not.
func TestWideRows(t *testing.T) {
	p := open(Lines{row.Text("abcdefghij"), row.Text("漢字漢字")}, 4, 9)
	want := []string{"abcd", "efgh", "ij", "漢字", "漢字", "", "", ""}
	if diff := cmp.Diff(want, lines(p.Rows(4, 9))[:8]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	searchFor(p, "defg")
	if got := p.result(""); got != "1 of 1" {
		t.Errorf("found %q", got)
	}
	if diff := cmp.Diff(row.Row{{Text: "abc"}, {Text: "d", Style: row.Reverse | row.Bold}}, p.Rows(4, 9)[0]); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

func TestGolden(t *testing.T) {
	s := texts{
		"> make the tests pass", "I look at the tests first. There are three that fail, all of them in package parser, because of the change of yesterday.",
		"$ go test ./...\nok   example/a\nFAIL example/parser", "> and the docs?", "The docs are right. 漢字 and 👍🏽 stay whole.",
	}
	for _, width := range []int{40, 80, 200} {
		p := open(s, width, 10)
		var b strings.Builder
		for _, keys := range []string{"", "G", "g / t e s t", "enter n", "esc"} {
			press(p, keys)
			for p.Step() {
			}
			fmt.Fprintf(&b, "== %s\n%s\n", keys, strings.Join(lines(p.Rows(width, 10)), "\n"))
		}
		golden.Text(t, fmt.Sprintf("pager-%d", width), b.String())
	}
}

// Every key of the table does something in the middle of a text.
func TestEveryKeyOfTheTable(t *testing.T) {
	for _, a := range keymap.Default().Actions() {
		for _, k := range a.Keys {
			if a.Focus != keymap.Pager {
				continue
			}
			p := open(&numbered{n: 1000}, 80, 24)
			searchFor(p, "item 50")
			press(p, "space right")
			before := fmt.Sprint(p.Rows(80, 24))
			if press(p, k) == Stay && fmt.Sprint(p.Rows(80, 24)) == before {
				t.Errorf("%s of %s does nothing", k, a.Name)
			}
		}
	}
}

// A long title leaves room for the key that closes the pager.
func TestALongTitleHidesNoKey(t *testing.T) {
	for _, width := range []int{20, 40, 80} {
		p := New(strings.Repeat("a long command ", 20), &numbered{n: 100}, keymap.Default())
		rows := p.Rows(width, 5)
		if last := rows[len(rows)-1]; !strings.Contains(last.String(), "q close") || last.Width() > width {
			t.Errorf("at %d: %q", width, last)
		}
	}
}
