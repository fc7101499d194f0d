package sandbox

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every limit of the packages that judge and confine commands has a comment, which says what
// happens at it or where its value comes from.
func TestEveryLimitHasAComment(t *testing.T) {
	limit := regexp.MustCompile(`^(?:max|most|protected|restricted)[A-Z]`)
	checked := 0
	for _, folder := range []string{".", "../permit", "../shell/effects", "../quarantine"} {
		sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatal(sources, err)
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				group, is := d.(*ast.GenDecl)
				if !is || group.Tok != token.CONST {
					continue
				}
				for _, s := range group.Specs {
					spec := s.(*ast.ValueSpec)
					if !limit.MatchString(spec.Names[0].Name) {
						continue
					}
					if checked++; group.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						t.Errorf("%s: %s has no comment: say what happens at it", source, spec.Names[0].Name)
					}
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d limits checked: were they renamed?", checked)
	}
}
