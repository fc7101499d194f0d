package sidestick_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readers are the functions that read a variable whose name is their first argument.
var readers = []string{"getenv", "Getenv", "LookupEnv", "env.get"}

// readByLibrary lists the variables that functions of the standard library read.
var readByLibrary = map[string][]string{
	"http.ProxyFromEnvironment": {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"},
	"exec.LookPath":             {"PATH"},
	"os.UserHomeDir":            {"HOME", "USERPROFILE"},
	"os.TempDir":                {"TMPDIR"},
}

// namedElsewhere are arguments that are not literals: a flag holds the name of the variable,
// and the flag has a row.
var namedElsewhere = []string{"c.tokenEnv", "variable", "name"}

// TestSettingsPageHasEveryVariable compares the table of docs/flags.md with every
// place in the code that reads an environment variable. The flags are compared by
// TestSettingsPageHasEveryFlag of package app.
func TestSettingsPageHasEveryVariable(t *testing.T) {
	page, err := os.ReadFile("docs/flags.md")
	if err != nil {
		t.Fatal(err)
	}
	read, documented := map[string]string{}, map[string]bool{}
	for _, s := range sources(t) {
		if room, _ := findRoom(filepath.ToSlash(filepath.Dir(s.name))); room.helper {
			continue // it is a part of tests
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, name := range variablesOf(t, s, n) {
				read[name] = s.name
			}
			return true
		})
	}
	quoted := regexp.MustCompile("`([A-Z][A-Z_]+)`")
	for row := range strings.Lines(string(page)) {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		if !strings.HasPrefix(row, "| ") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(names, -1) {
			documented[name[1]] = true
			if read[name[1]] == "" {
				t.Errorf("docs/flags.md has a row for %s, which nothing reads", name[1])
			}
		}
	}
	for name, where := range read {
		if !documented[name] {
			t.Errorf("docs/flags.md has no row for %s, which %s reads", name, where)
		}
	}
}

// variablesOf returns the variables that one expression reads.
func variablesOf(t *testing.T, s source, n ast.Node) []string {
	t.Helper()
	switch n := n.(type) {
	case *ast.SelectorExpr:
		return readByLibrary[text(n)]
	case *ast.KeyValueExpr: // of the tables in internal/config/vendor.go and keytable.go
		if key := text(n.Key); key != "keyVariables" && key != "addressVariables" && key != "Variables" {
			return nil
		}
		var names []string
		ast.Inspect(n.Value, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				name, _ := strconv.Unquote(lit.Value)
				names = append(names, name)
			}
			return true
		})
		return names
	case *ast.CallExpr:
		called := text(n.Fun)
		if len(n.Args) == 0 || !slices.ContainsFunc(readers, func(r string) bool { return called == r || strings.HasSuffix(called, "."+r) }) {
			return nil
		}
		if lit, ok := n.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			name, _ := strconv.Unquote(lit.Value)
			return []string{name}
		}
		if !slices.Contains(namedElsewhere, text(n.Args[0])) {
			t.Errorf("%s: %s(%s) reads a variable whose name this test cannot tell; use a literal", s.name, called, text(n.Args[0]))
		}
	}
	return nil
}

// text returns an identifier, or identifiers joined by dots; "" for anything else.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	}
	return ""
}
