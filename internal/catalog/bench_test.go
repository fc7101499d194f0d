package catalog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
)

// many is the number of sessions that the benchmarks list.
const many = 100_000

// manySessions returns a catalogue of that many, in 100 directories of 20 repositories with
// two branches, every tenth without a message.
func manySessions(b *testing.B) (*desk, *catalog.Catalog) {
	b.Helper()
	d := &desk{t: b, path: filepath.Join(b.TempDir(), "catalog.db"), logs: newLogs(), said: new(syncBuffer)}
	for n := range many {
		r := session(fmt.Sprintf("%08x-5d1c-4c39-9a55-2f6c1d8f7a10", uint32(n)*2654435761), n)
		r.Title = "Please find out why the tests of the parser fail, and repair"
		r.Cwd = fmt.Sprintf("/home/somebody/src/project-%d", n%100)
		r.GitRoot, r.Repository = r.Cwd, fmt.Sprintf("owner/project-%d", n%20)
		r.Branch = [2]string{"main", "develop"}[n%2]
		r.Listed = n%10 > 0
		d.logs.set(r)
	}
	c := d.open()
	began := time.Now()
	if _, err := c.List(context.Background(), catalog.Query{Limit: 1}); err != nil {
		b.Fatal(err)
	}
	b.Logf("built in %v", time.Since(began))
	return d, c
}

func BenchmarkList100k(b *testing.B) {
	d, c := manySessions(b)
	for _, bench := range []struct {
		name string
		q    catalog.Query
	}{
		{"newest", catalog.Query{Limit: 50}},
		{"in a directory", catalog.Query{Limit: 50, Cwd: "/home/somebody/src/project-7"}},
		{"on main", catalog.Query{Limit: 50, Branch: "main"}},
		{"in a repository on main", catalog.Query{Limit: 50, Repository: "owner/project-6", Branch: "main"}},
		{"in the middle", catalog.Query{Limit: 50, After: catalog.Cursor{Modified: time.Unix(many/2, 0)}}},
		{"all", catalog.Query{}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p, err := c.List(context.Background(), bench.q); err != nil || len(p.Rows) < 50 {
					b.Fatal(len(p.Rows), err)
				}
			}
		})
	}
	b.Run("newest after a change", func(b *testing.B) {
		n := many
		for b.Loop() {
			n++
			c.Put(session("changed", n))
			if p, err := c.List(context.Background(), catalog.Query{Limit: 50}); err != nil || p.Rows[0].ID != "changed" {
				b.Fatal(p, err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		var id string
		for id = range d.logs.rows {
			break
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, found, err := c.Get(context.Background(), id); !found || err != nil {
				b.Fatal(found, err)
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			look := d.open(func(o *catalog.Options) { o.Patience = time.Hour })
			if _, err := look.List(context.Background(), catalog.Query{Limit: 1}); err != nil {
				b.Fatal(err)
			}
			look.Close(context.Background())
		}
	})
}

func BenchmarkPut(b *testing.B) {
	d := &desk{t: b, path: filepath.Join(b.TempDir(), "catalog.db"), logs: newLogs(), said: new(syncBuffer)}
	c := d.open()
	row := session("a", 1)
	b.ReportAllocs()
	for b.Loop() {
		c.Put(row)
	}
}
