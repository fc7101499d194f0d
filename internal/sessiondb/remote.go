package sessiondb

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Way is how an [Executor] carries out a statement.
type Way string

const (
	Define Way = "exec"  // changes tables; there is no result
	Change Way = "run"   // changes rows; the result counts them
	Select Way = "query" // reads rows
)

// Order is one statement for an [Executor].
type Order struct {
	Way  Way
	Text string
}

// Answer is the result of an [Order]. Values are text; "NULL" for a NULL value.
type Answer struct {
	Columns          []string
	Rows             [][]string
	Affected, LastID int64
}

// Executor is a SQLite database elsewhere, such as one that a client of the program keeps. Its
// errors are those of [Database].
type Executor interface {
	// Run carries out one statement.
	Run(ctx context.Context, o Order) (Answer, error)
	// Together carries out all statements or none, and returns a result for each.
	Together(ctx context.Context, list []Order) ([]Answer, error)
	// Exists reports whether there is a database; it makes none.
	Exists(ctx context.Context) (bool, error)
}

// Remote is a [Database] elsewhere. The same statements are allowed as in one on this machine;
// how long they may take, and how large the database gets, is up to the other side. It is safe
// for concurrent use.
type Remote struct {
	db Executor

	mu     sync.Mutex // held while the tables are made; guards the rest
	made   bool
	closed bool
}

// NewRemote returns the database that db carries out statements in.
func NewRemote(db Executor) *Remote { return &Remote{db: db} }

// ready makes the tables of an empty database, once.
func (r *Remote) ready(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return fault.New(fault.NotFound, "sessiondb", "", "the session is closed")
	case r.made:
		return nil
	}
	list, err := split(tables)
	if err != nil {
		return fault.New(fault.Internal, "sessiondb", "", "%w", err)
	}
	for _, s := range list {
		if _, err := r.db.Run(ctx, Order{Define, s.text}); err != nil {
			return err
		}
	}
	r.made = true
	return nil
}

// Exec implements [Database]. A transaction begins with the first statement of the query and is
// committed by the last one.
func (r *Remote) Exec(ctx context.Context, query string) (res Result, err error) {
	list, err := split(query)
	if err != nil {
		return res, fault.New(fault.Invalid, "sessiondb", "", "%w", err)
	}
	done := make([]Statement, len(list))
	for i := range list {
		if done[i].Verb, done[i].kind, err = list[i].check(); err != nil {
			return res, fault.New(fault.Invalid, "sessiondb", "", "%w", err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTooLong)
	defer cancel()
	if err := r.ready(ctx); err != nil {
		return res, slow(ctx, err)
	}
	if slices.ContainsFunc(done, func(s Statement) bool { return s.kind == control }) {
		return r.together(ctx, list, done)
	}
	for i := range list {
		answer, err := r.db.Run(ctx, done[i].order(list[i].text))
		if err != nil {
			return res, slow(ctx, err)
		}
		done[i].take(answer)
		res.Statements = done[:i+1]
		res.Changed = res.Changed || done[i].kind < selects && list[i].mentionsTodos()
	}
	return res, nil
}

var errTransaction = errors.New("a transaction begins with BEGIN as the first statement of the call and ends with COMMIT as the last one, and has no savepoints")

// together carries out a transaction.
func (r *Remote) together(ctx context.Context, list []statement, done []Statement) (res Result, err error) {
	inner := done[min(1, len(done)):max(1, len(done)-1)]
	ends := []string{"COMMIT", "END"}
	if done[0].Verb != "BEGIN" || !slices.Contains(ends, done[len(done)-1].Verb) ||
		slices.ContainsFunc(inner, func(s Statement) bool { return s.kind == control }) {
		return res, fault.New(fault.Invalid, "sessiondb", "", "%w", errTransaction)
	}
	var orders []Order
	for i := range inner {
		orders = append(orders, inner[i].order(list[i+1].text))
		res.Changed = res.Changed || inner[i].kind < selects && list[i+1].mentionsTodos()
	}
	var answers []Answer
	if len(orders) > 0 {
		answers, err = r.db.Together(ctx, orders)
	}
	if err == nil && len(answers) != len(inner) {
		err = fault.New(fault.Unavailable, "sessiondb", "", "%d statements have %d results", len(inner), len(answers))
	}
	if err != nil {
		return Result{}, slow(ctx, err)
	}
	for i := range inner {
		inner[i].take(answers[i])
	}
	res.Statements = done
	return res, nil
}

// slow returns err, or the reason if the time is over.
func slow(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && errors.Is(cause, errTooLong) {
		return fault.New(fault.Unavailable, "sessiondb", "", "%w", cause)
	}
	return err
}

// order returns how the statement is carried out elsewhere.
func (s *Statement) order(text string) Order {
	switch s.kind {
	case inserts, updates, deletes:
		return Order{Change, text}
	case selects: // as many rows as are shown, and each column with a name of its own
		return Order{Select, "SELECT * FROM (\n" + text + "\n) LIMIT 1001"}
	case explains:
		return Order{Select, text}
	}
	return Order{Define, text}
}

// take is the result of the statement, within the limits of one.
func (s *Statement) take(a Answer) {
	s.Columns, s.Affected, s.LastID = a.Columns, a.Affected, a.LastID
	size := 0
	for _, row := range a.Rows {
		if len(s.Rows) == maxRows || size > maxBytes {
			s.More = true
			return
		}
		for i, cell := range row {
			row[i] = shorten(cell)
			size += len(row[i])
		}
		s.Rows = append(s.Rows, row)
	}
}

// mentionsTodos reports whether the statement names one of the tables of to-dos.
func (s *statement) mentionsTodos() bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool { return bare(t.text) == "todos" || bare(t.text) == "todo_deps" })
}

// Todos implements [Database].
func (r *Remote) Todos(ctx context.Context) (todos []Todo, deps []Dependency, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, errTooLong)
	defer cancel()
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return nil, nil, fault.New(fault.NotFound, "sessiondb", "", "the session is closed")
	}
	if exists, err := r.db.Exists(ctx); err != nil || !exists {
		return nil, nil, slow(ctx, err)
	}
	list, err := r.rows(ctx, readTodos, 5)
	for _, c := range list {
		todos = append(todos, Todo{ID: c[0], Title: c[1], Description: c[2], Status: c[3], CreatedAt: c[4]})
	}
	links, err2 := r.rows(ctx, readDependencies, 2)
	for _, c := range links {
		deps = append(deps, Dependency{TodoID: c[0], DependsOn: c[1]})
	}
	return todos, deps, slow(ctx, cmp.Or(err, err2))
}

// rows reads the rows of a query that have as many columns; none if the model has changed the
// table into something else.
func (r *Remote) rows(ctx context.Context, query string, columns int) (rows [][]string, err error) {
	answer, err := r.db.Run(ctx, Order{Select, strings.Join(strings.Fields(query), " ")})
	if fault.KindOf(err) == fault.Invalid {
		err = nil
	}
	for _, row := range answer.Rows {
		if len(row) == columns {
			rows = append(rows, row)
		}
	}
	return rows, err
}

// Close implements [Database]. The database stays open on the other side.
func (r *Remote) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return nil
}
