package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// insert puts pauses into a file of Go. Everything stays in its line, so that a line that
// fails is that of the checkout.
func insert(name string, source []byte) (out []byte, points int, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil {
		return nil, 0, err
	}
	f := finder{test: strings.HasSuffix(name, "_test.go")}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.block(fn.Body.List, false)
		}
	}
	if len(f.at) == 0 {
		return source, 0, nil
	}
	slices.Sort(f.at)
	at := slices.Compact(f.at)
	var b bytes.Buffer
	done := set.Position(file.Name.End()).Offset
	b.Write(source[:done])
	b.WriteString(`; import "github.com/sidestick-dev/sidestick/internal/pauses"`)
	for _, pos := range at {
		here := set.Position(pos).Offset
		b.Write(source[done:here])
		b.WriteString("pauses.Some(); ")
		done = here
	}
	b.Write(source[done:])
	return b.Bytes(), len(at), nil
}

// finder collects where pauses go.
type finder struct {
	test bool
	at   []token.Pos
}

// block walks statements; looped says that they are in a loop. Code between Lock and
// Unlock is not changed.
func (f *finder) block(list []ast.Stmt, looped bool) {
	held := false
	for _, s := range list {
		if !held && f.meets(s, looped) {
			f.at = append(f.at, s.Pos())
		}
		switch called(s) {
		case "Lock", "RLock":
			held = true
		case "Unlock", "RUnlock":
			held = false
		}
		if !held {
			f.inside(s, looped)
		}
	}
}

// inside walks the blocks of a statement.
func (f *finder) inside(s ast.Node, looped bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			f.block(n.Body.List, true)
			return false
		case *ast.RangeStmt:
			f.block(n.Body.List, true)
			return false
		case *ast.BlockStmt:
			f.block(n.List, looped)
			return false
		case *ast.CaseClause:
			f.block(n.Body, looped)
			return false
		case *ast.CommClause:
			if len(n.Body) > 0 { // after what was received
				f.at = append(f.at, n.Body[0].Pos())
			}
			f.block(n.Body, looped)
			return false
		}
		return true
	})
}

// meets reports whether a statement is one at which goroutines meet. Each step of a test
// is, but not in loops: those take long enough.
func (f *finder) meets(s ast.Stmt, looped bool) bool {
	switch s := s.(type) {
	case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt:
		return true
	case *ast.ExprStmt:
		u, ok := s.X.(*ast.UnaryExpr)
		return ok && u.Op == token.ARROW || called(s) == "Lock" || f.test && !looped
	case *ast.AssignStmt, *ast.IfStmt, *ast.RangeStmt, *ast.ForStmt:
		return f.test && !looped
	}
	return false
}

// called is the name of the method that a statement calls, "" for anything else.
func called(s ast.Stmt) string {
	if e, ok := s.(*ast.ExprStmt); ok {
		if call, ok := e.X.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				return sel.Sel.Name
			}
		}
	}
	return ""
}
