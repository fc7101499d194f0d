package state

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The state has no goroutine, no lock and no I/O: no file of it may import what gives
// one, or start a goroutine.
func TestTheStateIsPure(t *testing.T) {
	impure := []string{"os", "io", "io/fs", "net", "net/http", "sync", "sync/atomic", "context", "log/slog", "internal/vfs", "internal/eventlog/files"}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			for _, bad := range impure {
				if path == bad || strings.HasSuffix(path, "/"+bad) {
					t.Errorf("%s imports %s", f.Name(), path)
				}
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if _, starts := n.(*ast.GoStmt); starts {
				t.Errorf("%s starts a goroutine", f.Name())
			}
			return true
		})
	}
}
