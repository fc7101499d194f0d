package proxy

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The limits of DNS, in bytes. Source: RFC 1035, section 2.3.4.
const (
	maxName  = 253
	maxLabel = 63
)

// parseTarget parses "host:port". The result has no path. The failure is that of [plainHost],
// or status 400.
func parseTarget(text string) (permit.Connection, *failure) {
	host, port, err := net.SplitHostPort(text)
	n, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || bad != nil || n == 0 {
		return permit.Connection{}, malformed(shown(text)+" is not a host and a port", "Write them as in example.com:443 or [2001:db8::1]:443.")
	}
	if strings.HasPrefix(text, "[") && !strings.Contains(host, ":") {
		return permit.Connection{}, malformed(shown(text)+" has a name in brackets", "Only an IPv6 address is written in brackets.")
	}
	return plainTarget(host, uint16(n))
}

// plainTarget returns the target with its host in the form of [permit.Connection].
func plainTarget(host string, port uint16) (permit.Connection, *failure) {
	plain, problem := plainHost(host)
	if problem != "" {
		return permit.Connection{Host: shown(host), Port: port}, malformedHost(shown(host), problem)
	}
	return permit.Connection{Host: plain, Port: port}, nil
}

// plainHost returns a host in the one form that is compared and dialed, or says why it has
// none. Each character that programs read in different ways is refused: escapes, letters that
// are not ASCII, and numbers that are IPv4 addresses for some.
func plainHost(host string) (plain, problem string) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return "", "an address with a zone belongs to this machine's network"
		}
		return ip.Unmap().String(), ""
	}
	plain = strings.TrimSuffix(strings.ToLower(host), ".")
	if plain == "" || len(plain) > maxName {
		return "", "the name of a host has 1 to 253 characters"
	}
	for label := range strings.SplitSeq(plain, ".") {
		if label == "" || len(label) > maxLabel {
			return "", "each part of a host's name has 1 to 63 characters"
		}
	}
	switch last := plain[strings.LastIndexByte(plain, '.')+1:]; {
	case strings.Contains(plain, "%"):
		return "", "write the name without % escapes"
	case strings.IndexFunc(plain, func(r rune) bool { return r > '~' }) >= 0:
		return "", "write the ASCII form of the name, which begins with xn--"
	case strings.Trim(plain, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
		return "", "a name has only letters, digits, hyphens and dots"
	case last[0] >= '0' && last[0] <= '9':
		return "", "write an IP address as four decimal numbers, such as 192.0.2.1"
	}
	return plain, ""
}

// shown returns a part of a request for a message: in printable ASCII, bounded, and without
// what may be a password before an @.
func shown(text string) string {
	return printable(text[strings.LastIndexByte(text, '@')+1:], 100)
}

// printable returns text in printable ASCII on one line, with at most limit bytes.
func printable(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	if len(text) > limit {
		text = text[:limit-3] + "..."
	}
	return text
}
