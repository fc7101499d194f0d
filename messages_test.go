package sidestick_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// source is a file of code that is no test.
type source struct {
	name string
	file *ast.File
}

// sources parses the code of the program: no tests, no other modules.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	set := token.NewFileSet()
	for _, root := range []string{"cmd", "internal", "extension"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return err
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			all = append(all, source{path, file})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestTroubleshootingQuotesTheCode: every message of docs/troubleshooting.md is in the
// code. Where a message has a name or a number in it, the page has "…"; the parts
// around it must be in one text of the code, in that order.
func TestTroubleshootingQuotesTheCode(t *testing.T) {
	page, err := os.ReadFile("docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := allTexts(t)
	messages := 0
	for row := range strings.Lines(string(page)) {
		quote := regexp.MustCompile("^\\| `([^`]+)` \\| ").FindStringSubmatch(row)
		if quote == nil {
			continue
		}
		messages++
		if !inOrder(texts, strings.Split(quote[1], "…")) {
			t.Errorf("docs/troubleshooting.md quotes a message that is not in the code: %s", quote[1])
		}
	}
	if messages < 30 {
		t.Errorf("docs/troubleshooting.md has %d messages; was the form of its tables changed?", messages)
	}
}

// allTexts returns every string in the code; strings joined by + count as one.
func allTexts(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text := joined(e)
			if text != "" {
				texts = append(texts, text)
			}
			return text == ""
		})
	}
	return texts
}

// joined returns the text of a literal or of a concatenation; operands that are not literals
// are skipped; "" for any other expression.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return joined(e.X) + joined(e.Y)
		}
	}
	return ""
}

func inOrder(texts, parts []string) bool {
	for _, text := range texts {
		found := true
		for _, part := range parts {
			_, after, ok := strings.Cut(text, part)
			text, found = after, found && ok
		}
		if found {
			return true
		}
	}
	return false
}
