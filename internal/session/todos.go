package session

import (
	"context"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// database is the session's own, made when it is first asked for. It is used by the
// goroutine of the run and by those of clients: what takes long in it delays no
// command of the session.
type database struct {
	mu   sync.Mutex // guards the rest
	db   *sessiondb.DB
	shut bool
}

func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}

// Database returns the session's own database. Its file is made by what is done with
// it. [fault.NotFound] once the session has been closed.
func (w Workspace) Database() (*sessiondb.DB, error) {
	d := &w.s.database
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return nil, fault.New(fault.NotFound, "session", w.s.id, "the session is closed")
	}
	if d.db == nil {
		at := w.s.files.DatabasePath()
		if at == "" {
			return nil, fault.New(fault.Unavailable, "session", w.s.id, "the session's workspace is on another machine, and a database has to be a file here")
		}
		d.db = sessiondb.New(at)
	}
	return d.db, nil
}

// TodosChanged tells clients that the to-dos are not what they were.
func (w Workspace) TodosChanged() { w.s.log.emit(&wire.SessionTodosChanged{}) }

// Todos returns what the model has noted as to be done, at most a thousand rows, and
// as many dependencies.
func (w Workspace) Todos(ctx context.Context) (t wire.TodosAndDeps, err error) {
	db, err := w.Database()
	if err != nil {
		return t, err
	}
	todos, deps, err := db.Todos(ctx)
	for _, row := range todos {
		t.Rows = append(t.Rows, wire.TodoRow{
			ID: &row.ID, Title: wire.Optional(row.Title), Description: wire.Optional(row.Description), Status: wire.Optional(row.Status), CreatedAt: wire.Optional(row.CreatedAt),
		})
	}
	for _, dep := range deps {
		t.Dependencies = append(t.Dependencies, wire.TodoDependency{TodoID: dep.TodoID, DependsOn: dep.DependsOn})
	}
	return t, err
}
