package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestSizesAndCounts(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{Size(0), "0 B"},
		{Size(999), "999 B"},
		{Size(1000), "1.0 kB"},
		{Size(12_345_678), "12.3 MB"},
		{ShellWord("a-b_c.1"), "a-b_c.1"},
		{ShellWord("it's"), `'it'\''s'`},
		{ShellWord(""), "''"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestAge(t *testing.T) {
	for _, tc := range []struct {
		ago  time.Duration
		want string
	}{
		{-time.Hour, "0s"}, // the clock was set back
		{59 * time.Second, "59s"},
		{time.Minute, "1m"},
		{90 * time.Minute, "1h"},
		{47 * time.Hour, "47h"},
		{49 * time.Hour, "2d"},
	} {
		if got := Age(wire.FormatTime(time.Now().Add(-tc.ago))); got != tc.want {
			t.Errorf("age of %v = %q, want %q", tc.ago, got, tc.want)
		}
	}
	if got := Age(""); got != "?" {
		t.Errorf("age of no time = %q, want ?", got)
	}
}

func TestTilde(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	t.Setenv("USERPROFILE", "/home/ann")
	for path, want := range map[string]string{
		"/home/ann": "~", "/home/ann/slug": "~/slug", "/home/anna": "/home/anna", "/srv/x": "/srv/x", "": "",
	} {
		if got := Tilde(path); got != want {
			t.Errorf("Tilde(%q) = %q, want %q", path, got, want)
		}
	}
}

// JSON on a terminal cannot control it, also not with characters that JSON allows.
func TestJSONCannotControlTheTerminal(t *testing.T) {
	var b strings.Builder
	if err := PrintJSON(&b, []map[string]string{{"name": "a\u009b31mb\x7f<é>"}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"a\u009b31mb\u007f<é>"}` + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// JSON at a terminal, or in a pipe to one, has no character that steers it or that nobody sees. Its value is
// the same.
func TestJSONIsPrintable(t *testing.T) {
	const hostile = "a\u009b\u009d\u202e\u2066\U000e0041\u200d\u2028\u00ad\x7f\u00a0é日\x1b\n\t\"\\"
	raw, err := json.Marshal(map[string]string{"k": hostile})
	if err != nil {
		t.Fatal(err)
	}
	got := PrintableJSON(raw)
	if strings.ContainsFunc(string(got), func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("it is not printable: %q", got)
	}
	var back map[string]string
	if err := json.Unmarshal(got, &back); err != nil || back["k"] != hostile {
		t.Errorf("the value is %q, %v; want %q", back["k"], err, hostile)
	}
	if got := PrintableJSON([]byte("{\"a\":\r\"x\x9b\"}")); string(got) != "{\"a\": \"x\\ufffd\"}" {
		t.Errorf("bytes that are no UTF-8 are printed as %q", got)
	}
}
