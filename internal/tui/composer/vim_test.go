package composer

import (
	"math/rand/v2"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// viTest is a text, the keys that are pressed behind it and Esc, and what is shown then.
type viTest struct{ text, keys, want string }

var viMotions = []viTest{
	{"one two", "", "one tw|o"},
	{"one two", "0", "|one two"},
	{"  one two", "0^", "  |one two"},
	{"one two three", "0w", "one |two three"},
	{"one two three", "02w", "one two |three"},
	{"one.two three", "0ww", "one.|two three"},
	{"one.two three", "0W", "one.two |three"},
	{"one two", "bb", "|one two"},
	{"one.two three", "BB", "|one.two three"},
	{"one two", "0e", "on|e two"},
	{"one two", "0ee", "one tw|o"},
	{"one two three", "0$", "one two thre|e"},
	{"a<ctrl+j>b<ctrl+j>c", "gg", "|a\nb\nc"},
	{"a<ctrl+j>b<ctrl+j>c", "ggG", "a\nb\n|c"},
	{"a<ctrl+j>b<ctrl+j>c", "2G", "a\n|b\nc"},
	{"a<ctrl+j><ctrl+j>c", "{", "a\n|\nc"},
	{"a<ctrl+j>b<ctrl+j>c", "kk", "|a\nb\nc"},
	{"a<ctrl+j>b<ctrl+j>c", "ggjj", "a\nb\n|c"},
	{"abcabc", "0fc", "ab|cabc"},
	{"abcabc", "02fc", "abcab|c"},
	{"abcabc", "0tc", "a|bcabc"},
	{"abcabc", "0fb;", "abca|bc"},
	{"abcabc", "0fb;,", "a|bcabc"},
	{"abcabc", "Fa", "abc|abc"},
	{"abcabc", "Ta", "abca|bc"},
	{"abcabc", "0fx", "|abcabc"},
	{"one two three", "0dw", "|two three"},
	{"one two three", "02dw", "|three"},
	{"one two three", "0d2w", "|three"},
	{"one two<ctrl+j>three", "kdw", "one| \nthree"},
	{"one two three", "0wde", "one | three"},
	{"one two three", "0cwx<esc>", "|x two three"},
	{"a b", "0cwx<esc>", "|x b"},
	{"one two three", "0wcwx", "one x| three"},
	{"one two three", "0wD", "one| "},
	{"one two three", "0wCx", "one x|"},
	{"one two three", "db", "one two |e"},
	{"one two", "x", "one t|w"},
	{"one two", "02x", "|e two"},
	{"one two", "X", "one t|o"},
	{"one two", "0sx", "x|ne two"},
	{"one two", "0dfo", "|"},
	{"one two", "0dtt", "|two"},
	{"a<ctrl+j>b<ctrl+j>c", "kdd", "a\n|c"},
	{"a<ctrl+j>b<ctrl+j>c", "dd", "a\n|b"},
	{"a<ctrl+j>b<ctrl+j>c", "gg2dd", "|c"},
}

var viChanges = []viTest{
	{"a<ctrl+j>b<ctrl+j>c", "ggdG", "|"},
	{"a<ctrl+j>b<ctrl+j>c", "ggdj", "|c"},
	{"a<ctrl+j>b<ctrl+j>c", "dgg", "|"},
	{"a<ctrl+j>b<ctrl+j>c", "kccx", "a\nx|\nc"},
	{"a<ctrl+j>b", "ddp", "a\n|b"},
	{"a<ctrl+j>b", "ggyyP", "|a\na\nb"},
	{"a<ctrl+j>b", "ggyy2p", "a\n|a\na\nb"},
	{"one two", "0dwep", "twoone| "},
	{"one two", "0ywP", "one| one two"},
	{"one two", "0ix", "x|one two"},
	{"one two", "0ax", "ox|ne two"},
	{"one two", "0Ax", "one twox|"},
	{"  one", "Ix", "  x|one"},
	{"one", "ox", "one\nx|"},
	{"one", "Ox", "x|\none"},
	{"one", "0rx", "|xne"},
	{"one", "02rx", "x|xe"},
	{"one", "0~", "O|ne"},
	{"a<ctrl+j>  b", "ggJ", "a| b"},
	{"one two", "0dwu", "|one two"},
	{"one two", "0dwu<ctrl+r>", "|two"},
	{"one two three four", "0dw.", "|three four"},
	{"one two three", "0cwx<esc>w.", "x |x three"},
	{"a b c d e", "0x2.", "| c d e"},
	{"one two", "0xx", "|e two"},
	{"say (one two) now", "0ftdi(", "say (|) now"},
	{"say (one two) now", "0ftda(", "say | now"},
	{"say \"one two\" now", "0ftci\"x", "say \"x|\" now"},
	{"say \"one two\" now", "0di\"", "say \"|\" now"},
	{"one two three", "0wdiw", "one | three"},
	{"one two three", "0wdaw", "one |three"},
	{"one two three", "0wyiwP", "one tw|otwo three"},
	{"one", "0zQ", "|one"},
	{"👨‍👩‍👧é漢", "0lx", "👨‍👩‍👧|漢"},
	{"one two", "0d<esc>x", "|ne two"},
}

func TestVi(t *testing.T) {
	for _, tc := range append(viMotions, viChanges...) {
		c := &Composer{Vi: true}
		press(t, c, tc.text+"<esc>")
		for _, k := range keysOf(tc.keys) {
			c.Key(k)
		}
		if got := shows(c); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.text, tc.keys, got, tc.want)
		}
	}
}

func TestViModes(t *testing.T) {
	c := &Composer{Vi: true}
	if c.Mode() != "insert" || (&Composer{}).Mode() != "" {
		t.Error("the mode at first")
	}
	press(t, c, "text<esc>")
	if c.Mode() != "normal" {
		t.Error("the mode after Esc")
	}
	if _, taken := c.Key(input.Key{Name: "esc"}); taken {
		t.Error("the second Esc does not interrupt")
	}
	if a := press(t, c, "<enter>"); a != Submit {
		t.Errorf("enter: %v", a)
	}
	if c.Take(); c.Mode() != "insert" {
		t.Error("the mode after a message was sent")
	}
	press(t, c, "<esc>k")
	if got := shows(c); got != "text|" && got != "tex|t" {
		t.Errorf("k at the first row: %q", got)
	}
}

// Random commands leave the box as it must be.
func TestRandomVi(t *testing.T) {
	d := newDriver(t, rand.New(rand.NewPCG(3, uint64(*keys))))
	d.Vi = true
	commands := keysOf("hjklwbeWBEGgg0$^{};,ftFTaAiIoOdddcccyyyxXsSDCYpPur~J.123456789\"()<esc><esc><esc><esc>/")
	for i := range *keys {
		if d.r.IntN(3) == 0 {
			d.step()
			continue
		}
		k := commands[d.r.IntN(len(commands))]
		d.trace = append(d.trace, k.Name)
		d.Key(k)
		d.check(30, 5)
		if d.text.size > 1<<16 {
			d.Take()
		}
		if i%200 == 199 {
			d.undoAll()
		}
	}
}
