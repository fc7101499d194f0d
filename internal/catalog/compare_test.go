package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestTheFirstListWaitsUntilAllLogsWereRead(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("a", 1))
		d.logs.set(session("b", 2))
		d.logs.slow = time.Hour
		began := time.Now()
		d.wantList(d.open(), "b a")
		if took := time.Since(began); took != time.Hour {
			t.Errorf("it took %v", took)
		}
	})
}

func TestTheFirstListWaitsNoLongerThanItMay(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.slow = time.Hour
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := d.open().List(ctx, catalog.Query{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("List = %v", err)
		}
	})
}

func TestALaterListIsPatientButNotForever(t *testing.T) {
	at(t, func(d *desk) {
		d.wantList(d.open(), "")
		d.logs.set(session("a", 1)) // by another runtime
		d.logs.slow = 50 * time.Millisecond
		c := d.open()
		began := time.Now()
		d.wantList(c, "")
		if took := time.Since(began); took != 30*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		d.wantList(c, "a")

		d.logs.set(session("b", 2))
		d.wantList(d.open(func(o *catalog.Options) { o.Patience = time.Minute }), "b a")
	})
}

func TestOnlyWhatDiffersIsRead(t *testing.T) {
	at(t, func(d *desk) {
		for _, id := range []string{"same", "late", "grown", "older", "gone", "touched"} {
			d.logs.set(session(id, 10))
		}
		c := d.open()
		d.wantList(c, "touched same older late grown gone")
		d.logs.read = nil

		d.logs.remove("gone")
		d.logs.set(session("missing", 11))
		grown := session("grown", 10)
		grown.Size++
		d.logs.set(grown)
		for id, by := range map[string]time.Duration{"late": time.Second, "touched": time.Hour, "older": -time.Hour} {
			row := session(id, 10)
			row.Modified = row.Modified.Add(by)
			d.logs.set(row)
		}
		d.wantList(c, "touched missing same late grown older")
		if got := d.logs.reads(); got != "gone grown missing older touched" {
			t.Errorf("read were %q", got)
		}
		d.logs.read = nil
		d.wantList(c, "touched missing same late grown older")
		if got := d.logs.reads(); got != "" {
			t.Errorf("read again were %q", got)
		}
	})
}

// More rows and logs than one batch, in every combination.
func TestALookAtManyLogs(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		d.wantList(c, "")
		name := func(n int) string {
			return strings.Repeat("z", n%40) + string(rune('a'+n/40%26)) + string(rune('a'+n/1040))
		}
		want := 0
		for n := range 3000 {
			if n%3 > 0 {
				c.Put(session(name(n), n))
			}
			if n%3 < 2 || n > 2000 {
				d.logs.set(session(name(n), n+5))
				want++
			}
		}
		c.Close(context.Background())
		c = d.open()
		p, err := c.List(context.Background(), catalog.Query{})
		if err != nil || len(p.Rows) != want {
			t.Errorf("List = %d rows, %v; want %d", len(p.Rows), err, want)
		}
		for _, r := range p.Rows {
			if l := d.logs.rows[r.ID]; l.Size != r.Size {
				t.Errorf("the row of %s is stale", r.ID)
			}
		}
	})
}

// A row that this process writes during a comparison is newer than the row that the
// comparison read.
func TestALookDoesNotOverwriteWhatIsPutMeanwhile(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("changed", 1))
		d.logs.set(session("deleted", 2))
		d.logs.set(session("changed later", 3))
		c := d.open()
		d.logs.describing = func(id string) {
			if id == "deleted" { // they are read in the order of their ids: both were
				c.Put(session("changed", 7))
				c.Put(session("created", 8))
				c.Forget("deleted")
			}
		}
		if got := d.list(c, catalog.Query{}); got != "created changed changed later" && got != "changed later" {
			t.Errorf("List = %q", got)
		}
		time.Sleep(time.Second)
		d.logs.mu.Lock()
		d.logs.describing = nil
		d.logs.mu.Unlock()
		if row, _, _ := c.Get(context.Background(), "changed"); row.Size != 7 {
			t.Errorf("the row is %+v", row)
		}
		if _, found, _ := c.Get(context.Background(), "deleted"); found {
			t.Error("a deleted session is back")
		}
		if _, found, _ := c.Get(context.Background(), "created"); !found {
			t.Error("a new session is lost")
		}
	})
}

// A session that another process creates after the folder was listed keeps its row.
func TestALookDoesNotRemoveWhatItCameTooEarlyFor(t *testing.T) {
	at(t, func(d *desk) {
		other := d.open()
		d.wantList(other, "")
		d.logs.slow = time.Minute
		d.wantList(d.open(), "") // starts a comparison
		d.put(other, session("new", 1))
		time.Sleep(time.Hour)
		if _, found, err := other.Get(context.Background(), "new"); !found || err != nil {
			t.Errorf("Get = %v, %v", found, err)
		}
		if reads := d.logs.reads(); reads != "new" {
			t.Errorf("read were %q", reads)
		}
	})
}

func TestLooksAreRationed(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		looks := func(want int, when string) {
			t.Helper()
			d.list(c, catalog.Query{})
			time.Sleep(d.logs.slow)
			synctest.Wait()
			if got := d.logs.asked(); got != want {
				t.Errorf("%s: %d looks, want %d", when, got, want)
			}
		}
		looks(1, "the first list")
		d.logs.slow = 5 * time.Millisecond
		looks(2, "one that costs little is always due")
		looks(3, "one that costs little is always due")
		d.logs.slow = 0
		d.logs.slow = time.Second
		looks(4, "this one takes a second")
		looks(4, "at once")
		time.Sleep(97 * time.Second)
		looks(4, "98 seconds later")
		time.Sleep(2 * time.Second)
		looks(5, "100 seconds later")
		looks(5, "at once")
		c.Close(context.Background())
		c = d.open(existing)
		looks(5, "by one who came to list")
		c.Close(context.Background())
		c = d.open()
		looks(6, "by a process that writes: the one before may have been killed")
		looks(6, "at once")
	})
}

func TestASessionThatIsDeletedDuringTheLook(t *testing.T) {
	at(t, func(d *desk) {
		c := d.open()
		d.put(c, session("a", 1))
		d.wantList(c, "a")
		d.logs.set(session("a", 2))
		d.logs.describing = func(id string) { delete(d.logs.rows, id) }
		d.wantList(c, "")
		if d.warnings() != 0 {
			t.Errorf("logged:\n%s", d.said)
		}
	})
}

func TestALogThatCannotBeReadIsLeftOut(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("a", 1))
		d.logs.broken = errors.New("the disk is gone")
		c := d.open()
		if got := d.list(c, catalog.Query{}); !strings.Contains(got, "the disk is gone") {
			t.Errorf("List = %q", got)
		}
		d.logs.broken = nil
		d.wantList(c, "a")
		d.logs.broken = errors.New("the disk is gone")
		d.wantList(c, "a") // which is what is known
		if d.warnings() != 2 {
			t.Errorf("logged:\n%s", d.said)
		}
	})
}

func TestCloseGivesALookUp(t *testing.T) {
	at(t, func(d *desk) {
		for n := range 2000 {
			d.logs.set(session(strings.Repeat("x", n+1), n))
		}
		c := d.open()
		d.logs.describing = func(string) { time.Sleep(time.Second) }
		failed := make(chan error)
		go func() {
			_, err := c.List(context.Background(), catalog.Query{})
			failed <- err
		}()
		time.Sleep(time.Second + time.Millisecond)
		began := time.Now()
		c.Close(context.Background())
		if err := <-failed; err == nil || time.Since(began) > 3*time.Second {
			t.Errorf("List = %v after %v", err, time.Since(began))
		}
	})
}

// The source reads what other programs have written. A panic there must end neither the
// program nor the comparisons after it.
func TestAComparisonThatPanics(t *testing.T) {
	at(t, func(d *desk) {
		d.logs.set(session("a", 1))
		d.logs.describing = func(string) { panic("an odd log") }
		c := d.open()
		if _, err := c.List(context.Background(), catalog.Query{}); fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), "goroutine") {
			t.Errorf("List = %v, want unavailable, without a stack", err)
		}
		if logged := d.said.String(); !strings.Contains(logged, "an odd log") || !strings.Contains(logged, "compare_test.go") {
			t.Errorf("the log has no reason: %s", logged)
		}
		d.logs.describing = nil
		d.wantList(c, "a")
	})
}
