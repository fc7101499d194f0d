package sidestick_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every package that starts a goroutine must be tested under the race detector: the list is
// in .ci/run, and new or moved packages must be added there.
func TestTheRaceListHasEveryPackageWithGoroutines(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(script), "\nconcurrent=(")
	list, _, closed := strings.Cut(rest, ")")
	if !found || !closed {
		t.Fatal(".ci/run has no list concurrent=(…)")
	}
	listed := strings.Fields(list)
	for _, name := range listed {
		if _, err := os.Stat(filepath.Join("internal", name)); err != nil {
			t.Errorf("concurrent in .ci/run lists %s, which is no package: %v", name, err)
		}
	}
	for _, name := range packagesWithGoroutines(t) {
		if !slices.Contains(listed, name) {
			t.Errorf("internal/%s starts goroutines; add %s to concurrent in .ci/run", name, name)
		}
	}
}

// packagesWithGoroutines returns the packages below internal whose code, without tests, has
// a go statement, or calls a function Go or AfterFunc.
func packagesWithGoroutines(t *testing.T) (names []string) {
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("internal", filepath.Dir(path))
		if err == nil && startsGoroutines(file) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func startsGoroutines(file *ast.File) (starts bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Go" || f.Sel.Name == "AfterFunc") {
				starts = true
			}
		}
		return !starts
	})
	return starts
}
