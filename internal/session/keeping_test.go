package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// keeping is a desk whose store has claims that are worth keeping.
func keeping(t *testing.T, keep eventlog.Keeping, f func(d *desk, store shared)) {
	store := shared{&logtest.Memory{Keep: keep}}
	bubble(t, &desk{fs: vfs.NewMem(), store: store, opts: registry.Options{}}, func(d *desk) { f(d, store) }, modeltest.Reply{Text: "ok", Repeat: true})
}

// claimable claims session s1 as another process does, and leaves.
func claimable(t *testing.T, store shared) bool {
	t.Helper()
	stream, err := store.Memory.Open(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	_, err = stream.Claim(context.Background(), "node-b")
	if err != nil && fault.KindOf(err) != fault.Conflict {
		t.Fatal(err)
	}
	return err == nil
}

// A claim is kept after a run for as long as the store says, and for the next run; it goes
// back at once when another owner asks.
func TestAClaimIsKeptForAsLongAsTheStoreSays(t *testing.T) {
	keeping(t, eventlog.Keeping{Keep: 10 * time.Minute}, func(d *desk, store shared) {
		s := d.create(brief)
		s.talk("one")
		time.Sleep(9 * time.Minute)
		s.talk("two") // under the same claim, which is kept anew
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		if claimable(t, store) {
			t.Error("the claim was not kept")
		}
		synctest.Wait()
		if !claimable(t, store) {
			t.Error("the claim is kept although another owner has asked for it")
		}
		s.talk("three")
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if !claimable(t, store) {
			t.Error("the claim is kept for longer than the store says")
		}
		s.talk("four")
	})
}

// A session that is closed keeps nothing.
func TestAClosedSessionKeepsNoClaim(t *testing.T) {
	keeping(t, eventlog.Keeping{Keep: time.Hour}, func(d *desk, store shared) {
		d.create(brief).talk("one")
		d.stop()
		if !claimable(t, store) {
			t.Error("a closed session keeps its claim")
		}
	})
}

// stalling is a store that does not answer claims or appends while it is told to.
type stalling struct {
	registry.Store
	claims, appends *bool
}

func (s stalling) Create(ctx context.Context, id string) (eventlog.Stream, error) {
	stream, err := s.Store.Create(ctx, id)
	return stallingStream{stream, s}, err
}

type stallingStream struct {
	eventlog.Stream
	stalling
}

func (s stallingStream) Claim(ctx context.Context, owner string) (eventlog.Lease, error) {
	if *s.claims {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	lease, err := s.Stream.Claim(ctx, owner)
	return stallingLease{lease, s.stalling}, err
}

type stallingLease struct {
	eventlog.Lease
	stalling
}

func (l stallingLease) Append(ctx context.Context, at uint64, recs [][]byte, durable bool) error {
	if *l.appends {
		<-ctx.Done()
		return ctx.Err()
	}
	return l.Lease.Append(ctx, at, recs, durable)
}

// A store that does not answer holds no session up for longer than its bounds say. A claim may
// be tried again; after an append nobody knows what is stored, so nothing more is recorded.
func TestAStoreThatDoesNotAnswer(t *testing.T) {
	claims, appends := false, false
	store := shared{&logtest.Memory{Keep: eventlog.Keeping{ClaimWait: 5 * time.Second, AppendWait: 10 * time.Second}}}
	bubble(t, &desk{fs: vfs.NewMem(), store: stalling{store, &claims, &appends}}, func(d *desk) {
		s := d.create(brief)
		s.talk("one")
		sending := func(bound time.Duration) {
			t.Helper()
			begin := time.Now()
			_, err := s.s.Send(context.Background(), wire.Send{Prompt: "two"})
			if fault.KindOf(err) != fault.Unavailable || time.Since(begin) != bound {
				t.Errorf("Send = %v after %v, want unavailable after %v", err, time.Since(begin), bound)
			}
		}
		claims = true
		sending(5 * time.Second)
		claims = false
		s.talk("three")
		appends = true
		sending(10 * time.Second)
		appends = false
		sending(0)
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
