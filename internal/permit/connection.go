package permit

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Connection is what a proxy knows about a connection that a command wants to open.
type Connection struct {
	// Host is a name in lower case and ASCII without a dot at its end, or an IP address in
	// the form of [netip.Addr], without brackets.
	Host string
	Port uint16
	// Path is the escaped path of a plain HTTP request; it begins with a slash. Empty: the
	// proxy cannot see a path, as in an encrypted connection.
	Path string
}

// String returns the host and the port, such as "example.com:443" and "[::1]:80".
func (c Connection) String() string {
	return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
}

// Connect decides about a connection by the rules for addresses. A deny rule wins: it
// covers the hosts below its own too, and every port if it names none. A rule with a path
// allows no connection whose path cannot be seen, and denies each to its host. An IP
// address, and a port other than 80 and 443, need a rule that names them. [Rules.All] allows
// nothing here, because it is about tool calls, not about what a sandbox lets out.
func (r Rules) Connect(c Connection) Decision {
	for _, rule := range r.Deny {
		if rule.Kind == URL && c.deniedBy(rule.Argument) {
			why := "denied by " + rule.withSource()
			if parsed, _ := parseAddressRule(rule.Argument); c.Path == "" && parsed.path != "" {
				why += ", because the path of this connection cannot be seen"
			}
			return Decision{Verdict: Deny, Why: why, Rule: rule}
		}
	}
	for _, rule := range r.Allow {
		if rule.Kind == URL && rule.Argument != "" && c.allowedBy(rule.Argument) {
			return allow(rule)
		}
	}
	broad, found := r.everyAddress()
	_, notLiteral := netip.ParseAddr(c.Host)
	switch {
	case !found:
		return ask("no rule covers it")
	case notLiteral == nil:
		return ask("an IP address needs a rule that names it")
	case c.Port != 80 && c.Port != 443:
		return ask("a port other than 80 and 443 needs a rule that names it")
	}
	return broad
}

// everyAddress returns the decision of what allows every address, if anything does.
func (r Rules) everyAddress() (Decision, bool) {
	if r.AnyURL {
		return Decision{Verdict: Allow, Why: "every address is allowed"}, true
	}
	for _, rule := range r.Allow {
		if rule.Kind == URL && rule.Argument == "" {
			return allow(rule), true
		}
	}
	return Decision{}, false
}

// Rule returns the narrowest rule that allows the connection and all others to its host and
// port that the proxy can tell apart.
func (c Connection) Rule() Rule {
	rule, _ := hostRule(c.scheme() + "://" + c.String())
	return rule
}

// scheme guesses the scheme of a connection. It is certain only for plain HTTP.
func (c Connection) scheme() string {
	if c.Path != "" || c.Port == 80 {
		return "http"
	}
	return "https"
}

// endpoints returns what the connection may be: with https or http, unless its path shows that
// it is plain HTTP.
func (c Connection) endpoints() []endpoint {
	var all []endpoint
	for _, scheme := range []string{"http", "https"} {
		if scheme == "https" && c.Path != "" {
			continue
		}
		for _, e := range hostAndPort(c.String(), scheme) {
			e.path = c.Path
			all = append(all, e)
		}
	}
	return all
}

func (c Connection) allowedBy(argument string) bool {
	rule, ok := parseAddressRule(argument)
	return ok && slices.ContainsFunc(c.endpoints(), rule.allows)
}

func (c Connection) deniedBy(argument string) bool {
	denies, may := addressDenied(argument, c.endpoints())
	return denies || may
}

// HostRules returns the rules for a list of hosts, such as allowedHosts: "example.com" is
// its ports 80 and 443, "example.com:8443" only that port, "*.example.com" every host below
// it, and "*" every host. From is where the list came from. A text that is not a host is
// [fault.Invalid].
func HostRules(hosts []string, from string) ([]Rule, error) {
	var rules []Rule
	for _, text := range hosts {
		if strings.TrimSpace(text) == "*" {
			rules = append(rules, Rule{Kind: URL, From: from})
			continue
		}
		host, problem := hostEntry(strings.TrimSpace(text))
		if problem != "" {
			return nil, invalid(strconv.Quote(text)+" in "+from, "%s", problem)
		}
		for _, scheme := range []string{"https", "http"} {
			rules = append(rules, Rule{Kind: URL, Argument: scheme + "://" + host, From: from})
		}
	}
	return rules, nil
}

// hostEntry returns an entry of a list of hosts with an IP address in its shortest form, or
// says what is wrong with it.
func hostEntry(text string) (host, problem string) {
	const noHost = "it is not a host; write a name without a scheme or a path, such as example.com, *.example.com or example.com:8443"
	if strings.ContainsAny(text, "/ ") {
		return "", noHost
	}
	name, port := text, ""
	if h, p, err := net.SplitHostPort(text); err == nil {
		name, port = h, ":"+p
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return "", "a port is a number from 1 to 65535"
		}
	} else if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		name = text[1 : len(text)-1]
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.Zone() == "" {
		if ip = ip.Unmap(); ip.Is6() {
			return "[" + ip.String() + "]" + port, ""
		}
		return ip.String() + port, ""
	}
	if strings.ContainsAny(text, "[]") {
		return "", noHost
	}
	if _, problem := HostName(strings.TrimPrefix(name, "*.")); problem != "" {
		return "", "it is not a host: " + problem
	}
	return text, ""
}
