package sidestick_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// modernc.org/sqlite is C translated for one version of modernc.org/libc, which it names;
// with another version it may compile and then fail.
func TestLibcIsTheOneThatSQLiteNames(t *testing.T) {
	watchSources(t)
	goMod := aboutModule(t, "{{.GoMod}}", "modernc.org/sqlite")
	text, err := os.ReadFile(goMod)
	if err != nil {
		t.Fatal(err)
	}
	want := "modernc.org/libc " + aboutModule(t, "{{.Version}}", "modernc.org/libc") + "\n"
	if !strings.Contains(string(text), want) {
		t.Errorf("we use %sand %s names another", want, goMod)
	}
}

// aboutModule asks the go command about a module.
func aboutModule(t *testing.T, what, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", what, path).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}
