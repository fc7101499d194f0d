package permit

import (
	"net/netip"
	"strings"
)

// The limits of DNS, in bytes. Source: RFC 1035, section 2.3.4.
const (
	maxName  = 253
	maxLabel = 63
)

// HostName returns a host in the form of [Connection.Host], or says in words for the user why it
// has none. It refuses each character that programs read in different ways: escapes, letters
// that are not ASCII, and numbers that are IPv4 addresses for some.
func HostName(host string) (plain, problem string) {
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
