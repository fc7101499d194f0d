package catalog_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestMain(m *testing.M) {
	if dieWriting() {
		return
	}
	goleak.VerifyTestMain(m)
}

// logs is a source in memory. It counts its calls.
type logs struct {
	mu     sync.Mutex
	rows   map[string]catalog.Row
	slow   time.Duration // how long listing them takes
	broken error
	listed int
	read   []string // the ids that were described

	describing func(id string) // called when one is, if set
}

func newLogs(rows ...catalog.Row) *logs {
	l := &logs{rows: map[string]catalog.Row{}}
	for _, r := range rows {
		l.rows[r.ID] = r
	}
	return l
}

func (l *logs) Sessions() ([]catalog.Stamp, error) {
	defer time.Sleep(l.slow) // fake; what changes meanwhile is not seen
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listed++
	var stamps []catalog.Stamp
	for r := range maps.Values(l.rows) {
		stamps = append(stamps, catalog.Stamp{ID: r.ID, Size: r.Size, Modified: r.Modified})
	}
	return stamps, l.broken
}

func (l *logs) Describe(s catalog.Stamp) (catalog.Row, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read = append(l.read, s.ID)
	if l.describing != nil {
		l.describing(s.ID)
	}
	r, ok := l.rows[s.ID]
	if !ok {
		return r, fault.New(fault.NotFound, "logs", s.ID, "no such session")
	}
	r.Size, r.Modified = s.Size, s.Modified
	return r, nil
}

// set changes a log to match row; remove removes one.
func (l *logs) set(row catalog.Row) { l.mu.Lock(); defer l.mu.Unlock(); l.rows[row.ID] = row }
func (l *logs) remove(id string)    { l.mu.Lock(); defer l.mu.Unlock(); delete(l.rows, id) }
func (l *logs) asked() (looks int)  { l.mu.Lock(); defer l.mu.Unlock(); return l.listed }
func (l *logs) reads() (ids string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.read, " ")
}

// desk is a folder with a database, and the logs.
type desk struct {
	t    testing.TB
	path string
	logs *logs
	said *syncBuffer // what was logged
}

// patience bounds waits that only a hanging test exceeds.
const patience = 20 * time.Second

// syncBuffer is a buffer that several goroutines can use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}
func (s *syncBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

// at runs a test with fake time; a goroutine that waits forever fails the test.
func at(t *testing.T, f func(d *desk)) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	synctest.Test(t, func(t *testing.T) {
		f(&desk{t: t, path: path, logs: newLogs(), said: new(syncBuffer)})
	})
}

// open acts as a process that starts to use the catalogue; it ends with the test.
func (d *desk) open(change ...func(*catalog.Options)) *catalog.Catalog {
	opts := catalog.Options{Path: d.path, Source: d.logs, Logger: slog.New(slog.NewTextHandler(d.said, nil))}
	for _, f := range change {
		f(&opts)
	}
	c := catalog.New(opts)
	d.t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func existing(o *catalog.Options) { o.Existing = true }

// put stores a row whose log exists as well.
func (d *desk) put(c *catalog.Catalog, row catalog.Row) {
	d.logs.set(row)
	c.Put(row)
}

// session returns the row of a session with a message, n seconds after the epoch.
func session(id string, n int) catalog.Row {
	at := time.Unix(int64(n), 0).UTC()
	return catalog.Row{ID: id, Title: "about " + id, Cwd: "/" + id, Started: at, Modified: at, Size: int64(n), Listed: true}
}

// list returns the ids of a page, and how many rows follow.
func (d *desk) list(c *catalog.Catalog, q catalog.Query) string {
	d.t.Helper()
	p, err := c.List(context.Background(), q)
	if err != nil {
		return "error: " + err.Error()
	}
	return ids(p)
}

func ids(p catalog.Page) string {
	var b strings.Builder
	for _, r := range p.Rows {
		b.WriteString(r.ID + " ")
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "+%d", p.More)
	}
	return strings.TrimSpace(b.String())
}

func (d *desk) wantList(c *catalog.Catalog, want string) {
	d.t.Helper()
	if got := d.list(c, catalog.Query{}); got != want {
		d.t.Errorf("List = %q, want %q; logged:\n%s", got, want, d.said)
	}
}

// warnings returns how many warnings were logged.
func (d *desk) warnings() int { return strings.Count(d.said.String(), "level=WARN") }

// rival returns a connection of another program.
func (d *desk) rival() *sql.DB {
	d.t.Helper()
	db, err := sql.Open("sqlite", d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	d.t.Cleanup(func() { db.Close() })
	return db
}

func (d *desk) exec(db *sql.DB, query string) {
	d.t.Helper()
	if _, err := db.Exec(query); err != nil {
		d.t.Fatal(err)
	}
}
