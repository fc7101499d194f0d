package catalog

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// A panic while the database is used makes it unavailable for a while, and neither ends
// the goroutine that writes rows nor keeps the database locked for other programs.
func TestAPanicWhileTheDatabaseIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	ctx := context.Background()
	c := New(Options{Path: path})
	defer c.Close(ctx)
	err := c.use(ctx, func(db *sql.DB) error {
		return inTransaction(db, func(tx *sql.Tx) error {
			if _, err := tx.Exec(requestComparison); err != nil {
				return err
			}
			panic("boom")
		})
	})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("use = %v, want unavailable", err)
	}
	if err := c.use(ctx, func(*sql.DB) error { panic("again") }); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("use = %v, want unavailable", err)
	}
	other := New(Options{Path: path})
	defer other.Close(ctx)
	if err := other.use(ctx, func(db *sql.DB) error { _, err := db.Exec(requestComparison); return err }); err != nil {
		t.Errorf("another process: %v", err)
	}
}
