package sidestick_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const securityPage = "SECURITY.md"

// The page promises nothing without a test: each row of the section "What is promised" names, in its last
// column, tests that exist. A test of a function is `package.TestName`, and a recorded conversation or terminal
// session is `package/testdata/….txtar` or `….txt`; the names of packages leave out internal/.
func TestEveryPromiseHasATest(t *testing.T) {
	_, section, found := strings.Cut(readPage(t, securityPage), "\n## What is promised\n")
	if !found {
		t.Fatalf("%s has no section: What is promised", securityPage)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.Contains(line, "| Promise |") || strings.HasPrefix(line, "| Promise ") {
			continue
		}
		rows++
		tests := codeSpans(cells[len(cells)-1])
		if len(tests) == 0 {
			t.Errorf("%s: a row names no test: %s", securityPage, cells[0])
		}
		for _, name := range tests {
			if !testExists(t, name) {
				t.Errorf("%s names the test %s, which does not exist", securityPage, name)
			}
		}
	}
	if rows == 0 {
		t.Errorf("%s promises nothing", securityPage)
	}
}

// testExists says whether there is such a test, by the names of [TestEveryPromiseHasATest].
func testExists(t *testing.T, name string) bool {
	t.Helper()
	inFolder := func(folder string) string {
		if strings.HasPrefix(folder, "e2e") || folder == "extension" || folder == "." {
			return folder
		}
		return filepath.Join("internal", folder)
	}
	if strings.Contains(name, "/testdata/") {
		_, err := os.Stat(inFolder(name))
		return err == nil
	}
	folder, function, found := strings.Cut(name, ".Test")
	if !found {
		return false
	}
	files, err := filepath.Glob(filepath.Join(inFolder(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^func (Test|Fuzz)` + regexp.QuoteMeta(function) + `\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if declaration.Match(text) {
			return true
		}
	}
	return false
}
