package logtest

import (
	"context"
	"errors"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

var contextRules = []rule{
	{"nothing happens under a context that is done", canceled},
	{"a context ends a read", canceledRead},
}

func canceled(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	claim(t, s)
	Append(t, s, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want %v", what, err, context.Canceled)
		}
	}
	_, err := store.Create(ctx, "another")
	want("Create", err)
	_, err = store.Open(ctx, "s")
	want("Open", err)
	want("Delete", store.Delete(ctx, "s"))
	_, err = store.Sessions(ctx)
	want("Sessions", err)
	want("Append", s.Lease.Append(ctx, 1, [][]byte{Record(2)}, true))
	_, err = s.Lease.Put(ctx, []byte("x"))
	want("Put", err)
	_, err = s.Payload(ctx, eventlog.PayloadName([]byte("x")))
	want("Payload", err)
	_, err = store.Payload(ctx, "s", eventlog.PayloadName([]byte("x")))
	want("Payload of the store", err)
	s.Release()
	_, err = s.Stream.Claim(ctx, "owner")
	want("Claim", err)
	if got, err := store.Sessions(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("Sessions() = %v, %v; want the one session", got, err)
	}
	Append(t, s, 2, 2)
	wantRecords(t, s, Records(1, 2))
}

func canceledRead(t *testing.T, open Open) {
	store, _ := open(t)
	s := create(t, store, "s")
	Append(t, s, 1, 5)
	for what, read := range map[string]func(context.Context) (int, error){
		"Read": func(ctx context.Context) (n int, err error) {
			for _, err = range s.Stream.Read(ctx, 1) {
				n++
			}
			return n, err
		},
		"Scan": func(ctx context.Context) (n int, err error) {
			for _, err = range store.Scan(ctx, "s") {
				n++
			}
			return n, err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if n, err := read(ctx); n != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s under a context that is done yields %d pairs and ends with %v; want one, %v", what, n, err, context.Canceled)
		}
	}
}
