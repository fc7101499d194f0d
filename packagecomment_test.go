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
		comment := packageComment(t, "."+dir)
		for _, name := range named.FindAllString(comment, -1) {
			if !strings.Contains(name, "*") && !hasFile(files, name) {
				t.Errorf("the package comment of .%s names %s, which does not exist", dir, name)
			}
		}
	}
}

// A package comment says what the package is for and how to begin. A list of its files would be
// out of date at the next commit, and the folder shows it.
func TestPackageCommentsListNoFiles(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^//\s+(?:- )?[\w/*]*\w\.go(?:, [\w/*]*\w\.go)*:`)
	for _, p := range listPackages(t) {
		dir := strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/"))
		if found := entry.FindAllString(packageComment(t, "."+dir), -1); len(found) > 1 {
			t.Errorf("the package comment of .%s lists files: %q", dir, found)
		}
	}
}

// packageComment returns the comment of the package in dir, "" if it has none. Two comments are one too many:
// no reader knows which one holds.
func packageComment(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)((?:^//.*\n)+)^package `)
	comment, in := "", ""
	for _, path := range all {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := found.FindStringSubmatch(string(text)); m != nil {
			if in != "" {
				t.Errorf("%s and %s both have a comment of the package", in, path)
			}
			comment, in = m[1], path
		}
	}
	return comment
}

// The names that a package comment puts in parentheses after a file, as in tools.go (offered,
// usable), are in that file. So a comment cannot name a function that has moved away.
func TestPackageCommentsNameWhatIsThere(t *testing.T) {
	pairs := regexp.MustCompile(`([\w/]+\.go) \((\w+(?:, \w+)*)\)`)
	for _, p := range listPackages(t) {
		dir := strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/"))
		comment := packageComment(t, "."+dir)
		for _, m := range pairs.FindAllStringSubmatch(strings.ReplaceAll(comment, "\n// ", " "), -1) {
			source := ""
			for _, at := range []string{"." + dir, "internal", "."} {
				if b, err := os.ReadFile(filepath.Join(at, m[1])); err == nil {
					source = strings.ToLower(string(b))
					break
				}
			}
			for _, name := range strings.Split(m[2], ", ") {
				if !strings.Contains(source, strings.ToLower(name)) {
					t.Errorf("the package comment of .%s says %s (%s), and %s is not there", dir, m[1], m[2], name)
				}
			}
		}
	}
}
