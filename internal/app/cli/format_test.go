package cli

import (
	"strings"
	"testing"
	"time"

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
