package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page lists every limit of the packages that judge and confine commands, with what happens
// at it, and no other one.
func TestThePageListsEveryLimit(t *testing.T) {
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	listed, exists := map[string]bool{}, map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(sandbox|permit|effects|quarantine)` \\| `([a-zA-Z]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		listed[row[1]+"."+row[2]] = true
	}
	limit := regexp.MustCompile(`(?m)^(?:const |\t)((?:max|most|protected|restricted)[A-Z][A-Za-z]*) += `)
	for name, folder := range map[string]string{"sandbox": ".", "permit": "../permit", "effects": "../shell/effects", "quarantine": "../quarantine"} {
		sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatal(sources, err)
		}
		for _, source := range sources {
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			for _, found := range limit.FindAllStringSubmatch(string(text), -1) {
				if !listed[name+"."+found[1]] {
					t.Errorf("docs/limits.md has no row for %s of package %s: say what happens at it", found[1], name)
				}
				exists[name+"."+found[1]] = true
			}
		}
	}
	for name := range listed {
		if !exists[name] {
			t.Errorf("docs/limits.md has a row for %s, which does not exist", name)
		}
	}
}
