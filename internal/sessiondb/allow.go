package sessiondb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// statementKind is how a statement is run, and how its result is described.
type statementKind uint8

const (
	control  statementKind = iota // begins or ends a transaction
	schema                        // changes tables
	inserts                       // adds rows; the first kind with a count of rows
	updates                       // changes rows
	deletes                       // removes rows
	selects                       // reads rows, with any amount of work
	explains                      // reads rows about tables, with little work
)

// kinds maps the first word of a statement to its kind. Other statements are refused.
var kinds = lazy.Value[map[string]statementKind]{Make: func() map[string]statementKind {
	return map[string]statementKind{
		"BEGIN": control, "COMMIT": control, "END": control, "ROLLBACK": control, "SAVEPOINT": control, "RELEASE": control,
		"CREATE": schema, "ALTER": schema, "DROP": schema, "REINDEX": schema, "ANALYZE": schema,
		"INSERT": inserts, "REPLACE": inserts, "UPDATE": updates, "DELETE": deletes,
		"SELECT": selects, "VALUES": selects, "EXPLAIN": explains, "PRAGMA": explains,
	}
}}

// pragmas are the PRAGMAs that describe tables and change nothing.
var pragmas = []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}

// check decides whether a statement may be run, and how. verb is its name in the result.
func (s *statement) check() (verb string, kind statementKind, err error) {
	words := s.tokens
	if words[0].is("EXPLAIN") {
		words = words[1:]
		if len(words) > 1 && words[0].is("QUERY") && words[1].is("PLAN") {
			words = words[2:]
		}
		if len(words) == 0 {
			return "", 0, errors.New("EXPLAIN is followed by the statement to explain")
		}
	}
	verb = strings.ToUpper(words[0].text)
	if words[0].is("WITH") {
		verb = mainVerb(words)
	}
	kind, known := kinds.Get()[verb]
	if !known || !words[0].word {
		return "", 0, fmt.Errorf("%.40q is not allowed here: the database accepts SELECT, INSERT, UPDATE, DELETE, "+
			"CREATE TABLE, CREATE INDEX, ALTER, DROP, and PRAGMAs such as table_info", words[0].text)
	}
	if verb == "CREATE" {
		err = mayCreate(words)
	}
	if verb == "PRAGMA" {
		err = mayAsk(words)
	}
	if err == nil {
		err = s.mayExpand()
	}
	if s.tokens[0].is("EXPLAIN") {
		verb, kind = "EXPLAIN", explains
	}
	return verb, kind, err
}

// mainVerb returns what a statement that begins with WITH does: its first verb outside of
// all parentheses.
func mainVerb(tokens []token) string {
	for _, t := range tokens {
		verb := strings.ToUpper(t.text)
		switch kind, ok := kinds.Get()[verb]; {
		case !ok || !t.word || t.depth != 0:
		case kind == inserts, kind == updates, kind == deletes, kind == selects:
			return verb
		}
	}
	return "WITH"
}

// mayCreate allows tables and indexes. Views and triggers are refused because SQLite
// expands them into the statements that use them, which can take exponential time and
// memory and cannot be interrupted. Virtual tables are refused because they run other
// code.
func mayCreate(tokens []token) error {
	for _, t := range tokens[1:] {
		switch {
		case t.is("TABLE"), t.is("INDEX"):
			return nil
		case t.is("TEMP"), t.is("TEMPORARY"), t.is("UNIQUE"):
		default:
			return fmt.Errorf("CREATE %.40s is not allowed here, only tables and indexes. Instead of a view, write its query as WITH … AS", t.text)
		}
	}
	return nil // SQLite reports what is missing
}

// mayAsk allows only the PRAGMAs that describe tables.
func mayAsk(tokens []token) error {
	name := ""
	for _, t := range tokens[1:] {
		if t.word {
			name = strings.ToLower(t.text) // the last word before the first "=" or "(": after the schema
		} else if t.text != "." {
			break
		}
	}
	if !slices.Contains(pragmas, name) {
		return fmt.Errorf("PRAGMA %.40s is not allowed here; the allowed ones are: %s", name, strings.Join(pragmas, ", "))
	}
	return nil
}

// mayExpand bounds the work of planning. SQLite plans a common table expression again
// wherever it is named, so expressions that name each other multiply.
func (s *statement) mayExpand() error {
	if !slices.ContainsFunc(s.tokens, func(t token) bool { return t.is("WITH") }) {
		return nil
	}
	named := map[string]int{}
	for _, t := range s.tokens {
		named[bare(t.text)]++
	}
	product := 1
	for i, t := range s.tokens {
		if i == 0 || i+1 == len(s.tokens) || !t.is("AS") {
			continue
		}
		if next := s.tokens[i+1]; next.text != "(" && !next.is("NOT") && !next.is("MATERIALIZED") {
			continue // this AS names a column
		}
		name := nameBefore(s.tokens[:i])
		product *= max(1, named[name]-1)
		named[name] = 0 // count each expression once
		if product > maxExpansion {
			return errors.New("the common table expressions of the query name each other too often; use fewer of them, or store an intermediate result in a table")
		}
	}
	return nil
}

// nameBefore returns the name that an AS defines: WITH name AS (…), or with columns WITH
// name (a, b) AS (…).
func nameBefore(tokens []token) string {
	i := len(tokens) - 1
	if tokens[i].text == ")" {
		depth := tokens[i].depth
		for i--; i >= 0 && (tokens[i].text != "(" || tokens[i].depth != depth); i-- {
		}
		i--
	}
	if i < 0 {
		return ""
	}
	return bare(tokens[i].text)
}

// bare returns a name without quotes and in lower case, for comparison.
func bare(name string) string {
	return strings.ToLower(strings.Trim(name, "\"`[]'"))
}
