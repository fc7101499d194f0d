package input

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPaste(t *testing.T) {
	for _, tc := range []struct{ name, bytes, want string }{
		{"line breaks", "a\rb\r\nc\nd\r", "a\nb\nc\nd\n"},
		{"tabs stay", "\ta\tb", "\ta\tb"},
		{"control characters", "a\x00b\x07c\x7fd\u009be", "abcde"},
		{"colours", "\x1b[31;1mred\x1b[0m and \x1b(Bplain", "red and (Bplain"},
		{"titles and links", "\x1b]0;title\x07a\x1b]8;;http://x.example\x1b\\b", "ab"},
		{"a string without an end", "a\x1b]0;title and more", "a]0;title and more"},
		{"Esc before text", "a\x1bb\x1b", "ab"},
		{"another beginning", "a\x1b[200~b", "ab"},
		{"not UTF-8", "a\xffb\xe6", "a\ufffdb\ufffd"},
		{"wide characters", "漢字 👨‍👩‍👧 e\u0301", "漢字 👨‍👩‍👧 e\u0301"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := decode(&Decoder{}, "\x1b[200~"+tc.bytes+"\x1b[201~", "q")
			want := append([]Event{Paste{Text: tc.want}}, typed("q")...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

func TestALongPasteIsCut(t *testing.T) {
	var d Decoder
	d.Feed([]byte("\x1b[200~"), start)
	for range MaxPaste / 3 / 1000 {
		d.Feed([]byte(strings.Repeat("漢", 1000)), start)
	}
	got := d.Feed([]byte(strings.Repeat("漢", 1000)+"\x1b[201~"), start)
	p, ok := got[0].(Paste)
	if !ok || !p.Cut || len(p.Text) != MaxPaste-MaxPaste%3 || strings.Trim(p.Text, "漢") != "" {
		t.Errorf("the paste is %T with %d bytes, cut %v", got[0], len(p.Text), p.Cut)
	}
	if diff := cmp.Diff(typed("q"), d.Feed([]byte("q"), start)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// If the end of a paste is lost, the keys work again after a while.
func TestAPasteWithoutItsEnd(t *testing.T) {
	var d Decoder
	d.Feed([]byte("\x1b[200~one\rtwo\x1b[20"), start)
	if at, waits := d.Due(); !waits || at != start.Add(pasteWait) {
		t.Errorf("Due = %v, %v", at, waits)
	}
	want := []Event{Paste{Text: "one\ntwo"}}
	if diff := cmp.Diff(want, d.Flush()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if d.Brackets {
		t.Error("the marks of this terminal are trusted")
	}
	if diff := cmp.Diff(pressed("ctrl+c"), d.Feed([]byte{3}, start)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// A text can have a mark of its own end, and a line break behind it.
func TestATextThatEndsItsPasteDoesNotSubmit(t *testing.T) {
	d := Decoder{Brackets: true}
	got := d.Feed([]byte("\x1b[200~harmless\x1b[201~delete all\r"), start)
	want := append(append([]Event{Paste{Text: "harmless"}}, typed("delete all")...), Paste{Text: "\n"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff(pressed("enter"), d.Feed([]byte("\r"), start.Add(time.Second))); diff != "" {
		t.Error("the Enter of the user: -want +got:\n" + diff)
	}
}

// Text that was pasted without marks does not submit, and typed text does.
func TestBurst(t *testing.T) {
	enter, newline := Event(Key{Name: "enter"}), Event(Paste{Text: "\n"})
	type read struct {
		after time.Duration
		text  string
	}
	keys := func(gap time.Duration, text string) (out []read) {
		for _, c := range text {
			out = append(out, read{gap, string(c)})
		}
		return out
	}
	for _, tc := range []struct {
		name     string
		brackets bool
		reads    []read
		want     []Event
	}{
		{"typed fast", false, append(keys(30*time.Millisecond, "typed"), read{30 * time.Millisecond, "\r"}), append(typed("typed"), enter)},
		{"one key and Enter", false, []read{{0, "y"}, {time.Millisecond, "\r"}}, append(typed("y"), enter)},
		{"one read", false, []read{{0, "pasted\r"}}, append(typed("pasted"), newline)},
		{"key by key", false, append(keys(time.Millisecond, "pasted"), read{time.Millisecond, "\r"}), append(typed("pasted"), newline)},
		{"the last Enter comes late", false, []read{{0, "pasted"}, {100 * time.Millisecond, "\r"}}, append(typed("pasted"), newline)},
		{"the user's Enter", false, []read{{0, "pasted\r"}, {time.Second, "\r"}}, append(typed("pasted"), newline, enter)},
		{"short lines", false, []read{{0, "a\rb\r\rcd"}}, append(append(append(append(typed("a"), newline), typed("b")...), newline, newline), typed("cd")...)},
		{"short lines that end", false, []read{{0, "a\rb\r"}}, append(append(append(typed("a"), newline), typed("b")...), newline)},
		{"Enter that is held", false, []read{{0, "\r\r"}}, []Event{enter, enter}},
		{"a table", false, []read{{0, "a\tb"}}, append(append(typed("a"), Paste{Text: "\t"}), typed("b")...)},
		{"marks are known", true, []read{{0, "quick\r"}}, append(typed("quick"), enter)},
		{"an arrow between", false, []read{{0, "abcdef\x1b[A"}, {0, "\r"}}, append(append(typed("abcdef"), Key{Name: "up"}), enter)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, now := Decoder{Brackets: tc.brackets}, start
			var got []Event
			for _, r := range tc.reads {
				now = now.Add(r.after)
				got = append(got, d.Feed([]byte(r.text), now)...)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

func BenchmarkPaste(b *testing.B) {
	text := []byte("\x1b[200~" + strings.Repeat("a line of pasted text, as long as most\r", 25_000) + "\x1b[201~")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var d Decoder
		n := 0
		for i := 0; i < len(text); i += 4095 {
			n += len(d.Feed(text[i:min(i+4095, len(text))], start))
		}
		if n != 1 {
			b.Fatal(n)
		}
	}
}

// A terminal that says that it marks pasted text is not suspected: an Enter that comes together with
// text, as over a slow connection, is a key.
func TestTheTerminalSaysThatItMarksPastedText(t *testing.T) {
	for answer, want := range map[string]Event{
		"\x1b[?2004;1$y": Key{Name: "enter"},
		"\x1b[?2004;3$y": Key{Name: "enter"},
		"\x1b[?2004;0$y": Paste{Text: "\n"},
		"\x1b[?2026;1$y": Paste{Text: "\n"},
	} {
		var d Decoder
		if got := d.Feed([]byte(answer), start); len(got) > 0 {
			t.Errorf("%q is %v", answer, got)
		}
		if got := d.Feed([]byte("typed at once\r"), start); got[len(got)-1] != want {
			t.Errorf("after %q the last event is %v, want %v", answer, got[len(got)-1], want)
		}
	}
}
