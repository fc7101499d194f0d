package sessiondb

import (
	"context"
	"database/sql"
	"hash/fnv"
	"io"
)

// Todo is one to-do. Fields that the model did not set are "".
type Todo struct {
	ID, Title, Description, Status string
	CreatedAt                      string // "2006-01-02 15:04:05" in UTC
}

// Dependency means that one to-do must be done before another.
type Dependency struct{ TodoID, DependsOn string }

const (
	readTodos = `SELECT coalesce(id, '') AS id, coalesce(title, '') AS title, coalesce(description, '') AS description,
		coalesce(status, '') AS status, coalesce(created_at, '') AS created_at
		FROM main.todos ORDER BY rowid LIMIT 1000`
	readDependencies = `SELECT coalesce(todo_id, '') AS todo_id, coalesce(depends_on, '') AS depends_on FROM main.todo_deps ORDER BY rowid LIMIT 1000`
)

// Todos returns the first thousand to-dos, in the order in which they were added, and as
// many dependencies. There are none without a database, or if the model has changed the
// tables into something else. Todos makes no file.
func (d *DB) Todos(ctx context.Context) (todos []Todo, deps []Dependency, err error) {
	err = d.use(ctx, false, func(ctx context.Context, conn *sql.Conn) error {
		each(ctx, conn, readTodos, 5, func(c []string) {
			todos = append(todos, Todo{ID: c[0], Title: c[1], Description: c[2], Status: c[3], CreatedAt: c[4]})
		})
		each(ctx, conn, readDependencies, 2, func(c []string) {
			deps = append(deps, Dependency{TodoID: c[0], DependsOn: c[1]})
		})
		return nil
	})
	return todos, deps, err
}

// digest returns a hash of the to-dos and their dependencies; it is never 0.
func digest(ctx context.Context, conn *sql.Conn) uint64 {
	h := fnv.New64a()
	take := func(cells []string) {
		for _, c := range cells {
			_, _ = io.WriteString(h, c+"\x00") // a hash takes everything
		}
	}
	each(ctx, conn, readTodos, 5, take)
	_, _ = h.Write([]byte{1})
	each(ctx, conn, readDependencies, 2, take)
	return h.Sum64() | 1
}

// each calls f for the rows of a query, up to the first that cannot be read.
func each(ctx context.Context, conn *sql.Conn, query string, columns int, f func([]string)) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return // no such table, or no such column
	}
	defer rows.Close()
	for rows.Next() {
		row, err := scan(rows, columns)
		if err != nil {
			return
		}
		f(row)
	}
}
