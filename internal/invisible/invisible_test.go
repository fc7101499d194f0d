package invisible_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// ranges are characters that a reader does not see, by their first and last.
var ranges = [][2]rune{
	{0x00ad, 0x00ad},
	{0x034f, 0x034f},
	{0x061c, 0x061c},
	{0x115f, 0x1160},
	{0x17b4, 0x17b5},
	{0x180b, 0x180f},
	{0x200b, 0x200f},
	{0x202a, 0x202e},
	{0x2060, 0x2064},
	{0x2066, 0x206f},
	{0x2800, 0x2800},
	{0x3164, 0x3164},
	{0xe000, 0xe000},
	{0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},
	{0xfffc, 0xfffc},
	{0x1bca0, 0x1bca3},
	{0x1d159, 0x1d159},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
	{0xf0000, 0xf0000},
}

func TestInvisible(t *testing.T) {
	for _, r := range ranges {
		for c := r[0]; c <= r[1]; c++ {
			if !invisible.Is(c) {
				t.Errorf("%U is not in the list", c)
			}
		}
	}
	for _, c := range "aé\n\t\x1b ~日か한е\u0301😀\u00a0\u3000" {
		if invisible.Is(c) {
			t.Errorf("%U is in the list", c)
		}
	}
}

func TestSpaces(t *testing.T) {
	for _, c := range "\u00a0\u1680\u2000\u2007\u200a\u2028\u2029\u202f\u205f\u3000" {
		if !invisible.Space(c) {
			t.Errorf("%U is not a space", c)
		}
	}
	for _, c := range " \n\ta\u200b" {
		if invisible.Space(c) {
			t.Errorf("%U is a space", c)
		}
	}
}

func TestShow(t *testing.T) {
	for text, want := range map[string]string{
		"rm -rf ~":                             "rm -rf ~",
		"a\n\tb":                               "a\n\tb",
		"cat\u3164 /etc":                       "cat<U+3164> /etc",
		"a\u00a0b\u2028c":                      "a<U+00A0>b<U+2028>c",
		"\x1b[2J\r\u0085":                      "<U+001B>[2J<U+000D><U+0085>",
		"a\u0301\u0302\u0303\u0304\u0305":      "a\u0301\u0302\u0303<U+0304><U+0305>",
		"\uff76\uff9e\uff9e\uff9e\uff9e":       "\uff76\uff9e\uff9e\uff9e<U+FF9E>",
		"\u1100\u1100\u1100\u1100\u1100":       "\u1100\u1100\u1100\u1100<U+1100>",
		"\u1112\u1161\u11ab\u1100\u1173\u11af": "\u1112\u1161\u11ab\u1100\u1173\u11af",
		"\u0921\u093c\u0947\u0902":             "\u0921\u093c\u0947\u0902",
		"👍🏻 हिन्दी":                            "👍🏻 हिन्दी",
		"x\U000e0041\u202e":                    "x<U+E0041><U+202E>",
		"\u0646\u0645\u06cc\u200c\u062e":       "\u0646\u0645\u06cc<U+200C>\u062e",
	} {
		if got := invisible.Show(text); got != want {
			t.Errorf("Show(%q) = %q, want %q", text, got, want)
		}
	}
}
