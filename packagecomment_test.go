package sidestick_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A package comment names only files that exist.
func TestPackageCommentsNameNoOtherFiles(t *testing.T) {
	files := goFiles(t)
	named := regexp.MustCompile(`[\w*/]*\w\.go\b`)
	for _, p := range listPackages(t) {
		dir := strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/"))
		_, comment, _ := packageFiles(t, "."+dir)
		for _, name := range named.FindAllString(comment, -1) {
			if !strings.Contains(name, "*") && !hasFile(files, name) {
				t.Errorf("the package comment of .%s names %s, which does not exist", dir, name)
			}
		}
	}
}

// packageFiles returns the files of a package, tests apart, its comment, and the file that
// holds it.
func packageFiles(t *testing.T, dir string) (files []string, comment, holder string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)((?:^//.*\n)+)^package `)
	for _, path := range all {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files = append(files, filepath.Base(path))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := found.FindStringSubmatch(string(text)); m != nil {
			comment, holder = m[1], filepath.Base(path)
		}
	}
	return files, comment, holder
}

// The names that a package comment puts in parentheses after a file, as in tools.go (offered,
// usable), are in that file. So a comment cannot name a function that has moved away.
func TestPackageCommentsNameWhatIsThere(t *testing.T) {
	pairs := regexp.MustCompile(`([\w/]+\.go) \((\w+(?:, \w+)*)\)`)
	checked := 0
	for _, p := range listPackages(t) {
		dir := strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/"))
		_, comment, _ := packageFiles(t, "."+dir)
		for _, m := range pairs.FindAllStringSubmatch(strings.ReplaceAll(comment, "\n// ", " "), -1) {
			source := ""
			for _, at := range []string{"." + dir, "internal", "."} {
				if b, err := os.ReadFile(filepath.Join(at, m[1])); err == nil {
					source = strings.ToLower(string(b))
					break
				}
			}
			for _, name := range strings.Split(m[2], ", ") {
				if checked++; !strings.Contains(source, strings.ToLower(name)) {
					t.Errorf("the package comment of .%s says %s (%s), and %s is not there", dir, m[1], m[2], name)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d names checked: the pattern no longer fits the comments", checked)
	}
}
