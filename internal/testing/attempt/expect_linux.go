package attempt

import (
	"strings"
	"testing"
)

// Compare checks results against one column of a table. Each line of the table has the
// name of an attempt, two or more spaces, and one mark for each column: + it must work, - it
// must not, ? the system decides. Every attempt needs a line.
func Compare(t *testing.T, table string, column int, results map[string]string) {
	t.Helper()
	marks := map[string]byte{}
	for line := range strings.Lines(table) {
		name, rest, found := strings.Cut(strings.TrimSpace(line), "  ")
		if columns := strings.Fields(rest); found && column < len(columns) {
			marks[name] = columns[column][0]
		}
	}
	for _, a := range All() {
		result, mark := results[a.Name], marks[a.Name]
		switch {
		case mark != '+' && mark != '-' && mark != '?':
			t.Errorf("%s (%s) has no line in the table", a.Name, result)
		case mark == '+' && result != "ok":
			t.Errorf("%s should work: %s", a.Name, result)
		case mark == '-' && result == "ok":
			t.Errorf("%s should be refused, and works", a.Name)
		}
	}
}
