package effects_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// linked makes a folder with links in and out of w, and returns it.
func linked(t *testing.T) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"out", "w/src/deep", "w/mixed", "w/two", "w/bad", "w/odd"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"out/secret", "w/src/a.go", "w/star*", "w/odd/*", "w/odd/-x", "w/mixed/b"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"w/link": "../out", "w/up": "..", "w/loop": "loop", "w/new": top + "/out/new", "w/chain": "new", "w/ok": "src", "w/down": "src/deep",
		"w/mixed/a": top + "/out/secret", "w/gone": "src/gone", "w/two/a": "../src/a.go", "w/two/b": top + "/out/secret", "w/two/c.x": top + "/out/none",
		"w/bad/a": "a", "w/odd/a": top + "/out/secret", "w/src/deep/up": top + "/w",
	} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal("this test needs symbolic links:", err)
		}
	}
	return top
}

func TestRealPath(t *testing.T) {
	top := linked(t)
	for path, want := range map[string]string{
		"w/src/a.go": "w/src/a.go", "w/link": "out", "w/link/secret": "out/secret", "w/link/x/y": "out/x/y", "w/up/out/secret": "out/secret", "w/ok/a.go": "w/src/a.go",
		"w/new": "out/new", "w/chain": "out/new", "w/gone": "w/src/gone", "w/x/y/z": "w/x/y/z", "w/star*": "w/star*", "w/src/*": "w/src/*",
		"w/link/../x": "x", "w/down/../x": "w/src/x", "w/down/../../x": "w/x", "w/src/deep/up/../x": "x", "w/./src//a.go": "w/src/a.go", "w/none/../x": "w/x",
		"w/link/.": "out", "w/src/a.go/x": "w/src/a.go/x", "w/" + strings.Repeat("n", 300): "w/" + strings.Repeat("n", 300), "w/loop": "", "w/loop/../x": "", "w/up/../" + filepath.Base(top) + "/w/link/..": ".",
	} {
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got := effects.RealPath(top + "/" + path); got != want {
			t.Errorf("RealPath(%s) = %s, want %s", path, got, want)
		}
	}
}

// All matches of a pattern count, not only the first one that leads elsewhere.
func TestRealPathsFollowsEveryMatch(t *testing.T) {
	top := linked(t)
	for path, want := range map[string]string{
		"w/src/*.go": "w/src/*.go", "w/mixed/*": "w/mixed/* out/secret", "w/*/secret": "w/*/secret out/secret secret", "w/ok/*": "w/src/*", "w/ok/*/up/src": "w/src/*/up/src w/src",
		"w/none/*": "w/none/*", "w/star*": "w/star*", "w/two/*": "w/two/* w/src/a.go out/secret out/none", "w/two/?.x": "w/two/?.x out/none",
		"w/two/[!ac]": "w/two/[!ac] w/src/a.go out/secret out/none", "w/two/[[:alpha:]]": "w/two/[[:alpha:]] w/src/a.go out/secret out/none",
		"w/two/[a\\]b]": "w/two/[a\\]b] w/src/a.go out/secret out/none", "w/odd/*": "w/odd/* out/secret", "w/tw*/b": "w/tw*/b out/secret",
		"w/u*/out/s*": "w/u*/out/s* out/secret", "w/bad/*": "w/bad/*", "w/bad/a": "", "w/loop/*": "",
	} {
		var all []string
		for _, p := range effects.RealPaths(top + "/" + path) {
			p, _ = filepath.Rel(top, p)
			all = append(all, p)
		}
		for _, p := range strings.Fields(want) {
			if !slices.Contains(all, p) {
				t.Errorf("RealPaths(%s) = %q, which has not %s", path, all, p)
			}
		}
		if want == "" && all != nil {
			t.Errorf("RealPaths(%s) = %q, but a part of it is a link to itself", path, all)
		}
	}
}

// A folder with more files than can be looked at is not known.
func TestRealPathsIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 70 {
		if err := os.MkdirAll(filepath.Join(dir, "d", strings.Repeat("x", i+1)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := effects.RealPaths(dir + "/d/*"); len(got) != 1 {
		t.Errorf("a pattern with 70 matches leads to %q", got)
	}
	for i := range 70 {
		if err := os.Symlink(dir+"/d", filepath.Join(dir, "d", strings.Repeat("y", i+1))); err != nil {
			t.Fatal("this test needs symbolic links:", err)
		}
	}
	if got := effects.RealPaths(dir + "/d/*/*/*"); got != nil {
		t.Errorf("a pattern with %d matches is followed", 140*140)
	}
}

// A match that looks like an option may make a program do more: grep -Re follows links. Patterns
// such as *.go are clear only while no file has such a name.
func TestAPatternThatMatchesAnOption(t *testing.T) {
	for _, command := range []string{"grep foo *.go", "wc -l *.go"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.go"), "")
		expect(t, "before", command, dir, false)
		write(t, filepath.Join(dir, "-Re.go"), "")
		expect(t, "with an option", command, dir, true)
	}
}
