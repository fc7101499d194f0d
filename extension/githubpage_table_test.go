package extension_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGitHubPageTable reads the table of testdata/githubpage.md: the tests and fixtures that it
// names exist, and each test of a statement stands in it.
func TestGitHubPageTable(t *testing.T) {
	page, err := os.ReadFile("testdata/githubpage.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(page), "\n| "); rows < 40 {
		t.Fatalf("the table has %d rows, want one for each statement", rows)
	}
	tests := testsBelow(t, "..")
	named := map[string]bool{}
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		if !strings.HasPrefix(row, "| ") || cells[0] == "The page says" {
			continue
		}
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 2 || len(names) == 0 {
			t.Errorf("nothing holds: %s", row)
		}
		for _, n := range names {
			named[n[1]] = true
			if !tests[n[1]] && !isFixture(n[1]) {
				t.Errorf("there is no test or fixture %s, of: %s", n[1], row)
			}
		}
	}
	for name := range tests {
		if strings.HasPrefix(name, "TestGitHubPage") && name != "TestGitHubPageTable" && !named[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func isFixture(name string) bool {
	found, err := filepath.Glob("testdata/re*s/" + name)
	return err == nil && len(found) == 1 && filepath.Ext(name) != ".want"
}

// testsBelow returns the names of all tests below a folder.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
