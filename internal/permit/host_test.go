package permit_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// spellings are addresses of a denied host or path, however they are written. The sources are
// the WHATWG URL Standard, RFC 3986, UTS 46, inet_aton(3), and "A New Era of SSRF" (Orange
// Tsai, Black Hat 2017) for where parsers differ.
var spellings = []struct {
	denied, address string
	want            permit.Verdict
}{
	{"evil.example", "https://evil.example/x", permit.Deny},
	{"evil.example", "https://EVIL.Example", permit.Deny},
	{"evil.example", "https://evil.example./x", permit.Deny},
	{"evil.example", "https://evil.example:443/x", permit.Deny},
	{"evil.example", "https://evil.example:0443/x", permit.Deny},
	{"evil.example", "https://evil.example:8443/x", permit.Deny},
	{"evil.example", "http://evil.example:80/x", permit.Deny},
	{"evil.example", "ftp://evil.example/x", permit.Deny},
	{"evil.example", "https://a.b.evil.example/x", permit.Deny},
	{"evil.example", "https://e%76il.example/x", permit.Deny},
	{"evil.example", "https://%65%76%69%6c%2Eexample/x", permit.Deny},
	{"evil.example", "https://ｅｖｉｌ.example/x", permit.Deny},
	{"evil.example", "https://evil。example/x", permit.Deny},
	{"evil.example", "https://evil．example/x", permit.Deny},
	{"evil.example", "https://e\u00advil.example/x", permit.Deny},
	{"evil.example", "https://%ef%bd%85vil.example/x", permit.Deny},
	{"evil.example", "https://user:pass@evil.example/x", permit.Deny},
	{"evil.example", "https://good.example@evil.example/x", permit.Deny},
	{"evil.example", "https://a@good.example@evil.example/x", permit.Deny},
	{"evil.example", "https://a@evil.example@good.example/x", permit.Deny},
	{"evil.example", `https://evil.example\@good.example/x`, permit.Deny},
	{"evil.example", `https://good.example\@evil.example/x`, permit.Deny},
	{"evil.example", "https://good.example#@evil.example/x", permit.Deny},
	{"evil.example", "https://evil.example#@good.example/x", permit.Deny},
	{"evil.example", "https://good.example?@evil.example/x", permit.Deny},
	{"evil.example", "https:/evil.example/x", permit.Deny},
	{"evil.example", "https:evil.example/x", permit.Deny},
	{"evil.example", `https:\\evil.example\x`, permit.Deny},
	{"evil.example", "https:///evil.example/x", permit.Deny},
	{"evil.example", "https://ev\til.example/x", permit.Deny},
	{"evil.example", " https://evil.example/x", permit.Deny},
	{"evil.example", "https://{evil,good}.example/x", permit.Ask},
	{"evil.example", "https://%2565vil.example/x", permit.Ask},
	{"evil.example", "https://evil%.example/x", permit.Ask},
	{"evil.example", "https://evil.example:99999/x", permit.Ask},
	{"evil.example", "https://ev il.example", permit.Ask},
	{"evil.example", "https://", permit.Ask},
	{"evil.example", "https://evil..example/", permit.Ask},
	{"evil.example", "https://xn--99999999999/", permit.Ask},
	{"evil.example", "https://notevil.example/evil.example?evil.example", permit.Allow},
	{"evil.example", "https://evil.example.good.example/", permit.Allow},
	{"evil.example:8443", "https://evil.example/", permit.Allow},
	{"evil.example:8443", "https://evil.example:8443/", permit.Deny},
	{"*.evil.example", "https://a.evil.example/", permit.Deny},

	{"bücher.example", "https://xn--bcher-kva.example/", permit.Deny},
	{"xn--bcher-kva.example", "https://BÜCHER.example/", permit.Deny},
	{"strasse.example", "https://straße.example/", permit.Deny},
	{"straße.example", "https://straße.example/", permit.Deny},
	{"straße.example", "https://strasse.example/", permit.Deny},
	{"straße.example", "https://xn--strae-oqa.example/", permit.Deny},

	{"127.0.0.1", "http://127.1/", permit.Deny},
	{"127.0.0.1", "http://2130706433/", permit.Deny},
	{"127.0.0.1", "http://0x7f.1/", permit.Deny},
	{"127.0.0.1", "http://0x7F000001/", permit.Deny},
	{"127.0.0.1", "http://0177.0.0.1/", permit.Deny},
	{"127.0.0.1", "http://017700000001/", permit.Deny},
	{"127.0.0.1", "http://127.0.1/", permit.Deny},
	{"177.0.0.1", "http://0177.0.0.1/", permit.Deny},
	{"127.0.0.1", "http://１２７.０.０.１/", permit.Deny},
	{"127.0.0.1", "http://127。0。0。1/", permit.Deny},
	{"127.0.0.1", "http://[::ffff:127.0.0.1]/", permit.Deny},
	{"127.0.0.1", "http://[::ffff:7f00:1]/", permit.Deny},
	{"127.0.0.1", "http://[64:ff9b::7f00:1]/", permit.Deny},
	{"127.0.0.1", "http://127.0.0.1./", permit.Deny},
	{"127.0.0.1", "http://127.0.0.256/", permit.Ask},
	{"127.0.0.1", "http://127.0.0.2/", permit.Allow},
	{"0x7f.1", "http://127.0.0.1/", permit.Deny},
	{"[::1]", "http://[0:0:0:0:0:0:0:1]/", permit.Deny},
	{"[::1]", "http://[::1%25lo]:8080/", permit.Deny},
	{"[::1]", "http://[0000::0001]/", permit.Deny},
	{"[::1]", "http://[::2]/", permit.Allow},

	{"evil.example/admin", "https://evil.example/admin/x", permit.Deny},
	{"evil.example/admin", "https://evil.example/ADMIN", permit.Deny},
	{"evil.example/admin", "https://evil.example//admin", permit.Deny},
	{"evil.example/admin", "https://evil.example/%61dmin", permit.Deny},
	{"evil.example/admin", "https://evil.example/%2561dmin", permit.Deny},
	{"evil.example/admin", "https://evil.example/x/../admin", permit.Deny},
	{"evil.example/admin", "https://evil.example/x/%2e%2e/admin", permit.Deny},
	{"evil.example/admin", "https://evil.example/x/..%2fadmin", permit.Deny},
	{"evil.example/admin", "https://evil.example/x/..;/admin", permit.Deny},
	{"evil.example/admin", "https://evil.example/admin;a=b/x", permit.Deny},
	{"evil.example/admin", `https://evil.example/x\..\admin`, permit.Deny},
	{"evil.example/admin", "https://evil.example/x/%zz", permit.Ask},
	{"evil.example/admin", "https://evil.example/x/../../y", permit.Ask},
	{"evil.example/admin", "https://evil.example/administrator", permit.Allow},
	{"evil.example/admin", "https://evil.example/a%20b", permit.Allow},
	{"evil.example/admin", "https://good.example/x/%zz", permit.Allow},
}

func TestADeniedHostIsDeniedHoweverItIsWritten(t *testing.T) {
	for _, tc := range spellings {
		r := parse(t, "deny url("+tc.denied+")")
		r.All = true
		fetched := r.Decide(fetch(tc.address))
		named := r.Decide(with(command("curl"), func(q *permit.Request) { q.Command.URLs, q.Command.Programs[0].Offline = []string{tc.address}, true }))
		for _, got := range []permit.Decision{fetched, named} {
			if got.Verdict != tc.want || got.Verdict == permit.Ask && !got.Doubt {
				t.Errorf("url(%s) and %q: %v (%s), want %v", tc.denied, tc.address, got.Verdict, got.Why, tc.want)
			}
		}
	}
}

// An address that two programs could read differently is covered by no allow rule but that for
// all.
func TestOnlyPlainAddressesAreAllowed(t *testing.T) {
	for address, want := range map[string]permit.Verdict{
		"https://good.example/docs/a": permit.Allow, "https://good.example:443/docs": permit.Allow, "https://good.example/docs/a%20b": permit.Allow,
		"https://good.example/docs/..%2fadmin": permit.Ask, "https://good.example/docs/..;/admin": permit.Ask, "https://good.example/docs/%5c../x": permit.Ask,
		"https://good.example/docs/%252e%252e/x": permit.Ask, "https://good.example//docs": permit.Ask, "https://g%6fod.example/docs": permit.Ask,
		"https://ｇood.example/docs": permit.Ask, "https:/good.example/docs": permit.Ask, "https://u@good.example/docs": permit.Ask,
		"https://good.example:8443/docs": permit.Ask, "ftp://good.example/docs": permit.Ask, "https://a.good.example/docs": permit.Ask,
	} {
		if got := parse(t, "url(good.example/docs)").Decide(fetch(address)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", address, got.Verdict, got.Why, want)
		}
	}
	if got := parse(t, "url(127.0.0.1)").Decide(fetch("https://0x7f.1")); got.Verdict != permit.Ask {
		t.Errorf("a number in another form is allowed: %s", got.Why)
	}
}

// A connection is compared with rules like an address, in whatever form a client of the proxy
// names the host.
func TestConnectionsAreReadLikeAddresses(t *testing.T) {
	for _, tc := range []struct {
		rules      []string
		connection permit.Connection
		want       permit.Verdict
	}{
		{[]string{"url", "deny url(evil.example)"}, at("a.EVIL.example.", 22), permit.Deny},
		{[]string{"url", "deny url(127.0.0.1)"}, at("::ffff:127.0.0.1", 80), permit.Deny},
		{[]string{"url", "deny url(127.0.0.1)"}, at("127.1", 80), permit.Deny},
		{[]string{"url", "deny url(evil.example)"}, at("ev il", 443), permit.Deny},
		{[]string{"url(good.example)", "deny url(good.example/admin)"}, at("good.example", 443), permit.Deny},
		{[]string{"url(http://good.example)", "deny url(good.example/admin)"}, plain("good.example", 80, "/x/..;/Admin"), permit.Deny},
		{[]string{"url(http://good.example/docs)"}, plain("good.example", 80, "/docs/..;/x"), permit.Ask},
		{[]string{"url(http://good.example/docs)"}, plain("good.example", 80, "/docs/x"), permit.Allow},
		{[]string{"url([::1]:8080)"}, at("::1", 8080), permit.Allow},
	} {
		if got := parse(t, tc.rules...).Connect(tc.connection); got.Verdict != tc.want || got.Why == "" {
			t.Errorf("%q, %v: %v (%s), want %v", tc.rules, tc.connection, got.Verdict, got.Why, tc.want)
		}
	}
}
