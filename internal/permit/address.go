package permit

import (
	"net/url"
	"path"
	"strings"
)

// address decides about fetching a URL.
func (r Rules) address(u string) Decision {
	if r.AnyURL {
		return Decision{Verdict: Allow, Why: "every address is allowed"}
	}
	for _, rule := range r.Allow {
		if rule.Kind == URL && (rule.Argument == "" || addressMatches(rule.Argument, u, false)) {
			return allow(rule)
		}
	}
	return ask("no rule covers it")
}

// addressRule is the parsed argument of a rule for addresses.
type addressRule struct {
	scheme, host, path string
	below              bool // the rule covers only hosts below this one
}

// parseAddressRule returns false for an argument that could match no address.
func parseAddressRule(argument string) (addressRule, bool) {
	r := addressRule{scheme: "https"}
	if scheme, rest, ok := strings.Cut(argument, "://"); ok {
		r.scheme, argument = strings.ToLower(scheme), rest
	}
	host, p, _ := strings.Cut(argument, "/")
	host, r.below = strings.CutPrefix(strings.ToLower(host), "*.")
	if r.host = hostOfRule(host, r.scheme); r.host == "" || defaultPorts[r.scheme] == "" {
		return r, false
	}
	if p == "" {
		return r, true
	}
	plain, err := url.PathUnescape(p)
	r.path = path.Clean("/" + plain)
	return r, err == nil && !strings.ContainsAny(p, "*?#{}\"<>|^`\\")
}

// hostOfRule returns a host of a rule in the form of [hostOf], "" if no address can have it.
func hostOfRule(host, scheme string) string {
	ip, port, bracketed := strings.Cut(strings.TrimPrefix(host, "["), "]")
	switch {
	case strings.HasPrefix(host, "["):
		if !bracketed || port != "" && port[0] != ':' {
			return ""
		}
		host, port = ip, strings.TrimPrefix(port, ":")
	case strings.Count(host, ":") == 1:
		host, port, _ = strings.Cut(host, ":")
		if port == "" {
			return ""
		}
	default:
		port = ""
	}
	host = strings.TrimSuffix(host, ".")
	if !isHost(host) || strings.Trim(port, "0123456789") != "" {
		return ""
	}
	if port != "" && port != defaultPorts[scheme] {
		host += ":" + port
	}
	return host
}

// isHost reports whether a text in lower case can be a name or an address of a host. An IPv6
// address may have a port behind it.
func isHost(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_:") != "" {
			return false
		}
	}
	return true
}

// addressMatches reports whether a rule covers an address. An address that two programs
// could read differently is covered by no allow rule; a deny rule covers it as soon as
// its text contains the host.
func addressMatches(argument, address string, deny bool) bool {
	if argument == "" {
		return true
	}
	rule, ok := parseAddressRule(argument)
	if !ok {
		return false
	}
	u, plain := plainURL(address)
	if !plain {
		return deny && strings.Contains(strings.ToLower(address), rule.host)
	}
	host := hostOf(u)
	at := host == rule.host || (rule.below || deny) && strings.HasSuffix(host, "."+rule.host)
	if !at || !deny && u.Scheme != rule.scheme {
		return false
	}
	p := path.Clean("/" + u.Path)
	return rule.path == "" || rule.path == "/" || p == rule.path || strings.HasPrefix(p, rule.path+"/")
}

// plainURL parses an address that every program reads in the same way: http or https, a
// host in ASCII, no user name or password.
func plainURL(address string) (*url.URL, bool) {
	if !ascii(address) || strings.ContainsAny(address, "\\ \t\r\n") {
		return nil, false
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return nil, false
	}
	return u, u.Scheme == "http" || u.Scheme == "https"
}

// defaultPorts are the schemes that a rule can name, and the port that hostOf leaves out.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// hostOf returns the host in lower case, with its port unless that is the default of the
// scheme.
func hostOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if port := u.Port(); port != "" && port != defaultPorts[u.Scheme] {
		host += ":" + port
	}
	return host
}

// hostRule returns the rule that covers the host of an address.
func hostRule(address string) (Rule, bool) {
	u, ok := plainURL(address)
	if !ok {
		return Rule{}, false
	}
	host := hostOf(u)
	if u.Scheme == "http" {
		host = "http://" + host
	}
	return Rule{Kind: URL, Argument: host}, true
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0
}
