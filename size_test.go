package sidestick_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits of one file and of one function, in lines, comments and blank lines
// included. Source: the house rules in CONTRIBUTING.md.
const (
	mostFileLines     = 500
	mostFunctionLines = 60
)

// TestFilesAndFunctionsAreShort measures every Go file of the repository: tests and the
// modules bench, tools and e2e/sdks too, what is below a testdata folder not.
func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, name := range goFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if n := set.File(file.FileStart).LineCount() - 1; n > mostFileLines {
			t.Errorf("%s has %d lines; at most %d. It is more than one subject.", name, n, mostFileLines)
		}
		for at, n := range functionLines(set, file) {
			if n > mostFunctionLines {
				t.Errorf("%s:%d: this function has %d lines; at most %d.", name, at, n, mostFunctionLines)
			}
		}
	}
}

// functionLines returns the length of every function of a file under the line where it
// begins: declared ones, and function literals outside of them. One that only returns a
// literal, such as a table that is made on first use, is data and not counted.
func functionLines(set *token.FileSet, file *ast.File) map[int]int {
	lines := map[int]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if returnsLiteral(n.Body) {
				return false
			}
			begin, end := set.Position(n.Pos()).Line, set.Position(n.End()).Line
			lines[begin] = end - begin + 1
			return false
		case *ast.FuncDecl:
			begin, end := set.Position(n.Pos()).Line, set.Position(n.End()).Line
			lines[begin] = end - begin + 1
			return false
		}
		return true
	})
	return lines
}

func returnsLiteral(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	_, ok = r.Results[0].(*ast.CompositeLit)
	return ok
}

// goFiles returns the paths of all Go files, with slashes.
func goFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata"}, d.Name()):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			names = append(names, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil || len(names) < 500 {
		t.Fatalf("found %d Go files, %v", len(names), err)
	}
	return names
}
