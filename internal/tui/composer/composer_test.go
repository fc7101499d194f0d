package composer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// keysOf reads keys: names between < and >, such as <ctrl+a>, and text.
func keysOf(keys string) (all []input.Key) {
	for keys != "" {
		if name, rest, ok := strings.Cut(keys, ">"); ok && keys[0] == '<' && len(name) > 1 {
			all, keys = append(all, input.Key{Name: name[1:]}), rest
			continue
		}
		n := next(keys, 0)
		k := input.Key{Name: keys[:n], Text: keys[:n]}
		if k.Name == " " {
			k.Name = "space"
		}
		all, keys = append(all, k), keys[n:]
	}
	return all
}

// press gives the box keys that it must take.
func press(t testing.TB, c *Composer, keys string) (last Action) {
	t.Helper()
	for _, k := range keysOf(keys) {
		a, taken := c.Key(k)
		if !taken {
			t.Errorf("%q was not taken", k.Name)
		}
		last = a
	}
	return last
}

// shows is the text with the cursor as a bar.
func shows(c *Composer) string {
	c.ready()
	s := c.text.slice(place{}, c.cursor) + "|" + c.text.slice(c.cursor, c.text.end())
	for i, p := range c.atoms.pieces {
		s = strings.ReplaceAll(s, string(firstAtom+rune(i)), p.label)
	}
	if c.shell {
		s = "!" + s
	}
	return s
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"abc", "abc|"},
		{"one two<alt+b>", "one |two"},
		{"one two<alt+b><alt+b><alt+f>", "one| two"},
		{"a.b c<ctrl+w><ctrl+w>", "a.|"},
		{"one<alt+enter>two<ctrl+j>three<shift+enter>four", "one\ntwo\nthree\nfour|"},
		{`one\<enter>two`, "one\ntwo|"},
		{"one two<ctrl+a>x<ctrl+e>y", "xone twoy|"},
		{"one two<home><ctrl+k><ctrl+y><ctrl+y>", "one twoone two|"},
		{"one<ctrl+j>two<up><ctrl+e><ctrl+k>", "one|two"},
		{"one<ctrl+j>two<home><ctrl+u>", "one|two"},
		{"one two three<ctrl+w><ctrl+w><ctrl+y>", "one two three|"},
		{"one<ctrl+u>two<ctrl+u><ctrl+y><alt+y>", "one|"},
		{"one<ctrl+u>two<ctrl+u><ctrl+y><alt+y><alt+y>", "two|"},
		{"one two<ctrl+a><alt+d><alt+d><ctrl+y>", "one two|"},
		{"one two<alt+backspace>x", "one x|"},
		{"abc<left><left><delete>", "a|c"},
		{"abc<ctrl+b><ctrl+d>", "ab|"},
		{"👍🏽é<backspace>", "👍🏽|"},
		{"👍🏽e\u0301<backspace><backspace>", "|"},
		{"👨‍👩‍👧x<left><left>y", "y|👨‍👩‍👧x"},
		{"one two three<ctrl+_>", "one two |"},
		{"one two three<ctrl+_><ctrl+_><ctrl+_>", "|"},
		{"one two three<ctrl+_><ctrl+_><alt+_>", "one two |"},
		{"one<backspace><backspace><ctrl+_>", "one|"},
		{"abc<ctrl+u><ctrl+_>", "abc|"},
		{"abcd<ctrl+j>e<ctrl+j>abcd<up><up>", "abcd|\ne\nabcd"},
		{"!ls -l", "!ls -l|"},
		{"!<backspace>x", "x|"},
		{"a!", "a!|"},
		{"!<ctrl+_>", "|"},
		{"abc<alt+s>", "|"},
		{"abc<alt+s>x<alt+s>", "abc|"},
		{"abc<alt+s>x<alt+s><alt+s>", "x|"},
		{"abc<alt+<>x<alt+>>y", "xabcy|"},
	} {
		c := &Composer{}
		press(t, c, strings.ReplaceAll(tc.keys, "<alt+>>", "<ctrl+end>"))
		if got := shows(c); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.keys, got, tc.want)
		}
	}
}

func history(lines ...string) *Composer {
	c := &Composer{}
	c.SetHistory(lines)
	return c
}

func TestHistory(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"<up>", "newest|"},
		{"<up><up>", "two\nlines|"},
		{"<up><up><up>", "!ls|"},
		{"<up><up><up><up><up>", "a Word in it|"},
		{"<up><up><down>", "newest|"},
		{"draft<up><up><down><down>", "draft|"},
		{"draft<up><up><ctrl+_>", "draft|"},
		{"draft<ctrl+p><ctrl+p><ctrl+n>", "newest|"},
		{"<up><up><left><up>", "two|\nlines"},
		{"one<ctrl+j>two<up><up>", "newest|"},
		{"<ctrl+r>word", "a Word in it|"},
		{"<ctrl+r>word<enter>!", "a Word in it!|"},
		{"draft<ctrl+r>word<esc>", "draft|"},
		{"draft<ctrl+r>word<left>x", "a Word in ix|t"},
		{"<ctrl+r>e", "newest|"},
		{"<ctrl+r>e<ctrl+r>", "two\nlines|"},
		{"<ctrl+r>ex<backspace>", "newest|"},
		{"<ctrl+r>WORD", "|"},
	} {
		c := history("a Word in it", "!ls", "two\nlines", "newest")
		press(t, c, tc.keys)
		if got := shows(c); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.keys, got, tc.want)
		}
	}
}

func TestQueuedMessagesAreRecalledFirst(t *testing.T) {
	c := history("old")
	c.Queued = true
	if a := press(t, c, "<up>"); a != Recall {
		t.Errorf("action %v, want Recall", a)
	}
	c.Put(Draft{Text: "queued", Shell: true})
	c.Queued = false
	if got := shows(c); got != "!queued|" {
		t.Errorf("%q", got)
	}
	if d := c.Take(); d.Line() != "!queued" || !c.Empty() {
		t.Errorf("taken: %+v", d)
	}
	press(t, c, "<up>")
	if got := shows(c); got != "!queued|" {
		t.Errorf("from history: %q", got)
	}
}

// A very long text comes back folded but for its first line, and is sent whole.
func TestALongTextComesBackFolded(t *testing.T) {
	long := "Explain this:\n" + strings.Repeat("a line\n", 300)
	file := Attachment{Name: "a.txt", Path: "/a.txt", Label: "[file 1: a.txt]"}
	c := history(long)
	press(t, c, "<up>")
	rows, _ := c.Rows(80, 10)
	if len(rows) > 4 || c.Draft().Text != long {
		t.Errorf("%d rows, %d bytes", len(rows), len(c.Draft().Text))
	}
	c.Put(Draft{Text: long + file.Label + long, Attachments: []Attachment{file}})
	rows, _ = c.Rows(80, 10)
	if d := c.Draft(); len(rows) > 4 || d.Text != long+file.Label+long || len(d.Attachments) != 1 {
		t.Errorf("%d rows, %d attachments, %q", len(rows), len(d.Attachments), d.Text)
	}
	c.Put(Draft{Text: strings.Repeat("typed\n", 20)})
	if got := shows(c); !strings.Contains(got, "typed\ntyped") {
		t.Errorf("%q", got)
	}
}

func TestADroppedDraftIsInHistoryAndCanBeUndone(t *testing.T) {
	c := history()
	press(t, c, "draft")
	if line := c.Drop(); line != "draft" || !c.Empty() {
		t.Errorf("%q, %q", line, shows(c))
	}
	press(t, c, "<up>")
	if got := shows(c); got != "draft|" {
		t.Errorf("history: %q", got)
	}
	press(t, c, "<ctrl+_><ctrl+_>")
	if got := shows(c); got != "draft|" {
		t.Errorf("undone: %q", got)
	}
	if line := history().Drop(); line != "" {
		t.Errorf("an empty box: %q", line)
	}
}

func TestPaste(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("a line\n", 300), "\n")
	c := &Composer{}
	press(t, c, "see ")
	c.Paste(long)
	press(t, c, " end")
	if got := shows(c); got != "see [300 lines pasted] end|" {
		t.Errorf("%q", got)
	}
	if d := c.Draft(); d.Text != "see "+long+" end" {
		t.Errorf("the draft has %d bytes", len(d.Text))
	}
	press(t, c, "<alt+b><left><left>x")
	if got := shows(c); got != "see x|[300 lines pasted] end" {
		t.Errorf("the cursor jumps over it: %q", got)
	}
	press(t, c, "<backspace><right><ctrl+o>")
	if got := c.text.String(); got != "see "+long+" end" {
		t.Errorf("unfolded: %d bytes", len(got))
	}
	press(t, c, "<ctrl+_><backspace>")
	if got := shows(c); got != "see | end" {
		t.Errorf("deleted: %q", got)
	}
	c = &Composer{}
	c.Paste("short\r\ntext\r")
	c.Paste(strings.Repeat("x", 2001))
	if got := shows(c); got != "short\ntext\n[2,001 characters pasted]|" {
		t.Errorf("%q", got)
	}
	if _, taken := c.Key(input.Key{Name: "ctrl+o"}); !taken || len(c.text.String()) != 2012 {
		t.Errorf("unfolded to %d bytes", len(c.text.String()))
	}
	if _, taken := c.Key(input.Key{Name: "ctrl+o"}); taken {
		t.Error("Ctrl-O was taken where there is no paste")
	}
}

func TestPastedPathsBecomeAttachments(t *testing.T) {
	attach := func(c *Composer, paths ...string) {
		for _, path := range paths {
			c.Attach(Attachment{Name: path[strings.LastIndex(path, "/")+1:], Path: path, Image: strings.HasSuffix(path, ".png")})
		}
	}
	c := &Composer{}
	c.Paste("text")
	attach(c, "/tmp/a b.png", "/tmp/c.txt", "/tmp/d.png")
	press(t, c, "x<left><left><left>y")
	if got := shows(c); got != "text[image 1: a b.png] [file 1: c.txt] y|[image 2: d.png] x" {
		t.Errorf("%q", got)
	}
	c = &Composer{}
	if !c.TakesFiles() {
		t.Error("an empty box takes no files")
	}
	press(t, c, "!")
	if c.TakesFiles() {
		t.Error("a shell command takes files")
	}
	c = &Composer{}
	attach(c, "/tmp/a b.png")
	press(t, c, "what is it?")
	d := c.Take()
	want := Draft{Text: "[image 1: a b.png] what is it?", Attachments: []Attachment{{Name: "a b.png", Path: "/tmp/a b.png", Image: true, Label: "[image 1: a b.png]"}}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	c.Put(d)
	if diff := cmp.Diff(want, c.Draft()); diff != "" {
		t.Error("put back: -want +got:\n" + diff)
	}
	c.Attach(Attachment{Name: "b.png", Image: true})
	d = c.Draft()
	d.Text = strings.Replace(d.Text, "[image 1: a b.png]", "", 1) // in an editor
	c.Put(d)
	if got := shows(c); got != " what is it?[image 2: b.png] |" {
		t.Errorf("with the first one deleted: %q", got)
	}
}

func offering() *Composer {
	c := &Composer{Commands: complete.NewList([]complete.Candidate{
		{Text: "help", Help: "list the commands"}, {Text: "model", Help: "show the model, or switch to another"}, {Text: "mode", Help: "set the mode"},
	})}
	c.OfferFiles(complete.NewPaths([]string{"README.md", "internal/", "internal/tui/", "internal/tui/row/row.go", "cmd/main.go"}))
	return c
}

func TestCompletion(t *testing.T) {
	for _, tc := range []struct {
		keys, want string
		rows       int
	}{
		{"/mo", "/mo|", 2},
		{"/mo<tab>", "/model |", 0},
		{"/mo<down><enter>x", "/mode x|", 0},
		{"x /mo", "x /mo|", 0},
		{"see @rea<enter>now", "see @README.md now|", 0},
		{"see @rrg<tab>", "see @internal/tui/row/row.go |", 0},
		{"@int<tab>", "@internal/|", 3},
		{"@int<tab>row<tab>", "@internal/tui/row/row.go |", 0},
		{"@rea<esc>d", "@read|", 0},
		{"@rea<esc>d<backspace><tab><tab>", "@README.md |", 0},
		{"@zzz", "@zzz|", 1},
		{"@rea<left><left><left><left>", "|@rea", 0},
		{"!@rea<tab>", "!@README.md |", 0},
		{"!/mo", "!/mo|", 0},
	} {
		c := offering()
		press(t, c, tc.keys)
		if got := shows(c); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.keys, got, tc.want)
		}
		if got := len(c.Popup(80)); got != tc.rows {
			t.Errorf("%s: %d rows of completions, want %d", tc.keys, got, tc.rows)
		}
	}
	spaced := &Composer{}
	spaced.OfferFiles(complete.NewPaths([]string{"my notes.md", "my docs/"}))
	press(t, spaced, "@note<tab>@docs<tab>x")
	if got := shows(spaced); got != `@"my notes.md" @"my docs/" x|` {
		t.Errorf("paths with spaces: %q", got)
	}
	for keys, want := range map[string]string{
		`see @"my no<tab>too`: `see @"my notes.md" too|`, `@"<down><tab>`: `@"my notes.md" |`, `@"my notes.md" x`: `@"my notes.md" x|`, `a@"my no`: `a@"my no|`,
	} {
		quoted := &Composer{}
		quoted.OfferFiles(complete.NewPaths([]string{"my docs/", "my notes.md"}))
		press(t, quoted, keys)
		if got := shows(quoted); got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
	c := offering()
	if a := press(t, c, "@"); a != Files {
		t.Errorf("@ asks for %v, want Files", a)
	}
	if a := press(t, offering(), "/mode<enter>"); a != Submit {
		t.Errorf("enter on a whole command: %v, want Submit", a)
	}
	if a := press(t, offering(), "@zzz<enter>"); a != Submit {
		t.Errorf("enter where nothing fits: %v, want Submit", a)
	}
}

// Text that the user typed while a question was open has the same effect as text typed in the box.
func TestALateExclamationMarkIsForTheShell(t *testing.T) {
	for typed, want := range map[string]Draft{
		"!./big.sh": {Text: "./big.sh", Shell: true},
		"!":         {Shell: true},
		"so!":       {Text: "so!"},
	} {
		c := &Composer{}
		c.TypeLate(typed)
		if got := c.Draft(); got.Text != want.Text || got.Shell != want.Shell {
			t.Errorf("%q is %q, for the shell: %v", typed, got.Text, got.Shell)
		}
	}
}
