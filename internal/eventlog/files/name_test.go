package files

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestFolder(t *testing.T) {
	for _, tc := range []struct{ rule, session, want string }{
		{"plain ids are their own name", "0190c6e4-7a3b_A.z", "0190c6e4-7a3b_A.z"},
		{"a dot inside is plain", "a..b", "a..b"},
		{"a dot in front would hide it", ".git", "%2Egit"},
		{"and is how our own folders begin", ".deleted", "%2Edeleted"},
		{"a dot at the end is dropped by Windows", "a.", "a%2E"},
		{"the folder itself", ".", "%2E"},
		{"a space", "my session ", "my%20session%20"},
		{"the escape itself", "a%20b", "a%2520b"},
		{"a drive or a stream on Windows", "c:x", "c%3Ax"},
		{"beyond ASCII", "é日", "%C3%A9%E6%97%A5"},
		{"a device of Windows", "CON", "%43ON"},
		{"in any case, with any extension", "nul.tar.gz", "%6Eul.tar.gz"},
		{"a port", "Com7", "%43om7"},
		{"not a device", "console", "console"},
		{"not a port", "COM10", "COM10"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			got, err := folder("test", tc.session)
			if got != tc.want || err != nil {
				t.Errorf("folder(%q) = %q, %v; want %q", tc.session, got, err, tc.want)
			}
			if back, ok := sessionOf(got); back != tc.session || !ok {
				t.Errorf("sessionOf(%q) = %q, %v; want %q", got, back, ok, tc.session)
			}
		})
	}
}

func TestRefusedIDs(t *testing.T) {
	for _, session := range []string{
		"", "..", "a/b", "/", `a\b`, "../a", "a\x00", "a\nb", "\x1b[31m", "\u2028", "a\u200bb", "\xff",
		strings.Repeat("x", maxID+1), strings.Repeat("日", 40),
	} {
		if name, err := folder("test", session); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("folder(%q) = %q, %v; want invalid", session, name, err)
		}
	}
}

func TestNamesThatAreNoSession(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".deleted", "a%20b%2", "%41", "a%2eb", "a b", "%2F", "CON", "a%3ab"} {
		if session, ok := sessionOf(name); ok {
			t.Errorf("sessionOf(%q) = %q, want none", name, session)
		}
	}
}

// FuzzName checks that a name decodes to its own session only, and that it is a single
// plain element of a path.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a", "..", "lpt1.x", "a%", "日本", ". ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, session string) {
		name, err := folder("test", session)
		if err != nil {
			return
		}
		if back, ok := sessionOf(name); back != session || !ok {
			t.Errorf("%q becomes %q becomes %q, %v", session, name, back, ok)
		}
		if !filepath.IsLocal(name) || name[0] == '.' || strings.Trim(name, "%.-_0123456789"+letters) != "" || len(name) > maxName {
			t.Errorf("%q becomes %q", session, name)
		}
	})
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
