package proxy

import (
	"net"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// parseTarget parses "host:port". The result has no path. The failure is that of [permit.HostName],
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
	plain, problem := permit.HostName(host)
	if problem != "" {
		return permit.Connection{Host: shown(host), Port: port}, malformedHost(shown(host), problem)
	}
	return permit.Connection{Host: plain, Port: port}, nil
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
