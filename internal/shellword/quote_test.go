package shellword_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shellword"
)

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"a-b_c.1": "a-b_c.1", "": "''", "it's": `'it'\''s'`, "$(id)": "'$(id)'", "a\n? b\t\x1b7\\'": `$'a\n? b\t\0337\\\''`,
	} {
		if got := shellword.Quote(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
	if got, want := shellword.Argument("-rf ~"), "-- '-rf ~'"; got != want {
		t.Errorf("a text that looks like a flag is %s, want %s", got, want)
	}
}

// A shell reads a quoted text as what it was, and the text stays on its line.
func TestAShellReadsTheTextBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for _, text := range []string{"", "a b", "it's", "$(touch x) `id` ; \"", "a\nb\\n'\r\x1b0\x7f9", "ä ☀", "!x *?"} {
		word := shellword.Quote(text)
		out, err := exec.Command(bash, "-c", "printf %s "+word).Output()
		if err != nil || string(out) != text || strings.ContainsAny(word, "\n\r\x1b") {
			t.Errorf("%q is quoted as %q, which a shell reads as %q (%v)", text, word, out, err)
		}
	}
}
