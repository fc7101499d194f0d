// Package lookalike says where an address really leads, if a reader can take it for another one: its
// host has letters of other scripts, some of which look like Latin ones, a name that looks like a
// host stands before it, or it is a number in an unusual form.
//
// Everything that has a user decide about an address shows it: questions (package question), links
// in answers (tui/markdown), and the pages on which users sign in.
package lookalike

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Host returns the host that an address leads to, in ASCII, if the address does not show that
// plainly, else "". An address without a scheme counts as one. A name that cannot exist has the
// numbers of its letters: <U+0430>.
func Host(address string) string {
	// Programs leave tabs and line feeds out of addresses. Source: URL standard of WHATWG, section 4.4.
	plain := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	hidden := plain != address
	address = plain
	rest := address
	if scheme, after, ok := strings.Cut(address, ":"); ok && ascii(scheme) && !strings.ContainsAny(scheme, "/?#.@") {
		rest = after
	}
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndexByte(rest, '@')
	shown := rest[at+1:]
	if strings.HasPrefix(strings.ToLower(address), "mailto:") {
		at = -1 // what stands before the host is the name of a person
	}
	if inner, port, ok := strings.Cut(shown, ":"); ok && strings.Trim(port, "0123456789") == "" {
		shown = inner
	}
	name := shown
	if decoded, err := url.PathUnescape(shown); err == nil {
		name = decoded
	}
	host := real(name)
	ip := numeric(host)
	if at < 0 && name == shown && ascii(name) && !hidden && ip == "" {
		return ""
	}
	return cmp.Or(ip, host)
}

// numeric is the address of IPv4 that a host is in an unusual form, as 0x7f000001, 2130706433, 127.1 or
// [::ffff:7f00:1] are 127.0.0.1; "" if it is none, or has the usual form. Source: URL standard of WHATWG,
// section 3.5, as browsers and curl read them.
func numeric(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, _, _ = strings.Cut(inner, "]") // the port stands behind it
		a, err := netip.ParseAddr(inner)
		if err != nil || !a.Is4In6() {
			return ""
		}
		return a.Unmap().String()
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return ""
	}
	var n uint64
	for i, part := range parts {
		v, err := number(part)
		room := 8
		if i == len(parts)-1 { // the last number is all the rest
			room = 8 * (5 - len(parts))
		}
		if err != nil || v>>room != 0 {
			return ""
		}
		n = n<<room | v
	}
	found := netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
	if found == host {
		return ""
	}
	return found
}

// number is a number in an address, which can be octal or hexadecimal.
func number(text string) (uint64, error) {
	if digits, hex := strings.CutPrefix(text, "0x"); hex {
		return strconv.ParseUint(cmp.Or(digits, "0"), 16, 32)
	}
	if len(text) > 1 && text[0] == '0' {
		return strconv.ParseUint(text, 8, 32)
	}
	return strconv.ParseUint(text, 10, 32)
}

// mapping is that of browsers and of curl. Source: Unicode Technical Standard 46, section 4.
var mapping = lazy.Value[*idna.Profile]{Make: func() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.Transitional(false))
}}

// real is the ASCII form of the name of a host.
func real(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	if form, err := mapping.Get().ToASCII(name); err == nil && ascii(form) {
		return form
	}
	var b strings.Builder
	for _, r := range name {
		if r > ' ' && r < 0x7f {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// With returns the address with the host that it really leads to behind it, if that is another one
// than it seems.
func With(address string) string {
	if host := Host(address); host != "" {
		return address + " (leads to " + host + ")"
	}
	return address
}
