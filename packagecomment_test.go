package sidestick_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A package comment names every file of its package, so that a reader of comments alone
// finds the one to change. A file for one system counts as named with its pattern, as in
// claim_*.go.
func TestPackageCommentsNameTheirFiles(t *testing.T) {
	watchSources(t)
	for _, p := range listPackages(t) {
		dir := strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/"))
		files, comment, holder := packageFiles(t, "."+dir)
		if len(files) < 2 {
			continue
		}
		for _, name := range files {
			if name != "doc.go" && name != holder && !namedIn(comment, name) {
				t.Errorf("the package comment of .%s does not name %s", dir, name)
			}
		}
	}
}

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

// namedIn reports whether a comment names a file, or its kind, as in mem_*.go and *_rules.go.
func namedIn(comment, name string) bool {
	begin, end := strings.IndexByte(name, '_'), strings.LastIndexByte(name, '_')
	return strings.Contains(comment, name) ||
		begin > 0 && strings.Contains(comment, name[:begin]+"_*.go") || end > 0 && strings.Contains(comment, "*"+name[end:])
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
