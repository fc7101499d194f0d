package row

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Width is the number of columns that a terminal needs for a text without line breaks. A
// control character has none; tabs must have been expanded. Where terminals differ, it is the
// larger number, so that no row is wider at any of them.
func Width(text string) (n int) {
	if ascii(text) {
		return len(text)
	}
	for _, w := range Graphemes(text) {
		n += w
	}
	return n
}

// maxCluster bounds what is taken for one character, in bytes: text of a model can have as many
// marks behind a letter as it likes.
const maxCluster = 256

// Graphemes yields the characters of a text as a person sees them, with the columns of each, which
// are two at most. Characters that terminals show side by side, though they are one for Unicode, are
// yielded in parts.
func Graphemes(text string) func(yield func(text string, width int) bool) {
	return func(yield func(string, int) bool) {
		for at := 0; at < len(text); {
			window := text[at:]
			more := len(window) > 2*maxCluster
			if more {
				window = window[:boundary(window, 2*maxCluster)]
			}
			n, ok := graphemes(window, more, yield)
			if !ok {
				return
			}
			at += n
		}
	}
}

// boundary is the largest index up to n at which a character begins.
func boundary(text string, n int) int {
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return n
}

// graphemes yields the characters of the beginning of a text, and returns how long they are. more
// says that text follows, which can belong to the last one.
func graphemes(text string, more bool, yield func(string, int) bool) (n int, ok bool) {
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		value, width := g.Value(), g.Width()
		if more && n > 0 && n+len(value) == len(text) {
			return n, true
		}
		if len(value) == 1 || single(value) {
			if ok = yield(value, max(width, runeWidth(value))); !ok {
				return n, false
			}
			n += len(value)
			continue
		}
		open := more && len(value) == len(text) // the window has only a part of it
		used := 0
		if used, ok = parts(value, width, open, yield); !ok {
			return n, false
		}
		n += used
	}
	return n, true
}

func single(text string) bool {
	_, n := utf8.DecodeRuneInString(text)
	return n == len(text)
}

// runeWidth is the columns of a text of one rune.
func runeWidth(text string) int {
	r, _ := utf8.DecodeRuneInString(text)
	return alone(r)
}

// alone is the columns of a rune at a terminal that knows no clusters. Source: the tables of glibc
// and of xterm, which give a column to spacing marks, to the voiced sound marks of halfwidth
// Katakana and to the soft hyphen.
func alone(r rune) int {
	switch {
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return 0
	case r < 0x300:
		return 1
	case 0x1160 <= r && r <= 0x11ff, 0xd7b0 <= r && r <= 0xd7ff: // behind a leading consonant
		return 0
	case unicode.In(r, unicode.Prepended_Concatenation_Mark):
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case 0x3248 <= r && r <= 0x324f, 0x1f1e6 <= r && r <= 0x1f1ff: // glibc: numbers in circles; kitty: half of a flag
		return 2
	}
	return max(displaywidth.Rune(r), 1)
}

// parts yields a cluster, in parts of two columns at most, and returns how long they are. open says
// that the cluster goes on: its last part, which may be longer, is left out if there are others.
func parts(cluster string, width int, open bool, yield func(string, int) bool) (end int, ok bool) {
	for end < len(cluster) {
		n, w := part(cluster[end:], width)
		if open && end > 0 && end+n == len(cluster) {
			break
		}
		if !yield(cluster[end:end+n], w) {
			return end, false
		}
		end += n
	}
	return end, true
}

// part is the first part of a cluster, in bytes, and its columns. width is that of the cluster.
func part(cluster string, width int) (n, columns int) {
	if n := emoji(cluster); n > 0 {
		return n, 2
	}
	for i, r := range cluster {
		w := alone(r)
		if columns+w > 2 {
			return i, columns
		}
		columns += w
	}
	return len(cluster), max(columns, width)
}

// maxJoined is how many pictures can be joined to one. Source: emoji-zwj-sequences.txt: a family.
const maxJoined = 4

// emoji is how much of a cluster is an emoji as people write them, in bytes: pictures that are
// joined, each with at most one colour of the skin, or a flag. It is 0 if the cluster is none.
func emoji(cluster string) int {
	pictures, before := 0, rune(0)
	for i, r := range cluster {
		first := before == 0 || before == zwj
		switch {
		case r >= 0x300 && alone(r) == 0:
		case 0x1f3fb <= r && r <= 0x1f3ff && !first:
			if 0x1f3fb <= before && before <= 0x1f3ff {
				return i
			}
		case 0x1f1e6 <= r && r <= 0x1f1ff, first && r >= 0x203c && unicode.In(r, unicode.So, unicode.Po, unicode.Sm):
			if pictures++; pictures > maxJoined {
				return i
			}
		default:
			return i
		}
		before = r
	}
	if pictures == 0 {
		return 0
	}
	return len(cluster)
}

const zwj = 0x200d
