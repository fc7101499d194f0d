package permit

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// hostForms returns the hosts that programs may take a host for, in the one form in which
// rules compare hosts: ASCII, lower case, without a final dot; an address in its shortest
// form, without a zone. The first form is the usual one. It returns none if the text is no
// host, or one that cannot be brought into that form.
//
// There is more than one form where programs differ: 0177.0.0.1 is 127.0.0.1 for those that
// follow inet_aton(3), and 177.0.0.1 for others.
func hostForms(host string) []string {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		if host, bracketed = strings.CutSuffix(inner, "]"); !bracketed {
			return nil
		}
		return ipv6Forms(host)
	}
	host, err := url.PathUnescape(host)
	switch {
	case err != nil:
		return nil
	case strings.Contains(host, ":"):
		return ipv6Forms(host)
	}
	var forms []string
	for _, ascii := range asciiNames(host) {
		ascii = strings.TrimSuffix(ascii, ".")
		switch labels := strings.Split(ascii, "."); {
		case !isHost(ascii):
		case isNumber(labels[len(labels)-1]):
			forms = append(forms, ipv4Forms(labels)...)
		default:
			forms = append(forms, ascii)
		}
	}
	return slices.Compact(forms)
}

// mappings are the two mappings of names to ASCII: that of browsers and of curl, and the one
// before it, in which ß is ss. The strict rules for names are switched off because names with
// an underscore exist. Source: Unicode Technical Standard 46, section 4.
var mappings = lazy.Value[[2]*idna.Profile]{Make: func() [2]*idna.Profile {
	mapping := func(transitional bool) *idna.Profile {
		return idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.Transitional(transitional))
	}
	return [2]*idna.Profile{mapping(false), mapping(true)}
}}

// asciiNames returns a name as programs send it to a name server.
func asciiNames(host string) []string {
	lower := strings.ToLower(host)
	if ascii(lower) && !strings.Contains(lower, "xn--") {
		return []string{lower}
	}
	var names []string
	for _, m := range mappings.Get() {
		if name, err := m.ToASCII(host); err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isHost reports whether a text in lower case can be the name of a host or an IPv4 address.
func isHost(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return len(host) < 256
}

// isNumber reports whether a label is a number, which makes its host an IPv4 address. Source:
// WHATWG URL Standard, "ends in a number".
func isNumber(label string) bool {
	hex, isHex := strings.CutPrefix(label, "0x")
	if isHex {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// ipv4Forms reads one to four numbers, the last of which fills the rest of the address. A
// number with a 0 in front is octal for some programs and decimal for others.
func ipv4Forms(labels []string) []string {
	var forms []string
	for _, octal := range []bool{true, false} {
		if ip, ok := ipv4(labels, octal); ok && !slices.Contains(forms, ip) {
			forms = append(forms, ip)
		}
	}
	return forms
}

func ipv4(labels []string, octal bool) (string, bool) {
	if len(labels) > 4 {
		return "", false
	}
	var ip uint64
	for i, label := range labels {
		base := 10
		if hex, ok := strings.CutPrefix(label, "0x"); ok {
			label, base = "0"+hex, 16
		} else if octal && len(label) > 1 && label[0] == '0' {
			base = 8
		}
		bits := 8
		if i == len(labels)-1 {
			bits = 8 * (5 - len(labels))
		}
		n, err := strconv.ParseUint(label, base, bits)
		if err != nil {
			return "", false
		}
		ip = ip<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}).String(), true
}

// nat64 are the IPv6 addresses by which IPv4 addresses are reached. Source: RFC 6052.
var nat64 = lazy.Value[netip.Prefix]{Make: func() netip.Prefix { return netip.MustParsePrefix("64:ff9b::/96") }}

// ipv6Forms reads an IPv6 address. One that stands for an IPv4 address has the form of that.
func ipv6Forms(text string) []string {
	text, _, _ = strings.Cut(text, "%") // the zone names an interface of this machine
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	if ip = ip.Unmap(); nat64.Get().Contains(ip) {
		inner := ip.As16()
		return []string{ip.String(), netip.AddrFrom4([4]byte(inner[12:])).String()}
	}
	return []string{ip.String()}
}

// portOf returns a port without zeros in front, "" for the default port of the scheme; ok is
// false if it is no port.
func portOf(port, scheme string) (plain string, ok bool) {
	if port == "" {
		return "", true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", false
	}
	if plain = strconv.FormatUint(n, 10); plain == defaultPorts.Get()[scheme] {
		plain = ""
	}
	return plain, true
}

// defaultPorts are the ports that an address need not name. Source: IANA, URI schemes.
var defaultPorts = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "ftps": "990", "ssh": "22", "git": "9418", "ldap": "389", "telnet": "23",
	}
}}
