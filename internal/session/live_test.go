package session_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// live is what the registry says of session s1.
func (d *desk) live() listing.Live {
	d.t.Helper()
	list := slices.Collect(d.reg.Live())
	if len(list) != 1 || list[0].ID != "s1" {
		d.t.Fatalf("Live = %+v, want s1", list)
	}
	return list[0]
}

// Live says what a session does from its creation on: working, waiting for its user, and idle again, with what waits
// and what it has cost. It needs no goroutine of the session, so it says it at once.
func TestLiveSaysWhatASessionDoes(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		if list := slices.Collect(d.reg.Live()); len(list) != 0 {
			t.Errorf("Live without a session = %+v", list)
		}
		began := time.Now()
		s := d.create(tools("ask"))
		want := listing.Live{ID: "s1", Cwd: "/work", Model: "m", Doing: listing.Idle, Since: began, Changed: began, Clients: 1}
		compare := func(when string) {
			t.Helper()
			if diff := cmp.Diff(want, d.live(), cmpopts.EquateApproxTime(time.Millisecond)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		compare("after the creation")

		time.Sleep(time.Minute)
		asked := time.Now()
		s.send("What is it?")
		request := field(s.until("permission.requested"), "requestId")
		s.send("And then?")
		s.rest()
		want.Name, want.Doing, want.Since, want.Changed, want.Queued = "What is it?", listing.Waiting, asked, asked, 1
		want.Waiting = []state.Question{{ID: request, Event: "permission.requested", Tool: "ask"}}
		got := d.live()
		want.Tokens = got.Tokens // the first call's
		compare("while a permission is asked for")

		time.Sleep(time.Minute)
		if _, err := s.s.Permissions().Answer(context.Background(), request, permit.Answer{Outcome: permit.Approved}); err != nil {
			t.Fatal(err)
		}
		call := s.until("external_tool.requested")
		s.rest()
		want.Doing, want.Waiting, want.Since, want.Changed = listing.Working, nil, time.Now(), time.Now()
		compare("while a client runs the tool")

		s.reply(field(call, "requestId"), `"result":"this"`)
		s.rest()
		idle := d.live()
		if idle.Doing != listing.Idle || idle.Queued != 0 || idle.Tokens <= want.Tokens || len(idle.Waiting) > 0 {
			t.Errorf("after the run: %+v", idle)
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if list := slices.Collect(d.reg.Live()); len(list) != 0 {
			t.Errorf("Live when the session has left = %+v", list)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"it"}`)}, Usage: &modeltest.Usage{Input: 10, Output: 5}}, modeltest.Reply{Text: "Done.", Usage: &modeltest.Usage{Input: 20, Output: 5}, Repeat: true})
}

// reading is a reader of a session that keeps what it reads.
type reading struct {
	mu        sync.Mutex
	persisted []uint64
	ephemeral []wire.EventType
	err       error
	stop      context.CancelFunc
}

// follow starts to read session s1.
func (d *desk) follow(after uint64) *reading {
	d.t.Helper()
	rd, err := d.reg.Tail(context.Background(), "s1", after)
	if err != nil {
		d.t.Fatalf("Tail: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &reading{stop: stop}
	go func() {
		for rec, err := range rd.Records(ctx) {
			r.took(rec, err)
		}
	}()
	return r
}

func (r *reading) took(rec eventlog.Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, _ := wire.ParseEvent(rec.AppendJSON(nil))
	switch {
	case err != nil:
		r.err = err
	case rec.Ephemeral:
		r.ephemeral = append(r.ephemeral, e.Type)
	default:
		r.persisted = append(r.persisted, rec.Pos)
	}
}

// reads checks that the reader has everything that is in the log, once and in order, and waits for more.
func (r *reading) reads(d *desk, after uint64) {
	d.t.Helper()
	time.Sleep(5 * time.Second) // a look at the file of another process
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var want []uint64
	for n := range uint64(len(d.stored("s1"))) {
		if n+1 > after {
			want = append(want, n+1)
		}
	}
	if diff := cmp.Diff(want, r.persisted); diff != "" || r.err != nil {
		d.t.Errorf("the reader got, with error %v (-want +got):\n%s", r.err, diff)
	}
}

// A reader follows a session from storage, through memory, out of it, into another process and back, with no gap and
// no repeat. It keeps the session nowhere.
func TestAReaderFollowsASessionWhereverItIs(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		leave := func(s *seat) {
			t.Helper()
			if err := s.client.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		s := d.create(brief)
		s.talk("one")
		leave(s)
		r, late := d.follow(0), d.follow(3)
		r.reads(d, 0)
		if len(slices.Collect(d.reg.Live())) != 0 {
			t.Error("a reader has opened the session")
		}

		s = d.resume(brief)
		synctest.Wait() // ephemeral events reach only readers that have noticed that the session is in memory
		s.talk("two")
		r.reads(d, 0)
		late.reads(d, 3)
		if !slices.Contains(r.ephemeral, "session.idle") {
			t.Errorf("of a session in memory the reader got no session.idle, but %v", r.ephemeral)
		}
		leave(s)
		if len(slices.Collect(d.reg.Live())) != 0 {
			t.Error("a reader keeps the session in memory")
		}

		other := d.besides(registry.Options{})
		there := other.resume(brief)
		there.talk("three")
		r.reads(d, 0)
		s = d.resume(brief) // in both processes
		there.talk("four")
		r.reads(d, 0)
		other.stop()
		s.talk("five")
		r.reads(d, 0)
		late.reads(d, 3)
		late.stop()
		synctest.Wait()
		if late.err != context.Canceled {
			t.Errorf("a reader that was stopped ends with %v", late.err)
		}

		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if fault.KindOf(r.err) != fault.NotFound {
			t.Errorf("the reader of a deleted session ends with %v", r.err)
		}
		r.stop()
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A reader of a session that is only stored learns of the deletion, too, and there is none of a session that does
// not exist. A position past the end belongs to another history.
func TestAReaderOfAMissingSession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		if _, err := d.reg.Tail(context.Background(), "none", 0); fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("Tail of no session = %v", err)
		}
		s := d.create(brief)
		s.talk("one")
		past := d.follow(1000)
		synctest.Wait()
		if fault.KindOf(past.err) != fault.Conflict {
			t.Errorf("a position past the end is %v", past.err)
		}
		past.stop()
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r := d.follow(0)
		r.reads(d, 0)
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if fault.KindOf(r.err) != fault.NotFound {
			t.Errorf("the reader ends with %v", r.err)
		}
		r.stop()
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
