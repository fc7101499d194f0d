package permit

import (
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
)

// deniedEndpoint applies the deny rules to everything that an address may stand for.
func (r Rules) deniedEndpoint(to []endpoint) (Decision, bool) {
	var doubted *Decision
	for _, rule := range r.Deny {
		if rule.Kind != URL {
			continue
		}
		switch denies, may := addressDenied(rule.Argument, to); {
		case denies:
			return Decision{Verdict: Deny, Why: "denied by " + rule.withSource(), Rule: rule}, true
		case may && doubted == nil:
			doubted = new(doubt(rule, "its host or its path can be read in several ways"))
		}
	}
	if doubted != nil {
		return *doubted, true
	}
	return Decision{}, false
}

// endpoint applies the allow rules.
func (r Rules) endpoint(to endpoint) Decision {
	if r.AnyURL {
		return Decision{Verdict: Allow, Why: "every address is allowed"}
	}
	for _, rule := range r.Allow {
		if rule.Kind != URL {
			continue
		}
		if parsed, ok := parseAddressRule(rule.Argument); rule.Argument == "" || ok && parsed.allows(to) {
			return allow(rule)
		}
	}
	return ask("no rule covers it")
}

// address decides by the allow rules about fetching a URL.
func (r Rules) address(u string) Decision {
	to, plain := plainEndpoint(u)
	if !plain { // only rules that cover every address cover it
		to = endpoint{}
	}
	return r.endpoint(to)
}

// addressRule is the parsed argument of a rule for addresses.
type addressRule struct {
	endpoint
	below  bool     // the rule covers only hosts below this one
	others []string // further hosts that programs may take it for; only deny rules hold for them
}

// parseAddressRule returns false for an argument that could match no address.
func parseAddressRule(argument string) (addressRule, bool) {
	scheme := "https"
	if before, rest, ok := strings.Cut(argument, "://"); ok {
		scheme, argument = strings.ToLower(before), rest
	}
	host, p, _ := strings.Cut(argument, "/")
	host, wild := strings.CutPrefix(host, "*.")
	hosts := hostAndPort(host, scheme)
	if len(hosts) == 0 || strings.Contains(host, "%") || strings.HasSuffix(host, ":") || scheme != "http" && scheme != "https" {
		return addressRule{}, false
	}
	r := addressRule{endpoint: hosts[0], below: wild}
	for _, h := range hosts[1:] {
		r.others = append(r.others, h.host)
	}
	if p == "" {
		return r, true
	}
	plain, err := url.PathUnescape(p)
	r.path = path.Clean("/" + plain)
	return r, err == nil && !strings.ContainsAny(p, "*?#{}\"<>|^`\\")
}

// allows reports whether an allow rule covers an endpoint.
func (r addressRule) allows(to endpoint) bool {
	at := to.host == r.host && !r.below || r.below && strings.HasSuffix(to.host, "."+r.host)
	if !at || to.scheme != "" && to.scheme != r.scheme || to.effectivePort() != r.effectivePort() {
		return false
	}
	if r.path == "" || r.path == "/" {
		return true
	}
	decoded, err := url.PathUnescape(to.path)
	return err == nil && to.path != "" && plainPath(to.path) && below(r.path, decoded)
}

// addressDenied reports whether a deny rule matches something that an address may stand for,
// and whether it may match: the address cannot be read, or its path is not clear. A deny
// rule holds for all hosts below its host, for every scheme and, if it names no port, for
// every port.
func addressDenied(argument string, to []endpoint) (denies, may bool) {
	if argument == "" {
		return true, false
	}
	r, ok := parseAddressRule(argument)
	if !ok {
		return false, false
	}
	for _, e := range to {
		at := slices.ContainsFunc(append(r.others, r.host), func(host string) bool { return e.host == host || strings.HasSuffix(e.host, "."+host) })
		if !at || r.port != "" && e.effectivePort() != "" && r.port != e.effectivePort() {
			continue
		}
		whole := r.path == "" || r.path == "/"
		if whole || e.path != "" && below(strings.ToLower(r.path), strings.ToLower(servedPath(e.path))) {
			return true, false
		}
		may = may || e.path == "" || !plainPath(e.path)
	}
	return false, may || len(to) == 0
}

// hostRule returns the rule that covers the host of an address.
func hostRule(address string) (Rule, bool) {
	to, ok := plainEndpoint(address)
	if !ok {
		return Rule{}, false
	}
	host := to.host
	if to.port != "" {
		host = net.JoinHostPort(host, to.port)
	}
	if to.scheme == "http" {
		host = "http://" + host
	}
	return Rule{Kind: URL, Argument: host}, true
}
