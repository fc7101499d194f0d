package permit

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// endpoint is what a program connects to, in the form in which rules compare it.
type endpoint struct {
	scheme string // in lower case; "" if it is not known
	host   string // as in hostForms
	port   string // "" for the default port of the scheme
	path   string // as it was written, without the query; "" if it is not known
}

// effectivePort returns the port as a number, "" if it is not known.
func (e endpoint) effectivePort() string {
	if e.port != "" {
		return e.port
	}
	return defaultPorts.Get()[e.scheme]
}

// endpointsOf returns everything that programs may take an address for; none if it cannot be
// read. Programs differ in where a host ends, in user names with an @, and in how many
// slashes come before the host. Source: WHATWG URL Standard against RFC 3986.
func endpointsOf(address string) []endpoint {
	address = strings.Map(func(c rune) rune {
		if c == '\t' || c == '\r' || c == '\n' { // browsers remove them
			return -1
		}
		return c
	}, strings.Trim(address, " \t\r\n"))
	scheme, rest, ok := strings.Cut(address, ":")
	if !ok {
		return nil
	}
	scheme, rest = strings.ToLower(scheme), strings.TrimLeft(rest, `/\`)
	var all []endpoint
	for _, ends := range []string{`/?#\`, "/?#", "/"} {
		authority, after := rest, ""
		if i := strings.IndexAny(rest, ends); i >= 0 {
			authority, after = rest[:i], rest[i:]
		}
		if i := strings.IndexAny(after, "?#"); i >= 0 {
			after = after[:i]
		}
		if after == "" {
			after = "/"
		}
		hosts := strings.Split(authority, "@")
		for _, host := range hosts[min(1, len(hosts)-1):] {
			for _, e := range hostAndPort(host, scheme) {
				if e.path = after; !slices.Contains(all, e) {
					all = append(all, e)
				}
			}
		}
	}
	return all
}

// hostAndPort reads a host with an optional port. The scheme gives the port that is left out.
func hostAndPort(text, scheme string) []endpoint {
	host, port := text, ""
	if i := strings.LastIndex(text, ":"); i > strings.LastIndex(text, "]") && (strings.HasPrefix(text, "[") || strings.Count(text, ":") == 1) {
		host, port = text[:i], text[i+1:]
	}
	port, ok := portOf(port, scheme)
	if !ok {
		return nil
	}
	var all []endpoint
	for _, form := range hostForms(host) {
		all = append(all, endpoint{scheme: scheme, host: form, port: port})
	}
	return all
}

// plainEndpoint reads an address that every program reads in the same way: http or https, a
// host in ASCII, no user name or password. Only such an address is covered by an allow rule.
func plainEndpoint(address string) (endpoint, bool) {
	u, err := url.Parse(address)
	if err != nil || !ascii(address) || strings.ContainsAny(address, "\\ ") || u.Host == "" || u.User != nil || u.Opaque != "" {
		return endpoint{}, false
	}
	all := endpointsOf(address)
	if u.Scheme != "http" && u.Scheme != "https" || len(all) != 1 || !slices.Contains(hostForms(u.Host[:len(u.Host)-len(portSuffix(u))]), all[0].host) {
		return endpoint{}, false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return all[0], name == all[0].host
}

// portSuffix returns the port of an address with the colon before it.
func portSuffix(u *url.URL) string {
	if i := strings.LastIndex(u.Host, ":"); i > strings.LastIndex(u.Host, "]") {
		return u.Host[i:]
	}
	return ""
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0
}

// servedPath returns the path of an address as the server may resolve it that removes most:
// decoded until nothing is left to decode, with / for \, without parameters after a semicolon, dots
// and double slashes.
func servedPath(name string) string {
	for range 4 {
		decoded, err := url.PathUnescape(name)
		if err != nil || decoded == name {
			break
		}
		name = decoded
	}
	segments := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	for i, s := range segments {
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return path.Clean("/" + strings.Join(segments, "/"))
}

// plainPath reports whether every server resolves a path to what is written there, apart from
// escapes such as %20. Some end a name at a control character such as NUL, or read bytes that are no
// UTF-8 as dots and slashes.
func plainPath(name string) bool {
	decoded, err := url.PathUnescape(name)
	return err == nil && !strings.ContainsAny(decoded, `%\;`) && utf8.ValidString(decoded) && !strings.ContainsFunc(decoded, unicode.IsControl) && (decoded == "/" || path.Clean(decoded) == strings.TrimSuffix(decoded, "/"))
}

// below reports whether a path is dir or below it.
func below(dir, name string) bool {
	return dir == "" || dir == "/" || name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
