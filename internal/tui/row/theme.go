package row

import (
	"strings"
	"unicode/utf8"
)

// Theme says what styles look like. The zero value shows text without any style.
type Theme struct {
	codes  [roles]string // SGR parameters of each role, "" for none
	styled bool          // attributes are shown
	links  bool          // addresses are sent, so that a click opens them
}

// The themes use the 16 colours of the terminal, which its owner has chosen to be readable.
// Mono has attributes only, for NO_COLOR (https://no-color.org).
var (
	Dark = Theme{styled: true, links: true, codes: [roles]string{
		Accent: "36", Heading: "1;36", Code: "33", Link: "36", Quote: "2", Added: "32", Removed: "31", Hunk: "36", Failure: "31", Warning: "33",
		Success: "32", Keyword: "35", String: "32", Comment: "2", Number: "33", Name: "36",
	}}
	Light = Theme{styled: true, links: true, codes: [roles]string{
		Accent: "34", Heading: "1;34", Code: "35", Link: "34", Quote: "2", Added: "32", Removed: "31", Hunk: "34", Failure: "31", Warning: "35",
		Success: "32", Keyword: "35", String: "32", Comment: "2", Number: "34", Name: "34",
	}}
	Mono = Theme{styled: true, codes: [roles]string{Heading: "1", Quote: "2", Comment: "2", Removed: "9"}}
)

// attributeCodes are the SGR parameters of the attributes.
var attributeCodes = [...]struct {
	attribute Style
	code      string
}{{Bold, "1"}, {Dim, "2"}, {Italic, "3"}, {Underline, "4"}, {Strike, "9"}, {Reverse, "7"}}

// Line is the bytes that show the row. Of control characters it holds only those of its own
// styles and links: each other is shown as a replacement character.
func (t *Theme) Line(r Row) string {
	var b strings.Builder
	for _, s := range r {
		code := t.code(s.Style)
		link := ""
		if t.links {
			link = address(s.Link)
		}
		if link != "" {
			b.WriteString("\x1b]8;;" + link + "\x1b\\")
		}
		if code != "" {
			b.WriteString("\x1b[" + code + "m")
		}
		b.WriteString(Harmless(s.Text))
		if code != "" {
			b.WriteString("\x1b[0m")
		}
		if link != "" {
			b.WriteString("\x1b]8;;\x1b\\")
		}
	}
	return b.String()
}

func (t *Theme) code(s Style) string {
	if !t.styled || s == Plain {
		return ""
	}
	var role string
	if r := s.role(); r < roles {
		role = t.codes[r]
	}
	codes := make([]string, 0, 4)
	if role != "" {
		codes = append(codes, role)
	}
	for _, a := range attributeCodes {
		if s.Is(a.attribute) {
			codes = append(codes, a.code)
		}
	}
	return strings.Join(codes, ";")
}

// Harmless is a text without control characters: each is replaced by U+FFFD, as are bytes that
// are no UTF-8.
func Harmless(text string) string {
	if !strings.ContainsFunc(text, control) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// control reports whether a character can control a terminal: C0, DEL and C1.
func control(r rune) bool { return r < 0x20 || 0x7f <= r && r < 0xa0 }

// maxAddress bounds the address of a link, in bytes: terminals ignore longer ones.
const maxAddress = 2083

// address is the address of a link as a terminal takes it, "" if it cannot be sent.
func address(link string) string {
	if len(link) > maxAddress {
		return ""
	}
	for _, r := range link {
		if r <= 0x20 || r >= 0x7f {
			return ""
		}
	}
	return link
}
