package timeline

import (
	"sort"
	"strings"
	"unicode"
)

// Width is how many columns a terminal needs for one line of text: two for the
// ideographs of East Asia and for emoji, none for combining characters. Joined emoji
// count one by one, because many terminals show them so. Where terminals differ, it is the larger
// number, so that none of them breaks a row that we count as fitting: the rest would begin in the first column,
// left of the margin. Characters of ambiguous width count one, as everywhere but at terminals that are
// set up for old East Asian encodings.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// RuneWidth is [Width] of one character. Sources: wcwidth of glibc 2.36 in a UTF-8 locale, which xterm and
// tmux follow, gives a column to the signs that stand below or around numbers (Arabic, Syriac, Kaithi) and two to the
// hexagrams; kitty, WezTerm and tmux from 3.5 give two to a character before the selector of emoji; kitty gives two to
// a letter of a flag that stands alone.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300, r == 0xfe0f, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), 0x1160 <= r && r <= 0x11ff:
		return 0
	}
	i := sort.Search(len(wide), func(i int) bool { return wide[i][1] >= r })
	if i < len(wide) && wide[i][0] <= r {
		return 2
	}
	return 1
}

// Cut shortens a line to at most width columns, and ends it with an ellipsis if it is cut.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	used := 0
	for i, r := range s {
		if w := RuneWidth(r); used+w > width-1 {
			if width < 1 {
				return ""
			}
			return s[:i] + "…"
		} else {
			used += w
		}
	}
	return s
}

// Pad appends spaces to a line up to width columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-Width(s), 0))
}

// Wrap breaks a line at spaces, so that no row is wider than width columns, and inside a
// word only if the word alone is wider. It keeps spaces at the beginning, and indents the
// further rows by them.
func Wrap(s string, width int) []string {
	s = strings.ReplaceAll(s, "\t", "    ")
	body := strings.TrimLeft(s, " ")
	indent := s[:len(s)-len(body)]
	if len(indent) > width/2 {
		indent = indent[:max(width/2, 0)]
	}
	room := max(width-len(indent), 2) // a wide character must fit
	var out []string
	line, used := "", 0
	end := func() { out = append(out, indent+line); line, used = "", 0 }
	for word := range strings.FieldsSeq(body) {
		n := Width(word)
		if line != "" && used+1+n > room {
			end()
		}
		for n > room {
			line = head(word, room)
			word, n = word[len(line):], n-Width(line)
			end()
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	if line != "" || len(out) == 0 {
		end()
	}
	return out
}

// Fold cuts a line into rows of at most width columns, at any character, and changes no
// character. An empty line is one row.
func Fold(s string, width int) []string {
	width = max(width, 2) // a wide character must fit
	var rows []string
	for {
		part := head(s, width)
		rows = append(rows, part)
		if s = s[len(part):]; s == "" {
			return rows
		}
	}
}

// head is the longest beginning of a word that fits into width columns, at least
// one character.
func head(word string, width int) string {
	used := 0
	for i, r := range word {
		if used += RuneWidth(r); used > width && i > 0 {
			return word[:i]
		}
	}
	return word
}

// wide are the characters of two columns. Sources: EastAsianWidth.txt of Unicode 16,
// classes W and F, with gaps without a character closed, and those of [RuneWidth].
var wide = [...][2]rune{
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x2329, 0x232a},
	{0x23e9, 0x23ec},
	{0x23f0, 0x23f0},
	{0x23f3, 0x23f3},
	{0x25fd, 0x25fe},
	{0x2614, 0x2615},
	{0x2630, 0x2637},
	{0x2648, 0x2653},
	{0x267f, 0x267f},
	{0x268a, 0x268f},
	{0x2693, 0x2693},
	{0x26a1, 0x26a1},
	{0x26aa, 0x26ab},
	{0x26bd, 0x26be},
	{0x26c4, 0x26c5},
	{0x26ce, 0x26ce},
	{0x26d4, 0x26d4},
	{0x26ea, 0x26ea},
	{0x26f2, 0x26f3},
	{0x26f5, 0x26f5},
	{0x26fa, 0x26fa},
	{0x26fd, 0x26fd},
	{0x2705, 0x2705},
	{0x270a, 0x270b},
	{0x2728, 0x2728},
	{0x274c, 0x274c},
	{0x274e, 0x274e},
	{0x2753, 0x2755},
	{0x2757, 0x2757},
	{0x2795, 0x2797},
	{0x27b0, 0x27b0},
	{0x27bf, 0x27bf},
	{0x2b1b, 0x2b1c},
	{0x2b50, 0x2b50},
	{0x2b55, 0x2b55},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xa960, 0xa97c},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe10, 0xfe19},
	{0xfe30, 0xfe6f},
	{0xff01, 0xff60},
	{0xffe0, 0xffe6},
	{0x16fe0, 0x18d08},
	{0x1aff0, 0x1b2fb},
	{0x1d300, 0x1d376},
	{0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f18e},
	{0x1f191, 0x1f19a},
	{0x1f1e6, 0x1f1ff},
	{0x1f200, 0x1f320},
	{0x1f32d, 0x1f335},
	{0x1f337, 0x1f37c},
	{0x1f37e, 0x1f393},
	{0x1f3a0, 0x1f3ca},
	{0x1f3cf, 0x1f3d3},
	{0x1f3e0, 0x1f3f0},
	{0x1f3f4, 0x1f3f4},
	{0x1f3f8, 0x1f43e},
	{0x1f440, 0x1f440},
	{0x1f442, 0x1f4fc},
	{0x1f4ff, 0x1f53d},
	{0x1f54b, 0x1f54e},
	{0x1f550, 0x1f567},
	{0x1f57a, 0x1f57a},
	{0x1f595, 0x1f596},
	{0x1f5a4, 0x1f5a4},
	{0x1f5fb, 0x1f64f},
	{0x1f680, 0x1f6c5},
	{0x1f6cc, 0x1f6cc},
	{0x1f6d0, 0x1f6d2},
	{0x1f6d5, 0x1f6d7},
	{0x1f6dc, 0x1f6df},
	{0x1f6eb, 0x1f6ec},
	{0x1f6f4, 0x1f6fc},
	{0x1f7e0, 0x1f7eb},
	{0x1f7f0, 0x1f7f0},
	{0x1f90c, 0x1f93a},
	{0x1f93c, 0x1f945},
	{0x1f947, 0x1f9ff},
	{0x1fa70, 0x1faff},
	{0x20000, 0x3fffd},
}
