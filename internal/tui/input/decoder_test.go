package input

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// start is when the tests begin to type.
var start = time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)

// decode feeds texts, each a second after the one before, and flushes when that is due.
func decode(d *Decoder, texts ...string) (out []Event) {
	now := start
	for _, text := range texts {
		out = append(out, d.Feed([]byte(text), now)...)
		now = now.Add(time.Second)
		if at, waits := d.Due(); waits && !at.After(now) {
			out = append(out, d.Flush()...)
		}
	}
	return out
}

func typed(text string) (out []Event) {
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		out = append(out, Key{Name: name, Text: string(r)})
	}
	return out
}

func pressed(names ...string) (out []Event) {
	for _, name := range names {
		out = append(out, Key{Name: name})
	}
	return out
}

func TestKeys(t *testing.T) {
	for _, tc := range slices.Concat(characterKeys, namedKeys, protocolKeys) {
		if diff := cmp.Diff(pressed(tc.want), decode(&Decoder{}, tc.bytes)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", tc.bytes, diff)
		}
	}
}

type sent struct{ bytes, want string }

var (
	// Control characters, and Alt with a character.
	characterKeys = []sent{
		{"\r", "enter"},
		{"\n", "ctrl+j"},
		{"\t", "tab"},
		{"\x7f", "backspace"},
		{"\b", "ctrl+h"},
		{"\x00", "ctrl+space"},
		{"\x01", "ctrl+a"},
		{"\x1a", "ctrl+z"},
		{"\x1c", "ctrl+\\"},
		{"\x1f", "ctrl+_"},
		{"\x1b", "esc"},
		{"\x1b\x1b", "esc"},
		{"\x1b\r", "alt+enter"},
		{"\x1b\n", "ctrl+alt+j"},
		{"\x1b\x7f", "alt+backspace"},
		{"\x1bb", "alt+b"},
		{"\x1bB", "alt+B"},
		{"\x1b ", "alt+space"},
		{"\x1b_", "alt+_"},
		{"\x1b]", "alt+]"},
		{"\x1bP", "alt+P"},
		{"\x1bX", "alt+X"},
		{"\x1b^", "alt+^"},
		{"\x1b[", "alt+["},
		{"\x1bO", "alt+O"},
		{"\x1bé", "alt+é"},
	}

	// Keys that have sequences, as xterm, rxvt and the Linux console send them.
	namedKeys = []sent{
		{"\x1b[A", "up"},
		{"\x1bOA", "up"},
		{"\x1b[1;2B", "shift+down"},
		{"\x1b[1;5C", "ctrl+right"},
		{"\x1b[1;3D", "alt+left"},
		{"\x1b[1;7D", "ctrl+alt+left"},
		{"\x1b[1;9D", "super+left"},
		{"\x1b\x1b[A", "alt+up"},
		{"\x1b\x1bOA", "alt+up"},
		{"\x1b\x1b[1;5A", "ctrl+alt+up"},
		{"\x1b[a", "shift+up"},
		{"\x1bOa", "ctrl+up"},
		{"\x1b[Z", "shift+tab"},
		{"\x1b[H", "home"},
		{"\x1b[F", "end"},
		{"\x1b[1~", "home"},
		{"\x1b[4~", "end"},
		{"\x1b[7~", "home"},
		{"\x1b[8~", "end"},
		{"\x1b[2~", "insert"},
		{"\x1b[3~", "delete"},
		{"\x1b[3;5~", "ctrl+delete"},
		{"\x1b[3^", "ctrl+delete"},
		{"\x1b[3$", "shift+delete"},
		{"\x1b[3@", "ctrl+shift+delete"},
		{"\x1b[5~", "pgup"},
		{"\x1b[6~", "pgdown"},
		{"\x1b[E", "begin"},
		{"\x1bOP", "f1"},
		{"\x1b[11~", "f1"},
		{"\x1b[[A", "f1"},
		{"\x1b[[E", "f5"},
		{"\x1b[15~", "f5"},
		{"\x1b[17~", "f6"},
		{"\x1b[1;5P", "ctrl+f1"},
		{"\x1b[24~", "f12"},
		{"\x1b[29~", "f16"},
		{"\x1b[34~", "f20"},
		{"\x1bOM", "enter"},
	}

	// The protocols of kitty and xterm.
	protocolKeys = []sent{
		{"\x1b[27u", "esc"},
		{"\x1b[13;2u", "shift+enter"},
		{"\x1b[13;5u", "ctrl+enter"},
		{"\x1b[27;2;13~", "shift+enter"},
		{"\x1b[27;5;13~", "ctrl+enter"},
		{"\x1b[27;5;106~", "ctrl+j"},
		{"\x1b[13;3u", "alt+enter"},
		{"\x1b[9;2u", "shift+tab"},
		{"\x1b[127;5u", "ctrl+backspace"},
		{"\x1b[99;5u", "ctrl+c"},
		{"\x1b[99;133u", "ctrl+c"}, // with Num Lock
		{"\x1b[99;5:1u", "ctrl+c"},
		{"\x1b[99;5:2u", "ctrl+c"},
		{"\x1b[99;6u", "ctrl+shift+c"},
		{"\x1b[99:67;6u", "ctrl+shift+c"},
		{"\x1b[98;3u", "alt+b"},
		{"\x1b[98:66;4u", "alt+B"},
		{"\x1b[45:95;6u", "ctrl+_"},
		{"\x1b[45:95;4u", "alt+_"},
		{"\x1b[1089::99;5u", "ctrl+c"}, // on a Russian keyboard
		{"\x1b[32;5u", "ctrl+space"},
		{"\x1b[91;5u", "esc"},
		{"\x1b[105;5u", "tab"},
		{"\x1b[109;5u", "enter"},
		{"\x1b[57352u", "up"},
		{"\x1b[57417u", "left"},
		{"\x1b[57414u", "enter"},
		{"\x1b[57376u", "f13"},
		{"\x1b[57398u", "f35"},
		{"\x1b[1;1:1A", "up"},
		{"\x1b[3;1:2~", "delete"},
	}
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ bytes, want string }{
		{"a", "a"},
		{"Aé漢👍", "Aé漢👍"},
		{" ", " "},
		{"\xff", "\ufffd"},
		{"\xe6\xbc", "\ufffd\ufffd"}, // the rest never comes
		{"\xe6a", "\ufffda"},
		{"a\u0085b", "ab"}, // a control character of C1
		{"\x1b[97u", "a"},
		{"\x1b[97:65;2u", "A"},
		{"\x1b[49:33;2u", "!"},
		{"\x1b[27;2;33~", "!"},
		{"\x1b[32;2u", " "},
		{"\x1b[1089u", "с"},
		{"\x1b[57400u", "1"},
		{"\x1b[57410u", "/"},
		{"\x1bOj\x1bOp", "*0"},
		{"\x1bOX", "="},
	} {
		if diff := cmp.Diff(typed(tc.want), decode(&Decoder{}, tc.bytes)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", tc.bytes, diff)
		}
	}
}

// A sequence that is not a key is dropped whole, and the key behind it is not.
func TestUnknownSequencesAreNotTyped(t *testing.T) {
	for _, bytes := range []string{
		"\x1b[?2026;2$y", "\x1b[?62;22c", "\x1b[>0;276;0c", "\x1b[?1u", "\x1b[12;40R", "\x1b[?997;1n", "\x1b[8;24;80t",
		"\x1b[<0;10;10M", "\x1b[<64;10;10m", "\x1b[M !!", "\x1b[999~", "\x1b[27~", "\x1b[201~", "\x1b[5;5u", "\x1b[57441;2u", "\x1b[99;5:3u",
		"\x1b[1;1:3A", "\x1b[3;1:3~", "\x1b[u", "\x1b[1114112u", "\x1b[99999999999999999999u", "\x1b[65;30;65;1;0;1_", "\x1b[200;",
		"\x1b]52;c;aGVsbG8=\x07", "\x1b]10;rgb:00/00/00\x1b\\", "\x1b]11;nonsense\x07", "\x1b]11;rgb:zz/00/00\x07", "\x1b]8;;http://a.example\x1b\\",
		"\x1bP1+r544e\x1b\\", "\x1bP>|tmux 3.3a\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[[Q", "\x1bOz",
		"\x1b[" + strings.Repeat("1;", 5000) + "A", "\x1b]52;c;" + strings.Repeat("x", 100_000) + "\x07", "\x1bP" + strings.Repeat("y", 5000) + "\x1b\\",
	} {
		for _, step := range []int{1, 100, len(bytes)} {
			var d Decoder
			for i := 0; i < len(bytes); i += step {
				if got := d.Feed([]byte(bytes[i:min(i+step, len(bytes))]), start); got != nil {
					t.Fatalf("%.40q: in steps of %d: %v", bytes, step, got)
				}
			}
			if diff := cmp.Diff(typed("q"), append(d.Flush(), d.Feed([]byte("q"), start)...)); diff != "" {
				t.Errorf("%.40q: in steps of %d: -want +got:\n%s", bytes, step, diff)
			}
		}
	}
}

func TestAnswersAndFocus(t *testing.T) {
	for _, tc := range []struct {
		bytes string
		want  Event
	}{
		{"\x1b[I", Focus{In: true}},
		{"\x1b[O", Focus{In: false}},
		{"\x1b]11;rgb:0000/0000/0000\x1b\\", Background{Dark: true}},
		{"\x1b]11;rgb:ffff/ffff/ffff\x07", Background{Dark: false}},
		{"\x1b]11;rgba:1e/1e/2e/ff\x07", Background{Dark: true}},
		{"\x1b]11;#fdf6e3\x07", Background{Dark: false}},
		{"\x1b]11;rgb:f/f/0\x07", Background{Dark: false}}, // yellow
		{"\x1b]11;rgb:0/0/f\x07", Background{Dark: true}},  // blue
	} {
		if diff := cmp.Diff([]Event{tc.want}, decode(&Decoder{}, tc.bytes)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", tc.bytes, diff)
		}
	}
}

// A slow line delivers a key in pieces, wherever it is cut.
func TestKeysInPieces(t *testing.T) {
	const bytes = "é\x1b[1;5C漢\x1b]11;rgb:00/00/00\x1b\\\x1bOA\x1b\x1b[A\x1b[13;2u\x1b[200~a\r\nb\x1b[201~\x1b[I\x1b[M !!x"
	whole := (&Decoder{Brackets: true}).Feed([]byte(bytes), start)
	for step := 1; step < len(bytes); step++ {
		d := Decoder{Brackets: true}
		var got []Event
		for i := 0; i < len(bytes); i += step {
			got = append(got, d.Feed([]byte(bytes[i:min(i+step, len(bytes))]), start)...)
		}
		if _, waits := d.Due(); waits {
			t.Fatalf("in steps of %d something waits: %q", step, d.rest)
		}
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Fatalf("in steps of %d: -whole +pieces:\n%s", step, diff)
		}
	}
}

func TestEscWaits(t *testing.T) {
	var d Decoder
	if _, waits := d.Due(); waits {
		t.Error("something waits at the beginning")
	}
	if got := d.Feed([]byte("\x1b"), start); got != nil {
		t.Errorf("Esc alone is %v at once", got)
	}
	at, waits := d.Due()
	if want := start.Add(EscapeWait); !waits || at != want {
		t.Errorf("Due = %v, %v, want %v", at, waits, want)
	}
	if diff := cmp.Diff(pressed("esc"), d.Flush()); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if _, waits := d.Due(); waits {
		t.Error("something waits after Flush")
	}
	want := append(pressed("esc"), typed("[A")...)
	if diff := cmp.Diff(want, decode(&d, "\x1b", "[", "A")); diff != "" {
		t.Error("Esc, then [, then A: -want +got:\n" + diff)
	}
	want = append(append(pressed("alt+_", "alt+_"), typed("a")...), pressed("alt+[", "alt+]")...)
	if diff := cmp.Diff(want, decode(&d, "\x1b_\x1b_", "a", "\x1b[\x1b]")); diff != "" {
		t.Error("keys that begin strings: -want +got:\n" + diff)
	}
}

// A key that cuts off a long string is there at once.
func TestAKeyAfterALongString(t *testing.T) {
	var d Decoder
	d.Feed([]byte("\x1bP"+strings.Repeat("x", maxString)), start)
	d.Feed([]byte("xxx"), start)
	if diff := cmp.Diff(pressed("up"), d.Feed([]byte("\x1b[A"), start)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// Whatever a terminal sends: no panic, nothing waits after Flush, and only text is text.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{"a\x1b[A", "\x1b[200~x\x1b[201~\r", "\x1b]11;rgb:0/0/0\x07", "\x1b\x1b[1;5:3A\x1bOM", "\x1b[27;5;13~\xff\xc3", "\x1b[M", "\x1bP1\x18q\r\n"} {
		f.Add([]byte(seed), 3, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, step int, brackets bool) {
		step = max(step&0xff, 1)
		d := Decoder{Brackets: brackets}
		var events []Event
		for i := 0; i < len(data); i += step {
			events = append(events, d.Feed(data[i:min(i+step, len(data))], start.Add(time.Duration(i)*time.Millisecond))...)
		}
		events = append(events, d.Flush()...)
		if _, waits := d.Due(); waits || len(d.rest) > 0 {
			t.Fatalf("after Flush %q waits", d.rest)
		}
		for _, ev := range events {
			checkEvent(t, ev)
		}
	})
}

func checkEvent(t *testing.T, ev Event) {
	t.Helper()
	var text string
	switch ev := ev.(type) {
	case Key:
		if text = ev.Text; ev.Name == "" || strings.ContainsFunc(ev.Name+text, isControl) {
			t.Fatalf("a key with a control character: %q", ev.Name+ev.Text)
		}
	case Paste:
		text = strings.NewReplacer("\n", "", "\t", "").Replace(ev.Text)
		if strings.ContainsFunc(text, isControl) {
			t.Fatalf("a paste with a control character: %q", ev.Text)
		}
	case Focus, Background:
	default:
		t.Fatalf("%T is no event for others", ev)
	}
	if strings.ToValidUTF8(text, "") != text {
		t.Fatalf("%q is no UTF-8", text)
	}
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

func BenchmarkTyping(b *testing.B) {
	var d Decoder
	for b.Loop() {
		if got := d.Feed([]byte("a"), start); len(got) != 1 {
			b.Fatal(got)
		}
	}
}
