package lookalike_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/lookalike"
)

func TestHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/a?b#c":             "",
		"http://127.0.0.1:8080":                 "",
		"https://[::1]:80/":                     "",
		"example.com":                           "",
		"https://xn--pple-43d.com":              "",
		"mailto:ann@example.com":                "",
		"https://example.com/@ann":              "",
		"https://example.com/аpple":             "",
		"":                                      "",
		"https://аpple.com/login":               "xn--pple-43d.com", // the first letter is Cyrillic
		"HTTPS://АPPLE.com:443":                 "xn--pple-43d.com",
		"аpple.com/login":                       "xn--pple-43d.com",
		"аpple:8080":                            "xn--pple-43d",
		"https://a\uFFFDb.example":              "a<U+FFFD>b.example",
		"//аpple.com":                           "xn--pple-43d.com",
		"https://%D0%B0pple.com":                "xn--pple-43d.com",
		"mailto:ann@аpple.com":                  "xn--pple-43d.com",
		"https://bücher.example":                "xn--bcher-kva.example",
		"https://apple.com@evil.example":        "evil.example",
		"https://apple.com:a@evil.example:80/x": "evil.example",
		`https:\\apple.com@evil.example\x`:      "evil.example",
		"http://0x7f000001/":                    "127.0.0.1",
		"http://0X7F.1:80":                      "127.0.0.1",
		"2130706433":                            "127.0.0.1",
		"http://0177.0.0.01/":                   "127.0.0.1",
		"http://127.0.0.1.":                     "127.0.0.1",
		"http://１２７.1":                          "127.0.0.1",
		"http://%3127.0.0.1":                    "127.0.0.1",
		"http://[::ffff:7f00:1]:80/":            "127.0.0.1",
		"http://1.2.3.4.5":                      "",
		"http://256.1.1.1":                      "",
		"http://0x1_0/":                         "",
		"http://face.example":                   "",
		"ht\ttp://evil.example/x":               "evil.example",
		"http://127.0\n.0.1":                    "127.0.0.1",
		"https://ａpple.com":                     "apple.com",
		"https://apple.com∕x.evil.example":      "apple.xn--comx-id9a.evil.example",
		"https://a\u200bpple.com":               "apple.com",
	} {
		if got := lookalike.Host(address); got != want {
			t.Errorf("%s leads to %q, want %q", address, got, want)
		}
	}
	if got := lookalike.With("https://аpple.com"); got != "https://аpple.com (leads to xn--pple-43d.com)" {
		t.Error(got)
	}
	if got := lookalike.With("https://example.com"); got != "https://example.com" {
		t.Error(got)
	}
}

// Whatever the address, the host is readable ASCII.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{"https://аpple.com", "a@b", "https://%", "http://[::1%25а]", "xn--\u0430"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if host := lookalike.Host(address); strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("%q leads to %q", address, host)
		}
	})
}
