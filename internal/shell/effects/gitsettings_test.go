package effects

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var settingsFiles = flag.Int("settings", 300, "how many files of settings TestSettingsAreReadAsGitReadsThem writes")

// TestSettingsAreReadAsGitReadsThem compares the settings of random files with those that
// git config lists. A long run:
//
//	go test ./internal/shell/effects -run TestSettings -settings 100000 -seed 2
func TestSettingsAreReadAsGitReadsThem(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Log("there is no git to compare with")
		return
	}
	w := rand.New(rand.NewPCG(*fuzzSeed, 7))
	file, understood := filepath.Join(t.TempDir(), "config"), 0
	for range *settingsFiles {
		text := randomSettings(w)
		settings, ok := gitSettings(text)
		if !ok {
			continue
		}
		understood++
		var want strings.Builder
		for _, s := range settings {
			want.WriteString(s.name())
			if !s.bare {
				want.WriteString("\n" + s.value)
			}
			want.WriteByte(0)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(git, "config", "--file", file, "--list", "--null").CombinedOutput()
		if err != nil || blanks(string(got)) != blanks(want.String()) {
			t.Errorf("%q: git reads %q, %v; we read %q", text, got, err, want.String())
		}
	}
	t.Logf("%d files, of which %d are understood", *settingsFiles, understood)
	if understood*4 < *settingsFiles {
		t.Errorf("only %d of %d files are understood, so the others prove little", understood, *settingsFiles)
	}
}

// blanks makes all blanks alike: a tab inside a value stays one since git 2.45.
func blanks(s string) string { return strings.ReplaceAll(s, "\t", " ") }

// randomSettings writes a file of settings. Most parts of it are correct.
func randomSettings(w *rand.Rand) string {
	of := func(right, odd string) string {
		choices := strings.Split(right, "~")
		if w.IntN(15) == 0 {
			choices = strings.Split(odd, "~")
		}
		return choices[w.IntN(len(choices))]
	}
	var b strings.Builder
	b.WriteString(of("", "\ufeff~x~\ufeff\ufeff") + of("[a]\n~[core]", "~\n"))
	for range 1 + w.IntN(6) {
		switch w.IntN(8) {
		case 0, 1:
			b.WriteString(of("[core]~[Core]~[remote \"a\"]~[remote  \"A b\"]~[a \"\\\"]\"]~[a\t\"\\\\\"]~[a \"]\"]~[x-1]~ [core] ~[core]#~[core];[b]~[a \"é\"]~[a \"x\\y\"]~[a \"#\"]",
				"[]~[a~[a ]~[a \"\"]~[a \"b\" ]~[1]~[-]~[é]~[a.b]~[a\"b\"]~[a \"b\nc\"]~[A.B \"c\"]~[a]]"))
			b.WriteString(of("\n~\n\t~ ~~\r\n", "\r~,"))
		case 2, 3, 4, 5:
			b.WriteString(of("a~key~Key-1~fsmonitor~url~a1", "-a~1a~a b~a.b~é~a_b"))
			if !strings.HasPrefix(of("=", "x"), "=") {
				b.WriteString(of("~ \n~\n", " #~ \\\n=~\n="))
				continue
			}
			b.WriteString(of(" = ~=~\t=\t~ =~ == ", "\r\n=~ \\\n= "))
			for range w.IntN(6) {
				b.WriteString(of("x~a b~\"x\"~\"x;y#\"~\\\"~\\\\~\\n~\\t~\\\n~\\\r\n~ ~  ~\t~!cmd~ext::x~é~$HOME~'~=~[~]~\"\\\n\"~\" \"~\"a \\\n b\"~\"\"", "\"~\\b~\\x~#c~;c~\r~\\~\x01~\x00"))
			}
			b.WriteString(of("\n~\n~\n\n~\r\n~# x \\\n~ ; c\"\n~ # \n", "~\r~\\"))
		default:
			b.WriteString(of("# c\n~; c \\\n~\n~   ~#\n~;\r\n~\t", "x~=~\\\n~#~]"))
		}
	}
	return b.String()
}
