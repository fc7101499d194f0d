package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/catalog"
)

func TestTheSessionChangedLastIsFirst(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		for _, r := range []catalog.Row{session("a", 3), session("b", 1), session("d", 2), session("c", 2)} {
			d.put(c, r)
		}
		silent := session("silent", 9)
		silent.Listed = false
		d.put(c, silent)
		d.wantList(c, "a d c b") // of two at the same time, in the order of their ids
		d.put(c, session("b", 4))
		d.wantList(c, "b a d c")
	})
}

func TestARowIsReadAsItWasPut(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		odd := catalog.Row{
			ID: "Größe 1", Title: "nul \x00, quote ' and \xff", Cwd: `C:\a b`, GitRoot: "/?#%", Repository: "o/n", Branch: "x;--",
			Started: time.Time{}, Modified: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), Size: 1 << 40, Listed: true,
		}
		for _, want := range []catalog.Row{session("a", 1), odd, {ID: "silent"}} {
			d.put(c, want)
			for _, when := range []string{"pending", "stored"} {
				got, found, err := c.Get(context.Background(), want.ID)
				if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
					t.Errorf("%s Get(%s) = %v, %v: %s", when, want.ID, found, err, diff)
				}
				d.list(c, catalog.Query{})
			}
		}
		if _, found, err := c.Get(context.Background(), "nobody"); found || err != nil {
			t.Errorf("Get of an unknown session = %v, %v", found, err)
		}
	})
}

func TestEachFieldThatIsSetFilters(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		n := 0
		for _, cwd := range []string{"/w", "/v"} {
			for _, root := range []string{"/r", ""} {
				for _, repo := range []string{"o/n", ""} {
					for _, branch := range []string{"main", ""} {
						n++
						r := session(fmt.Sprintf("%02d", n), n)
						r.Cwd, r.GitRoot, r.Repository, r.Branch = cwd, root, repo, branch
						d.put(c, r)
					}
				}
			}
		}
		for _, tc := range []struct {
			q    catalog.Query
			want string
		}{
			{catalog.Query{Cwd: "/w"}, "08 07 06 05 04 03 02 01"},
			{catalog.Query{GitRoot: "/r"}, "12 11 10 09 04 03 02 01"},
			{catalog.Query{Repository: "o/n"}, "14 13 10 09 06 05 02 01"},
			{catalog.Query{Branch: "main"}, "15 13 11 09 07 05 03 01"},
			{catalog.Query{Cwd: "/v", Branch: "main"}, "15 13 11 09"},
			{catalog.Query{GitRoot: "/r", Repository: "o/n"}, "10 09 02 01"},
			{catalog.Query{Cwd: "/w", GitRoot: "/r", Repository: "o/n", Branch: "main"}, "01"},
			{catalog.Query{Cwd: "/nowhere"}, ""},
			{catalog.Query{Branch: "main", Limit: 3}, "15 13 11 +5"},
			{catalog.Query{Limit: 16}, "16 15 14 13 12 11 10 09 08 07 06 05 04 03 02 01"},
		} {
			if got := d.list(c, tc.q); got != tc.want {
				t.Errorf("List(%+v) = %q, want %q", tc.q, got, tc.want)
			}
		}
	})
}

func TestPagesNeitherRepeatNorLeaveOutWhatDoesNotChange(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		for n := range 20 {
			d.put(c, session(fmt.Sprintf("%02d", n), n/3)) // several at the same time
		}
		var got []string
		q := catalog.Query{Limit: 4}
		for n := 0; ; n++ {
			p, err := c.List(context.Background(), q)
			if err != nil || n > 20 {
				t.Fatalf("page %d: %v", n, err)
			}
			if len(p.Rows) == 0 {
				break
			}
			got = append(got, strings.TrimSuffix(ids(p), fmt.Sprintf(" +%d", p.More)))
			q.After = p.Rows[len(p.Rows)-1].Cursor()
			d.put(c, session(fmt.Sprintf("%02d", n), 100+n)) // 00, 01 … move to the front
			d.put(c, session(fmt.Sprintf("new%d", n), 200+n))
			if n == 0 {
				d.logs.remove("10")
				c.Forget("10")
			}
		}
		want := "19 18 17 16|15 14 13 12|11 09 08 07|06 05 04 03" // 00 to 02 were moved before their page came
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("the pages are %q, want %q", got, want)
		}
	})
}

func TestAListSeesWhatWasPutJustNow(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		began := time.Now()
		for n := range 5 {
			d.put(c, session("a", n))
		}
		d.put(c, session("b", 1))
		d.wantList(c, "a b")
		d.logs.remove("a")
		c.Forget("a")
		d.wantList(c, "b")
		c.Put(session("a", 0))
		c.Forget("a")
		d.put(c, session("a", 0)) // the last word counts
		d.wantList(c, "b a")
		if took := time.Since(began); took != 0 {
			t.Errorf("somebody waited for %v", took)
		}
	})
}

func TestARowIsWrittenSoonWithoutBeingAskedFor(t *testing.T) {
	at(t, func(d *desk) {
		c, other := d.open(), d.open()
		d.put(c, session("a", 1))
		time.Sleep(100 * time.Millisecond)
		if row, found, err := waitFor(other, "a"); !found || err != nil || row.Size != 1 {
			t.Errorf("100 ms later another process reads %+v, %v, %v", row, found, err)
		}
	})
}

// waitFor lets everything that is due happen, then returns a row.
func waitFor(c *catalog.Catalog, id string) (catalog.Row, bool, error) {
	time.Sleep(time.Millisecond)
	return c.Get(context.Background(), id)
}

func TestCloseWritesWhatIsLeft(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		d.put(c, session("a", 1))
		c.Close(context.Background())
		c.Close(context.Background())
		c.Put(session("late", 2))
		c.Forget("a")
		if got := d.list(c, catalog.Query{}); !strings.Contains(got, "closed") {
			t.Errorf("List after Close = %q", got)
		}
		if _, found, err := d.open().Get(context.Background(), "a"); !found || err != nil {
			t.Errorf("Get(a) = %v, %v", found, err)
		}
	})
}
