package sidestick_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const architecturePage = "docs/architecture.md"

// TestArchitecturePageHasEveryRoom compares the table of packages in docs/architecture.md
// with the one in arch_test.go, in both directions.
func TestArchitecturePageHasEveryRoom(t *testing.T) {
	written := map[string]int{} // the layer of each package on the page, by its name
	row := regexp.MustCompile("(?m)^\\| (`.*?) \\| ([0-9]+) \\| ")
	for _, m := range row.FindAllStringSubmatch(readPage(t, architecturePage), -1) {
		layer, _ := strconv.Atoi(m[2])
		for _, name := range codeSpans(m[1]) {
			written[name] = layer
		}
	}
	for _, r := range rooms {
		name := strings.TrimPrefix(r.path, "internal/")
		if name == "" {
			name = "."
		}
		layer, found := written[name]
		switch {
		case !found:
			t.Errorf("%s has no row for %s", architecturePage, name)
		case layer != r.layer:
			t.Errorf("%s: %s is in layer %d; arch_test.go has %d", architecturePage, name, layer, r.layer)
		}
		delete(written, name)
	}
	for name := range written {
		t.Errorf("%s has a row for %s, which is not in arch_test.go", architecturePage, name)
	}
}

// TestArchitecturePageNamesWhatExists checks every code span of docs/architecture.md that
// looks like a Go file (turn/tools.go) or a Go name (turn.Run, Session.Send,
// server.(*conn).handle). Methods of the wire and event types are not Go names: their
// last part is in small letters.
func TestArchitecturePageNamesWhatExists(t *testing.T) {
	files := goFiles(t)
	names := declaredNames(t, files)
	goName := regexp.MustCompile(`^[A-Za-z]\w*(\.\(\*\w+\)\.\w+|(\.[a-z]\w*)*(\.[A-Z]\w*)+)$`)
	for _, span := range codeSpans(readPage(t, architecturePage)) {
		switch {
		case strings.HasSuffix(span, ".go") && span != ".go":
			if !hasFile(files, span) {
				t.Errorf("%s names the file %s, which does not exist", architecturePage, span)
			}
		case goName.MatchString(span):
			if !names[strings.NewReplacer("(*", "", ")", "").Replace(span)] {
				t.Errorf("%s names %s, which does not exist", architecturePage, span)
			}
		}
	}
}

// codeSpans returns what stands between backquotes on one line.
func codeSpans(text string) []string {
	var spans []string
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

func hasFile(files []string, name string) bool {
	for _, f := range files {
		if f == name || strings.HasSuffix(f, "/"+name) {
			return true
		}
	}
	return false
}

// declaredNames returns package.Name for everything declared outside of tests, and for
// methods and fields package.Type.Name and Type.Name.
func declaredNames(t *testing.T, files []string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			for _, name := range namesOf(d) {
				names[file.Name.Name+"."+name] = true
				if strings.Contains(name, ".") {
					names[name] = true
				}
			}
		}
	}
	return names
}

// namesOf returns what a declaration declares: Name, and Type.Name of methods and fields.
func namesOf(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{receiver(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
				for _, member := range membersOf(spec.Type) {
					names = append(names, spec.Name.Name+"."+member)
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// membersOf returns the fields of a struct or the methods of an interface.
func membersOf(e ast.Expr) []string {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil
	}
	var names []string
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
