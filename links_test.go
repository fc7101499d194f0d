package sidestick_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksLeadSomewhere checks that the target of every link to a file or a heading of the
// checkout exists.
func TestLinksLeadSomewhere(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		pages = append(pages, found...)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			at := page
			if target != "" {
				at = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(at); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if heading != "" && !anchors(readPage(t, at))[heading] {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchors returns the anchors of a page's headings: letters, digits, hyphens and underscores
// in lower case, with hyphens for spaces.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	drop := regexp.MustCompile(`[^a-z0-9_ -]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		all[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}
