// Package golden compares what a test has made with a file of the repository, for tests whose result is a
// text: rows of the terminal, a table of a page. With the flag -update of `go test` it writes the file
// instead.
package golden

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files, and the tables of pages, anew")

// Text compares a text with testdata/name.golden.
func Text(t testing.TB, name, got string) {
	t.Helper()
	File(t, filepath.Join("testdata", name+".golden"), got)
}

// File compares a text with a file.
func File(t testing.TB, path, got string) {
	t.Helper()
	if diff := cmp.Diff(Read(t, path, got), got); diff != "" {
		t.Errorf("%s (-want +got), -update takes it:\n%s", path, diff)
	}
}

// Read returns the content of a file; with -update it is written first, with what the test has made.
func Read(t testing.TB, path, got string) string {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(want)
}

// Part compares a text with the part of a page between the first begin and the end that follows it.
func Part(t testing.TB, page, begin, end, got string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	found, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no %q with %q after it", page, begin, end)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+got+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(found, got); diff != "" {
		t.Errorf("%s (-page +program), -update writes it:\n%s", page, diff)
	}
}
