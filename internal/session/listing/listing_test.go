package listing_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// stored is a store that holds logs, given as their lines by session.
func stored(t *testing.T, logs map[string][]string) *logtest.Memory {
	t.Helper()
	store := &logtest.Memory{}
	for id, lines := range logs {
		stream, err := store.Create(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		lease, err := stream.Claim(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			if err := lease.Append(t.Context(), uint64(i), [][]byte{[]byte(line)}, true); err != nil {
				t.Fatal(err)
			}
		}
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func begun(id, cwd string) string {
	return fmt.Sprintf(`{"type":"session.start","id":"1","data":{"sessionId":%q,"startTime":"2026-01-02T03:04:05.000Z","context":{"cwd":%q}}}`, id, cwd)
}

func message(text string) string {
	return fmt.Sprintf(`{"type":"user.message","id":"2","data":{"content":%q}}`, text)
}

func lists(store *logtest.Memory, names map[string]string) *listing.Lists {
	return listing.New(listing.Options{
		Store: store, Logger: slog.New(slog.DiscardHandler), Named: func(id string) (string, bool) { return names[id], false },
	})
}

// Without a catalogue the heads of the logs are read: sessions without a message and a name are not
// listed, and a log that makes no sense does not hide the others.
func TestListsReadTheHeadsOfLogs(t *testing.T) {
	l := lists(stored(t, map[string][]string{
		"a":       {begun("a", "/one"), message("First.\nMore.")},
		"b":       {begun("b", "/two"), message("Second.")},
		"silent":  {begun("silent", "/one")},
		"named":   {begun("named", "/two")},
		"strange": {`{"type":"user.message","data":7}`, `{"no":"event"}`},
	}), map[string]string{"b": "A name", "named": "Later"})
	for _, tc := range []struct {
		filter wire.SessionContext
		want   map[string]string
	}{
		{wire.SessionContext{}, map[string]string{"a": "First.", "b": "A name", "named": "Later"}},
		{wire.SessionContext{Cwd: "/one"}, map[string]string{"a": "First."}},
		{wire.SessionContext{Cwd: "/three"}, map[string]string{}},
	} {
		got := map[string]string{}
		list, err := l.List(t.Context(), tc.filter)
		for _, m := range list {
			got[m.SessionID] = m.Summary
		}
		delete(got, "strange") // it has something like a message
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("List(%+v): %v (-want +got):\n%s", tc.filter, err, diff)
		}
	}
	if m, err := l.Metadata(t.Context(), "silent"); err != nil || m == nil || m.Context.Cwd != "/one" {
		t.Errorf("a session without messages is described as %+v, %v", m, err)
	}
	if m, err := l.Metadata(t.Context(), "none"); m != nil || err != nil {
		t.Errorf("a session that is not there is described as %+v, %v", m, err)
	}
}

func TestHistoryOfAMissingSession(t *testing.T) {
	l := lists(stored(t, nil), nil)
	for _, err := range l.History(t.Context(), "none") {
		if fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("History: %v, want not found", err)
		}
		return
	}
	t.Error("History yielded nothing")
}

// News of one session that directly follow one another are joined, and the oldest are
// dropped when no watcher takes them.
func TestNewsAreJoinedAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lists(stored(t, nil), nil)
		w := l.Watch()
		defer w.Close()
		for i := range 5000 {
			l.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: fmt.Sprint(i)})
			l.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: fmt.Sprint(i)})
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first, n := "", 0
		go func() {
			for news := range w.News(ctx) {
				if n++; first == "" {
					first = news.SessionID
				}
			}
		}()
		synctest.Wait()
		if n != 4096 || first != "904" {
			t.Errorf("%d news, the first of %s; want the newest 4096, from 904", n, first)
		}
		cancel()
		synctest.Wait()
	})
}

// A watcher that is closed gets nothing more.
func TestAClosedWatcherGetsNoNews(t *testing.T) {
	l := lists(stored(t, nil), nil)
	w := l.Watch()
	w.Close()
	l.Publish(wire.Lifecycle{SessionID: "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for news := range w.News(ctx) {
		t.Errorf("it got %+v", news)
	}
}
