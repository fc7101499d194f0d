//go:build linux

package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// A command can make protected names anywhere. The next sandbox protects them, and starts.
func TestNamesThatACommandMakesDoNotKeepSandboxesFromStarting(t *testing.T) {
	many := func() (names []string) {
		for i := range 2500 {
			names = append(names, fmt.Sprintf("d%d/.envrc", i))
		}
		return names
	}
	for name, made := range map[string][]string{
		"no UTF-8":     {"a\xff/.envrc", "\xfe\xff/b/.vscode/x", "ok/\xff/.git/config"},
		"a line break": {"a\nb/.envrc", "a\\b/.envrc", "a b/\t/.envrc", "a\u2028/.envrc", "\u3000/.envrc"},
		"many":         many(),
		"a long path":  {strings.Repeat("a", 200) + "/" + strings.Repeat("b", 200) + "/.envrc"},
	} {
		t.Run(name, func(t *testing.T) {
			work, _ := world(t)
			tree(t, work, append(made, ".envrc")...)
			b := host(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
			defer b.Close()
			p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true, ProtectNames: []string{".vscode", ".envrc"}}
			for _, file := range append(made[:min(2, len(made))], ".envrc") {
				if out, _ := bash(t, b, p, "{ echo x > "+quoted(file)+" && echo written; } 2>/dev/null; cat "+quoted(file)); out != "hunter2" {
					t.Errorf("%q: %s", file, out)
				}
			}
			// Where the names are too many to be covered one by one, the folder is covered as a whole.
			if out, code := bash(t, b, p, "mkdir x 2>/dev/null && echo ok"); (out == "ok\n") != (name != "many") {
				t.Errorf("%d: %s", code, out)
			}
		})
	}
}

// quoted writes a name as a word of bash.
func quoted(name string) string {
	word := ""
	for _, c := range []byte(name) {
		word += fmt.Sprintf(`\x%02x`, c)
	}
	return "$'" + word + "'"
}
