// Package lookalike says where an address really leads, if a reader can take it for another one: its
// host has letters of other scripts, some of which look like Latin ones, or a name that looks like a
// host stands before it.
//
// Everything that has a user decide about an address shows it: questions (package question), links
// in answers (tui/markdown), and the pages on which users sign in.
package lookalike

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Host returns the host that an address leads to, in ASCII, if the address does not show that
// plainly, else "". An address without a scheme counts as one. A name that cannot exist has the
// numbers of its letters: <U+0430>.
func Host(address string) string {
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
	if at < 0 && name == shown && ascii(name) {
		return ""
	}
	return real(name)
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
