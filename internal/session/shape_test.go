package session

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A Session stays small: what grows becomes a value of its own. The bounds are those of
// the house; do not raise them.
func TestTheSessionStaysSmall(t *testing.T) {
	const maxMethods, maxFields = 60, 25
	if n := reflect.TypeFor[Session]().NumField(); n > maxFields {
		t.Errorf("Session has %d fields, want %d at most", n, maxFields)
	}
	methods := 0
	for name, source := range sources(t) {
		if !strings.HasSuffix(name, "_test.go") {
			methods += len(regexp.MustCompile(`(?m)^func \(\w+ \*?Session\) `).FindAllString(source, -1))
		}
	}
	if methods < 10 || methods > maxMethods {
		t.Errorf("Session has %d methods, want %d at most", methods, maxMethods)
	}
	for field := range reflect.TypeFor[Session]().Fields() {
		if field.Anonymous {
			t.Errorf("%s is embedded: its fields and methods would be the session's", field.Name)
		}
	}
}

// The package comment names every file, so that a reader finds the one to change.
func TestThePackageCommentNamesEveryFile(t *testing.T) {
	all := sources(t)
	for name := range all {
		if !strings.HasSuffix(name, "_test.go") && name != "doc.go" && !strings.Contains(all["doc.go"], name) {
			t.Errorf("doc.go does not name %s", name)
		}
	}
	for _, named := range regexp.MustCompile(`\b\w+\.go\b`).FindAllString(all["doc.go"], -1) {
		if all[named] == "" {
			t.Errorf("doc.go names %s, which is not here", named)
		}
	}
}

// sources are the files of the package by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			text, err := os.ReadFile(e.Name())
			if err != nil {
				t.Fatal(err)
			}
			all[e.Name()] = string(text)
		}
	}
	return all
}
