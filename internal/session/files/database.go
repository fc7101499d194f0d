package files

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
	db   sessiondb.Database
	shut bool
}

// CloseDatabase closes the database of a session that leaves memory; there is none after it.
func (w *Workspace) CloseDatabase() error { return w.database.close() }

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
func (w *Workspace) Database() (sessiondb.Database, error) {
	d := &w.database
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return nil, fault.New(fault.NotFound, "session", w.id, "the session is closed")
	}
	if d.db != nil {
		return d.db, nil
	}
	if w.kept != nil {
		db, err := w.kept.Database(w.id)
		if err != nil {
			return nil, err
		}
		d.db = sessiondb.NewRemote(db)
		return d.db, nil
	}
	at := w.files.DatabasePath()
	if at == "" {
		return nil, fault.New(fault.Unavailable, "session", w.id, "the session's workspace is on another machine, and a database has to be a file here")
	}
	d.db = sessiondb.New(at)
	return d.db, nil
}

// TodosChanged sends clients that the to-dos have changed.
func (w *Workspace) TodosChanged() { w.session.Emit("", &wire.SessionTodosChanged{}) }

// Todos returns the to-dos of the model, at most a thousand rows, and as many
// dependencies.
func (w *Workspace) Todos(ctx context.Context) (t wire.TodosAndDeps, err error) {
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
