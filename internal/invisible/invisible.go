// Package invisible knows the characters that a reader does not see in a text, or takes for an
// ordinary space. A model can use them to make a command look like another one.
//
// The analysis of commands (package shell/effects), the rules (permit) and all that is shown to
// the user (timeline) share this one list.
package invisible

import (
	"fmt"
	"strings"
	"unicode"
)

// Is reports whether a character leaves no mark: it has no width, is blank though it counts as a
// letter or a symbol, or has a look of its own in each font (private use). Line feeds, tabs and
// other controls are none of these.
func Is(r rune) bool {
	if r < 0x80 {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Co, blank)
}

// Usual reports, without a look into a table, that a character is a letter or a sign that everybody sees: of
// ASCII, Latin, Cyrillic, Chinese, Japanese and Korean, and the usual punctuation. Other characters may be, too.
func Usual(r rune) bool {
	switch {
	case ' ' <= r && r < 0x7f, 0xae <= r && r < 0x300, 0x400 <= r && r < 0x483, 0x2010 <= r && r < 0x2028:
		return true
	case 0x3041 <= r && r < 0x3097, 0x4e00 <= r && r < 0x9fd0, 0xac00 <= r && r < 0xd7a4:
		return true
	}
	return false
}

// Space reports whether a character looks like a space or a line break and is another one, such as
// the no-break space. A shell does not take these for spaces.
func Space(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
}

// blank are characters that are drawn as nothing, and are neither spaces nor ignorable for Unicode.
// Source: UnicodeData.txt of Unicode 15, by their names.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // BRAILLE PATTERN BLANK
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}, // OBJECT REPLACEMENT CHARACTER
	},
	R32: []unicode.Range32{
		{Lo: 0x1107f, Hi: 0x1107f, Stride: 1}, // BRAHMI NUMBER JOINER
		{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // EGYPTIAN HIEROGLYPH FULL BLANK, HALF BLANK
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // KHITAN SMALL SCRIPT FILLER
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // MUSICAL SYMBOL NULL NOTEHEAD
	},
}

// maxMarks is how many marks a letter can have that are shown as they are. Words of Hindi and of
// Hebrew have up to three.
const maxMarks = 3

// Show returns a text in which each character that is invisible, a space of another kind, or a
// control other than a line feed or a tab is replaced by its number: <U+200B>. So is each mark of a
// letter that has many: terminals do not agree on the room that these need, or show one on the other.
func Show(s string) string {
	if strings.IndexFunc(s, special) < 0 {
		return s
	}
	var b strings.Builder
	marks, before := 0, rune(0)
	for _, r := range s {
		if marks++; !mark(r, before) {
			marks = 0
		}
		if shown(r) || marks > maxMarks {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func special(r rune) bool { return shown(r) || mark(r, r) }

func shown(r rune) bool {
	return Is(r) || Space(r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}

// mark reports whether a character belongs to the one before: an accent, a vowel sign, a colour of
// the skin, or a further part of a syllable of Hangul.
func mark(r, before rune) bool {
	switch {
	case r < 0x300:
		return false
	case 0x1100 <= r && r <= 0x115f, 0xa960 <= r && r <= 0xa97c: // a leading consonant
		return 0x1100 <= before && before <= 0x115f || 0xa960 <= before && before <= 0xa97c
	case 0x1160 <= r && r <= 0x11ff, 0xd7b0 <= r && r <= 0xd7ff, r == 0xff9e, r == 0xff9f, 0x1f3fb <= r && r <= 0x1f3ff:
		return true
	}
	return unicode.In(r, unicode.M)
}
