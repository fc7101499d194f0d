package permit_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// hosts returns the rules for lists of hosts.
func hosts(t *testing.T, allowed, blocked string) permit.Rules {
	t.Helper()
	allow, err := permit.HostRules(strings.Fields(allowed), "allowedHosts")
	if err != nil {
		t.Fatal(err)
	}
	deny, err := permit.HostRules(strings.Fields(blocked), "blockedHosts")
	if err != nil {
		t.Fatal(err)
	}
	return permit.Rules{Allow: allow, Deny: deny}
}

func at(host string, port uint16) permit.Connection {
	return permit.Connection{Host: host, Port: port}
}

func plain(host string, port uint16, path string) permit.Connection {
	return permit.Connection{Host: host, Port: port, Path: path}
}

var connections = []struct {
	name, allowed, blocked, rules string
	connection                    permit.Connection
	want                          permit.Verdict
	why                           string
}{
	{"no rule", "", "", "", at("a.example", 443), permit.Ask, "no rule covers it"},
	{"an allowed host", "a.example", "", "", at("a.example", 443), permit.Allow, "allowedHosts"},
	{"without encryption", "a.example", "", "", plain("a.example", 80, "/x"), permit.Allow, ""},
	{"its other ports are not", "a.example", "", "", at("a.example", 22), permit.Ask, ""},
	{"hosts below it are not", "a.example", "", "", at("b.a.example", 443), permit.Ask, ""},
	{"a longer name is not", "a.example", "", "", at("ba.example", 443), permit.Ask, ""},
	{"a name with more behind it is not", "a.example", "", "", at("a.example.evil", 443), permit.Ask, ""},
	{"a named port", "a.example:8443", "", "", at("a.example", 8443), permit.Allow, ""},
	{"only the named port", "a.example:8443", "", "", at("a.example", 443), permit.Ask, ""},
	{"hosts below", "*.a.example", "", "", at("c.b.a.example", 443), permit.Allow, ""},
	{"capital letters and a dot at the end", "A.Example.", "", "", at("a.example", 443), permit.Allow, ""},
	{"every host", "*", "", "", at("a.example", 443), permit.Allow, ""},
	{"every host, but not every port", "*", "", "", at("a.example", 22), permit.Ask, "port other than 80 and 443"},
	{"every host, but no address", "*", "", "", at("192.0.2.1", 443), permit.Ask, "IP address needs a rule"},
	{"an address that is named", "* 192.0.2.1", "", "", at("192.0.2.1", 443), permit.Allow, ""},
	{"the long form of an address", "[2001:DB8:0::1]:8443", "", "", at("2001:db8::1", 8443), permit.Allow, ""},
	{"an IPv4 address in IPv6", "::ffff:192.0.2.1", "", "", at("192.0.2.1", 443), permit.Allow, ""},
	{"blocked wins", "*", "a.example", "", at("a.example", 443), permit.Deny, "blockedHosts"},
	{"blocked with all below", "*", "a.example", "", at("b.a.example", 443), permit.Deny, ""},
	{"blocked on every port", "a.example:8443", "a.example", "", at("a.example", 8443), permit.Deny, ""},
	{"blocked on one port", "a.example", "a.example:8443", "", at("a.example", 443), permit.Allow, ""},
	{"a longer name is not blocked", "*", "a.example", "", at("ba.example", 443), permit.Allow, ""},
	{"everything is blocked", "a.example", "*", "", at("a.example", 443), permit.Deny, ""},
	{"an address in IPv6 is blocked", "192.0.2.1", "::ffff:192.0.2.1", "", at("192.0.2.1", 443), permit.Deny, ""},

	{"a rule", "", "", "url(a.example)", at("a.example", 443), permit.Allow, "allowed by url(a.example)"},
	{"a rule for https", "", "", "url(a.example)", at("a.example", 80), permit.Ask, ""},
	{"a rule for http", "", "", "url(http://a.example)", at("a.example", 80), permit.Allow, ""},
	{"a rule for http and a path", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/x"), permit.Allow, ""},
	{"another path", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/../x"), permit.Ask, ""},
	{"another path with escapes", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/%2e%2e%2fx"), permit.Ask, ""},
	{"a path with a NUL", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/..%00/x"), permit.Ask, ""},
	{"a path with dots in too many bytes", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/%c0%ae%c0%ae/x"), permit.Ask, ""},
	{"a path with letters that are not ASCII", "", "", "url(http://a.example/docs)", plain("a.example", 80, "/docs/%C3%BC"), permit.Allow, ""},
	{"a path opens no encrypted connection", "", "", "url(a.example/docs)", at("a.example", 443), permit.Ask, ""},
	{"a path opens no connection", "", "", "url(http://a.example/docs)", at("a.example", 80), permit.Ask, ""},
	{"every address by a rule", "", "", "url", at("a.example", 443), permit.Allow, "allowed by url"},
	{"a denied path that cannot be seen", "*", "", "deny url(a.example/x%20y)", at("a.example", 443), permit.Deny, "cannot be seen"},
	{"a denied path", "*", "", "deny url(a.example/x)", plain("a.example", 80, "/x/y"), permit.Deny, ""},
	{"a path beside the denied one", "*", "", "deny url(a.example/x)", plain("a.example", 80, "/y"), permit.Allow, ""},
	{"rules of other kinds", "", "", "shell(curl); deny write", at("a.example", 443), permit.Ask, ""},
}

func TestConnect(t *testing.T) {
	for _, tc := range connections {
		t.Run(tc.name, func(t *testing.T) {
			r := hosts(t, tc.allowed, tc.blocked)
			r.All = true // is about tool calls
			if tc.rules != "" {
				more := parse(t, strings.Split(tc.rules, "; ")...)
				r.Allow, r.Deny = append(r.Allow, more.Allow...), append(r.Deny, more.Deny...)
			}
			got := r.Connect(tc.connection)
			if got.Verdict != tc.want || !strings.Contains(got.Why, tc.why) || got.Why == "" {
				t.Errorf("Connect(%v) = %v (%s), want %v (%s)", tc.connection, got.Verdict, got.Why, tc.want, tc.why)
			}
		})
	}
	if d := (permit.Rules{AnyURL: true}).Connect(at("a.example", 443)); d.Verdict != permit.Allow {
		t.Errorf("with every address allowed: %v", d)
	}
}

// The rule that a connection proposes allows it.
func TestRuleOfAConnection(t *testing.T) {
	for _, tc := range []struct {
		connection permit.Connection
		want       string
	}{
		{permit.Connection{Host: "a.example", Port: 443}, "url(a.example)"},
		{permit.Connection{Host: "a.example", Port: 80}, "url(http://a.example)"},
		{permit.Connection{Host: "a.example", Port: 22}, "url(a.example:22)"},
		{permit.Connection{Host: "a.example", Port: 80, Path: "/x"}, "url(http://a.example)"},
		{permit.Connection{Host: "a.example", Port: 8080, Path: "/x"}, "url(http://a.example:8080)"},
		{permit.Connection{Host: "2001:db8::1", Port: 443}, "url(2001:db8::1)"},
	} {
		rule := tc.connection.Rule()
		if rule.String() != tc.want {
			t.Errorf("the rule for %v is %v, want %s", tc.connection, rule, tc.want)
		}
		if d := (permit.Rules{Allow: []permit.Rule{rule}}).Connect(tc.connection); d.Verdict != permit.Allow {
			t.Errorf("%v does not allow %v: %s", rule, tc.connection, d.Why)
		}
		if parsed, err := permit.ParseRule(rule.String()); err != nil || !parsed.Same(rule) {
			t.Errorf("%v cannot be parsed: %v", rule, err)
		}
	}
}

func TestHostRulesRefuseWhatIsNoHost(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "it is not a host",
		".":                 "it is not a host",
		"*.":                "it is not a host",
		"a.*.example":       "it is not a host",
		"https://a.example": "without a scheme",
		"a.example/x":       "without a scheme or a path",
		"u@a.example":       "it is not a host",
		"ex%61mple.com":     "it is not a host",
		"a b":               "it is not a host",
		"192.0.2.0/24":      "it is not a host",
		"a.example:":        "a port is a number",
		"a.example:0":       "a port is a number",
		"a.example:65536":   "a port is a number",
		"a.example:http":    "a port is a number",
		"bücher.example":    "xn--",
		"127.1":             "four decimal numbers",
		"0x7f.1":            "four decimal numbers",
		"0x7f000001":        "four decimal numbers",
		"2130706433":        "four decimal numbers",
		"0177.0.0.1":        "four decimal numbers",
		"fe80::1%eth0":      "it is not a host",
		"[::1":              "it is not a host",
		"a..example":        "1 to 63 characters",
		"*.*.example":       "it is not a host",

		strings.Repeat("a", 64) + ".example":  "1 to 63 characters",
		strings.Repeat("a.", 130) + "example": "1 to 253 characters",
		"a.example, b.exam.":                  "it is not a host",
	} {
		rules, err := permit.HostRules([]string{"ok.example", text}, "allowedHosts")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "allowedHosts") {
			t.Errorf("%q: %v, %v, want an error with %q", text, rules, err, want)
		}
	}
}
