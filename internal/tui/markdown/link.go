package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/lookalike"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// bracket is a "[" or "![" that may begin a link or an image.
type bracket struct {
	piece  int
	delims int // how many marks were before it
	image  bool
	dead   bool // a link cannot be in a link
}

func (p *inline) open(image bool) {
	if p.source[p.at] == '!' && !image {
		p.at++
		return
	}
	n := 1
	if image {
		n = 2
	}
	p.put(n, piece{text: p.rest()[:n]})
	p.brackets = append(p.brackets, bracket{piece: len(p.pieces) - 1, delims: len(p.delims), image: image})
}

// shut reads a "]", and the address behind it.
func (p *inline) shut() {
	if len(p.brackets) == 0 {
		p.at++
		return
	}
	b := p.brackets[len(p.brackets)-1]
	p.brackets = p.brackets[:len(p.brackets)-1]
	address, n, ok := target(p.rest()[1:])
	if b.dead || !ok {
		p.at++
		return
	}
	p.put(1+n, piece{})
	p.match(b.delims)
	p.pieces[b.piece].text = ""
	p.link(p.pieces[b.piece+1:], address)
	if b.image {
		return
	}
	for i := range p.brackets {
		p.brackets[i].dead = p.brackets[i].dead || !p.brackets[i].image
	}
}

// link makes pieces a link, and shows where it leads if they do not say so.
func (p *inline) link(text []piece, address string) {
	var shown strings.Builder
	for i := range text {
		t := &text[i]
		shown.WriteString(t.text)
		t.style |= row.Underline
		if t.link == "" {
			t.link = safe(address)
		}
		if t.role == row.Plain {
			t.role = row.Link
		}
	}
	if s := shown.String(); s != address && "mailto:"+s != address || leads(address) != "" {
		p.pieces = append(p.pieces, piece{text: brackets(s, address), style: row.Dim, link: safe(address)})
	}
}

// brackets is the address of a link as it is shown behind its text.
func brackets(shown, address string) string {
	host := leads(address)
	address = timeline.Exposed(strings.ReplaceAll(address, "\n", " "))
	switch {
	case address == "":
		return ""
	case shown == "":
		return address + host
	}
	return " (" + address + host + ")"
}

// leads is the host that an address leads to, after a comma, if the address seems to lead elsewhere.
func leads(address string) string {
	if safe(address) == "" { // a name of a file, such as größe.md, is not a host
		return ""
	}
	if host := lookalike.Host(address); host != "" {
		return ", leads to " + host
	}
	return ""
}

// safe is an address that a click may open, "" if it is of another kind: other schemes can start
// programs.
func safe(address string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if len(address) > len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) && !strings.ContainsFunc(address, unicode.IsControl) {
			return address
		}
	}
	return ""
}

// target reads "(address "title")": the address, and the length of all.
func target(text string) (address string, n int, ok bool) {
	if text == "" || text[0] != '(' {
		return "", 0, false
	}
	i := 1 + blanks(text[1:])
	address, k, ok := destination(text[i:])
	if !ok {
		return "", 0, false
	}
	i += k
	space := blanks(text[i:])
	i += space
	if k := title(text[i:]); k > 0 && space > 0 {
		i += k
		i += blanks(text[i:])
	}
	if i == len(text) || text[i] != ')' {
		return "", 0, false
	}
	return unescape(address), i + 1, true
}

func blanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\n")) }

// destination reads "<address>", or an address without spaces whose parentheses are balanced.
func destination(text string) (address string, n int, ok bool) {
	if strings.HasPrefix(text, "<") {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '>':
				return text[1:i], i + 1, true
			case '<', '\n':
				return "", 0, false
			}
		}
		return "", 0, false
	}
	depth := 0
	for n = 0; n < len(text); n++ {
		switch c := text[n]; {
		case c == '\\' && n+1 < len(text) && strings.IndexByte(punctuation, text[n+1]) >= 0:
			n++
		case c == '(':
			if depth++; depth > maxParens {
				return "", 0, false
			}
		case c == ')':
			if depth--; depth < 0 {
				return text[:n], n, true
			}
		case c <= ' ' || c == 0x7f:
			return text[:n], n, depth == 0
		}
	}
	return text, n, depth == 0
}

// maxParens bounds nested parentheses in an address. Source: CommonMark's own implementation.
const maxParens = 32

// title is the length of the title of a link, with its marks; 0 for none.
func title(text string) int {
	if text == "" || strings.IndexByte("\"'(", text[0]) < 0 {
		return 0
	}
	shut := text[0]
	if shut == '(' {
		shut = ')'
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case shut:
			return i + 1
		}
	}
	return 0
}

// angle reads "<https://go.dev>", "<a@b.example>", or a tag of HTML, which is text.
func (p *inline) angle() {
	rest := p.rest()
	n := strings.IndexAny(rest[1:], "<>") + 1
	if n < 2 || rest[n] == '<' {
		p.at++
		return
	}
	text := rest[1:n]
	switch {
	case scheme(text):
		p.address(n+1, text, text)
	case mail(text):
		p.address(n+1, text, "mailto:"+text)
	case strings.IndexByte("/!?", text[0]) >= 0 || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z':
		p.flush()
		for i, line := range strings.Split(rest[:n+1], "\n") {
			p.pieces = append(p.pieces, piece{text: line, line: i > 0})
		}
		p.at += n + 1
		p.from = p.at
	default:
		p.at++
	}
}

// address puts an address that is its own text.
func (p *inline) address(n int, text, address string) {
	p.put(n, piece{text: text, role: row.Link, style: row.Underline, link: safe(address)})
	if host := leads(address); host != "" {
		p.pieces = append(p.pieces, piece{text: " (" + strings.TrimPrefix(host, ", ") + ")", style: row.Dim})
	}
}

// scheme reports whether a text is an address with a scheme, such as "https:".
func scheme(text string) bool {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || len(name) < 2 || len(name) > 32 || strings.ContainsAny(rest, " \t\n") {
		return false
	}
	for i, c := range name {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || (c < '0' || c > '9') && !strings.ContainsRune("+.-", c)) {
			return false
		}
	}
	return true
}

func mail(text string) bool {
	user, host, ok := strings.Cut(text, "@")
	return ok && user != "" && host != "" && !strings.ContainsAny(user, " \t\n\"(),:;<>[\\]") && !strings.ContainsAny(host, " \t\n@/:_()")
}

// bare reads an address that stands in the text: https://go.dev.
func (p *inline) bare() {
	n := addressEnd(p.rest())
	before, _ := utf8.DecodeLastRuneInString(p.source[:p.at])
	if n == 0 || len(p.brackets) > 0 || p.at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) && before < firstWide {
		p.at++
		return
	}
	p.address(n, p.rest()[:n], p.rest()[:n])
}

// addressEnd is the length of the address that a text begins with, 0 for none. Punctuation behind
// it, and a bracket that it does not open, belong to the sentence.
func addressEnd(text string) int {
	if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		return 0
	}
	n := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"`|\\", r) || r >= firstWide })
	if n < 0 {
		n = len(text)
	}
	for ; n > len("https://"); n-- {
		switch c := text[n-1]; {
		case strings.IndexByte("?!.,:;*_~'", c) >= 0:
		case c == ')' && strings.Count(text[:n], ")") > strings.Count(text[:n], "("):
		case c == ']' && strings.Count(text[:n], "]") > strings.Count(text[:n], "["):
		default:
			return n
		}
	}
	return 0
}

// unescape replaces entities, and backslashes before punctuation.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(punctuation, s[i+1]) >= 0:
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			n := entity(s[i:])
			b.WriteString(html.UnescapeString(s[i : i+n]))
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// entity is the length of the entity that a text begins with, 1 if there is none: only what ends
// with a semicolon is one.
func entity(s string) int {
	for i := 1; i < min(len(s), maxEntity); i++ {
		switch c := s[i]; {
		case c == ';':
			return i + 1
		case c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z'):
			return 1
		}
	}
	return 1
}

// maxEntity is the length of the longest entity, &CounterClockwiseContourIntegral; in bytes.
const maxEntity = 34
