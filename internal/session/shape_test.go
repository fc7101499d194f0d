package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A Session stays small: what grows becomes a value of its own. The bounds of this test and
// of the next are those of the house; do not raise them.
func TestTheSessionStaysSmall(t *testing.T) {
	const maxFields = 20
	if n := reflect.TypeFor[Session]().NumField(); n > maxFields {
		t.Errorf("Session has %d fields, want %d at most", n, maxFields)
	}
	for field := range reflect.TypeFor[Session]().Fields() {
		if field.Anonymous {
			t.Errorf("%s is embedded: its fields and methods would be the session's", field.Name)
		}
	}
}

// The package stays small as a whole: what grows becomes a package of its own, as those below this one are.
func TestThePackageStaysSmall(t *testing.T) {
	const maxFiles, maxLines = 45, 8000
	files, lines := 0, 0
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, lines = files+1, lines+strings.Count(string(text), "\n")
	}
	if files > maxFiles || lines > maxLines || files == 0 {
		t.Errorf("the package has %d files and %d lines, want %d and %d at most", files, lines, maxFiles, maxLines)
	}
}

// No type of package session, or of a package below it, has many methods: a type that does
// several jobs is split by the state that each job owns. The test knows no exceptions.
func TestNoTypeHasManyMethods(t *testing.T) {
	const maxMethods = 60
	methods := methodsByType(t)
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, want %d at most", name, n, maxMethods)
		}
	}
	const maxOfSession = 50
	if n := methods["Session"]; n > maxOfSession {
		t.Errorf("Session has %d methods, want %d at most", n, maxOfSession)
	}
	for _, name := range []string{"Session", "approval/Permissions", "approval/Requests", "approval/policy"} {
		if methods[name] < 10 {
			t.Errorf("%s has %d methods: the test does not see it", name, methods[name])
		}
	}
}

// methodsByType counts the methods of the types in this folder and below it. The name of a
// type begins with its folder, such as "approval/Permissions".
func methodsByType(t *testing.T) map[string]int {
	t.Helper()
	method := regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)(?:\[[^]]*\])?\) `)
	methods := map[string]int{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range method.FindAllSubmatch(text, -1) {
			methods[filepath.ToSlash(filepath.Join(filepath.Dir(path), string(found[1])))]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return methods
}
