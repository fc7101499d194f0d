package effects_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

func TestReal(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, out := filepath.Join(top, "w"), filepath.Join(top, "out")
	for _, dir := range []string{w, out, filepath.Join(w, "src"), filepath.Join(w, "mixed")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(out, "secret"), filepath.Join(w, "src", "a.go"), filepath.Join(w, "star*")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"w/link": out, "w/up": "..", "w/loop": "loop", "w/new": filepath.Join(out, "new"), "w/chain": "new", "w/ok": "src", "w/mixed/a": filepath.Join(out, "secret"), "w/gone": "src/gone",
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for path, want := range map[string]string{
		"w/src/a.go": "w/src/a.go", "w/link": "out", "w/link/secret": "out/secret", "w/link/x/y": "out/x/y", "w/up/out/secret": "out/secret", "w/ok/a.go": "w/src/a.go",
		"w/new": "out/new", "w/chain": "out/new", "w/gone": "w/src/gone", "w/x/y/z": "w/x/y/z", "w/src/*.go": "w/src/*.go", "w/mixed/*": "out/secret", "w/*/secret": "out/secret",
		"w/ok/*": "w/src/*", "w/none/*": "w/none/*", "w/star*": "w/star*",
	} {
		if got := effects.RealPath(filepath.Join(top, path)); got != filepath.Join(top, want) {
			t.Errorf("Real(%s) = %s, want %s", path, got, filepath.Join(top, want))
		}
	}
	if got := effects.RealPath(filepath.Join(w, "loop")); got != "" {
		t.Errorf("a link to itself leads to %s", got)
	}
}
