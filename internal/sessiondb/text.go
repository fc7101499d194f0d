package sessiondb

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Text returns the result as the model reads it. The forms for one and for several
// statements are part of the protocol: recordings of real conversations contain them.
func (r Result) Text() string {
	if len(r.Statements) == 1 {
		return r.Statements[0].Text()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Executed %d statement(s):", len(r.Statements))
	for i := range r.Statements {
		s := &r.Statements[i]
		fmt.Fprintf(&b, "\n\n%d. %s\n   %s", i+1, s.Verb, strings.ReplaceAll(s.Text(), "\n", "\n   "))
	}
	return b.String()
}

// Text returns the result of one statement.
func (s *Statement) Text() string {
	done := ""
	switch s.kind {
	case control:
		return "Done."
	case schema:
		return "Schema operation completed successfully."
	case inserts:
		done = fmt.Sprintf("%d row(s) inserted. Last inserted row ID: %d.", s.Affected, s.LastID)
	case updates:
		done = fmt.Sprintf("%d row(s) updated.", s.Affected)
	case deletes:
		done = fmt.Sprintf("%d row(s) deleted.", s.Affected)
	}
	if len(s.Columns) == 0 {
		return done
	}
	return strings.TrimPrefix(done+"\n\n"+s.table(), "\n\n")
}

// table returns the rows, one per line, under the names of their columns.
func (s *Statement) table() string {
	if len(s.Rows) == 0 {
		return "0 row(s) returned."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d row(s) returned:\n\n", len(s.Rows))
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + cell.Get().Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(s.Columns)
	b.WriteString(strings.Repeat("|---", len(s.Columns)) + "|\n")
	for _, row := range s.Rows {
		line(row)
	}
	if s.More {
		b.WriteString("\nThere are more rows than fit here. Ask for fewer, with WHERE, LIMIT and OFFSET, or for fewer columns.")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cell escapes a value so that it stays within its cell of the table.
var cell = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("|", `\|`, "\n", `\n`, "\r", `\r`)
}}
