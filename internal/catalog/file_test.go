package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// aside returns the names of the files that were moved aside.
func (d *desk) aside() map[string]string {
	d.t.Helper()
	names, err := filepath.Glob(d.path + ".damaged-*")
	if err != nil {
		d.t.Fatal(err)
	}
	found := map[string]string{}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			d.t.Fatal(err)
		}
		found[filepath.Base(n)] = string(b)
	}
	return found
}

func (d *desk) writeFile(content string) {
	d.t.Helper()
	if err := os.WriteFile(d.path, []byte(content), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func TestOnlyItsOwnerMayReadIt(t *testing.T) {
	at(t, func(d *desk) {
		d.wantList(d.open(), "")
		for _, name := range []string{d.path, d.path + "-wal", d.path + "-shm"} {
			info, err := os.Stat(name)
			if err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	})
}

func TestNothingIsOpenedBeforeTheFirstUse(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		time.Sleep(time.Hour)
		c.Close(context.Background())
		if _, err := os.Stat(d.path); err == nil {
			t.Error("there is a file")
		}
	})
}

func TestWhatIsNotOursIsMovedAsideAndBuiltAnew(t *testing.T) {
	for name, spoil := range map[string]func(d *desk){
		"garbage": func(d *desk) { d.writeFile(strings.Repeat("no database\n", 1000)) },
		"a torn header": func(d *desk) {
			d.open().Close(context.Background())
			d.writeFile("SQLite format 3")
		},
		"another version":            func(d *desk) { d.exec(d.rival(), "PRAGMA user_version = 7") },
		"tables of somebody else":    func(d *desk) { d.exec(d.rival(), "CREATE TABLE theirs (x)") },
		"our version without tables": func(d *desk) { d.exec(d.rival(), "PRAGMA user_version = 1373503489") },
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(d *desk) {
				d.logs.set(session("a", 1))
				spoil(d)
				before, err := os.ReadFile(d.path)
				if err != nil {
					t.Fatal(err)
				}
				c := d.open()
				d.wantList(c, "a")
				kept := d.aside()
				for _, b := range kept {
					if b != string(before) && b != "" { // or what SQLite had beside it
						t.Errorf("kept is %q", b)
					}
				}
				if len(kept) == 0 || d.warnings() != 1 {
					t.Errorf("kept are %d files; logged:\n%s", len(kept), d.said)
				}
				d.put(c, session("b", 2))
				d.wantList(c, "b a")
			})
		})
	}
}

func TestDamageInUseIsRepairedAtOnceButNotEverySecond(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		for n := range 500 {
			d.put(c, session(strings.Repeat("x", n+1), n))
		}
		want := d.list(c, catalog.Query{Limit: 3})
		damage := func() {
			d.exec(d.rival(), "DROP TABLE session")
		}
		damage()
		if got := d.list(c, catalog.Query{Limit: 3}); got != want {
			t.Errorf("after the damage List = %s", got)
		}
		first := d.aside()
		if len(first) != 3 { // else a process that has the old one open would write into the log of the new one
			t.Errorf("moved aside are %d files, want the database and what belongs to it", len(first))
		}
		damage()
		if got := d.list(c, catalog.Query{}); !strings.Contains(got, "no such table") {
			t.Errorf("damaged again within a minute, List = %s", got)
		}
		time.Sleep(time.Minute)
		if got := d.list(c, catalog.Query{Limit: 3}); got != want {
			t.Errorf("a minute later List = %s", got)
		}
		for name := range d.aside() {
			if _, old := first[name]; old {
				t.Errorf("%s is still there", name)
			}
		}
	})
}

func TestPagesThatAreOverwritten(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		for n := range 500 {
			d.put(c, session(strings.Repeat("x", n+1), n))
		}
		want := d.list(c, catalog.Query{Limit: 3})
		c.Close(context.Background())
		b, err := os.ReadFile(d.path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 4096; at < len(b); at++ { // all but the first page, which is read when it is opened
			b[at] = 0xa5
		}
		d.writeFile(string(b))
		if got := d.list(d.open(), catalog.Query{Limit: 3}); got != want {
			t.Errorf("List = %s, want %s; logged:\n%s", got, want, d.said)
		}
	})
}

func TestOneThatIsDeletedIsBuiltAnew(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		d.put(c, session("a", 1))
		d.wantList(c, "a")
		for _, end := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(d.path + end); err != nil {
				t.Fatal(err)
			}
		}
		d.put(c, session("b", 2))
		d.wantList(c, "b a")
		d.wantList(d.open(existing), "b a")
	})
}

// If a newer program has replaced the database, an older one must not move it aside.
func TestAnotherVersionThatComesLaterIsLeftAlone(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("a", 1))
		old := d.open()
		d.wantList(old, "a")
		newer := &desk{t: d.t, path: d.path + ".newer"}
		db := newer.rival()
		d.exec(db, "PRAGMA user_version = 7")
		db.Close()
		for from, to := range map[string]string{d.path + "-wal": d.path + ".old-wal", d.path + "-shm": d.path + ".old-shm", newer.path: d.path} {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.list(old, catalog.Query{}); !strings.Contains(got, "another version") || len(d.aside()) > 0 {
			t.Errorf("List = %q; moved aside: %d", got, len(d.aside()))
		}
		d.wantList(d.open(), "a") // a process that starts now takes it for an old one
	})
}

func TestExistingNeitherMakesNorReplaces(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("a", 1))
		if got := d.list(d.open(existing), catalog.Query{}); !strings.HasPrefix(got, "error") {
			t.Errorf("without a file List = %q", got)
		}
		if _, err := os.Stat(d.path); err == nil {
			t.Error("it was made")
		}
		d.writeFile(strings.Repeat("no database\n", 1000))
		if got := d.list(d.open(existing), catalog.Query{}); !strings.HasPrefix(got, "error") {
			t.Errorf("with a damaged file List = %q", got)
		}
		if len(d.aside()) != 0 {
			t.Error("it was replaced")
		}
		d.wantList(d.open(), "a")
		d.logs.set(session("b", 2))
		d.wantList(d.open(existing), "b a")
	})
}

func TestWhatCannotBeUsedSaysSoOnceAndIsTriedAgain(t *testing.T) {
	at(t, func(d *desk) {
		folder := filepath.Dir(d.path)
		d.path = filepath.Join(folder, "sub", "catalog.db")
		c := d.open()
		for range 3 {
			d.put(c, session("a", 1))
			time.Sleep(time.Minute)
			_, err := c.List(context.Background(), catalog.Query{})
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), d.path) {
				t.Errorf("List = %v, want unavailable", err)
			}
			if _, _, err := c.Get(context.Background(), "b"); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("Get = %v, want unavailable", err)
			}
		}
		if d.warnings() != 1 {
			t.Errorf("logged:\n%s", d.said)
		}
		if err := os.Mkdir(filepath.Dir(d.path), 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		d.wantList(c, "a")
	})
}

func TestAReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	at(t, func(d *desk) {
		if err := os.Chmod(filepath.Dir(d.path), 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Dir(d.path), 0o700)
		_, err := d.open().List(context.Background(), catalog.Query{})
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("List = %v, want unavailable", err)
		}
	})
}

// A program that keeps the database locked delays only lists, and those not for long.
func TestOneThatIsLocked(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		d.put(c, session("a", 1))
		d.wantList(c, "a")
		db := d.rival()
		d.exec(db, "BEGIN IMMEDIATE")
		began := time.Now()
		d.put(c, session("b", 2))
		if took := time.Since(began); took != 0 {
			t.Errorf("Put took %v", took)
		}
		if _, err := c.List(context.Background(), catalog.Query{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("List = %v, want unavailable", err) // after a second that is real: it passes in SQLite
		}
		d.exec(db, "ROLLBACK")
		if _, err := c.List(context.Background(), catalog.Query{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("it was not left alone for a while: %v", err)
		}
		time.Sleep(10 * time.Second)
		d.wantList(c, "b a") // b was dropped, and is found again
		if d.warnings() != 1 {
			t.Errorf("logged:\n%s", d.said)
		}
	})
}

func TestWhatDoesNotFitIsFoundAgain(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open(func(o *catalog.Options) { o.Patience = 2 * time.Hour })
		d.logs.slow = time.Hour // so that it compares again only on request
		d.wantList(c, "")
		looks := d.logs.asked()
		for n := range 10_001 {
			r := session("x", n)
			r.ID = strings.Repeat("i", n%150+1) + string(rune('a'+n/150%26)) + string(rune('a'+n/3900))
			d.put(c, r)
		}
		p, err := c.List(context.Background(), catalog.Query{Limit: 1})
		if err != nil || p.More != 10_000 {
			t.Errorf("List = %d more, %v", p.More, err)
		}
		if d.logs.asked() == looks {
			t.Error("the logs were not asked")
		}
	})
}

func TestTwoProcessesSeeEachOther(t *testing.T) {
	at(t, func(d *desk) {
		a, b := d.open(), d.open()
		d.wantList(a, "")
		d.wantList(b, "")
		d.logs.slow = time.Hour // so that all they know is from each other
		d.put(a, session("a", 1))
		d.put(b, session("b", 2))
		d.wantList(a, "a")
		d.wantList(b, "b a")
		d.wantList(a, "b a")
		d.logs.remove("a")
		b.Forget("a")
		d.wantList(b, "b")
		d.wantList(a, "b")
		b.Close(context.Background())
		d.put(a, session("c", 3))
		d.wantList(a, "c b")
	})
}

// Many processes that start at the same time in a new home all work.
func TestManyMakeItAtOnce(t *testing.T) {
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "catalog.db"), logs: newLogs(session("a", 1))}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c := catalog.New(catalog.Options{Path: d.path, Source: d.logs})
			defer c.Close(context.Background())
			if got := d.list(c, catalog.Query{}); got != "a" {
				t.Errorf("List = %q", got)
			}
		})
	}
	all.Wait()
}
