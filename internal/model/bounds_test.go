package model

import (
	"context"
	"encoding/binary"
	"testing"
	"time"
)

func TestTheListsKeptAreBounded(t *testing.T) {
	var c listings
	fetch := func() ([]Info, error) { return nil, nil }
	for i := range 2*maxEndpoints + 1 {
		var key [32]byte
		binary.NativeEndian.PutUint32(key[:], uint32(i))
		if _, err := c.get(context.Background(), key, fetch); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.by); n > maxEndpoints {
		t.Errorf("%d listings kept, want at most %d", n, maxEndpoints)
	}
	if c.by[[32]byte{}] != nil {
		t.Error("the oldest listing is still there")
	}
}

func TestRetryDefaults(t *testing.T) {
	want := Retry{First: 500 * time.Millisecond, Most: 8 * time.Second, Overloaded: 2 * time.Second, Total: 2 * time.Minute, Hurried: 10 * time.Second}
	if got := (Retry{}).orDefault(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	const left = time.Minute
	if wait, _ := want.after(3, left, &Error{Retryable: true}); wait < time.Second || wait > 2*time.Second {
		t.Errorf("the third wait is %v, want between 1 and 2 s", wait)
	}
	busy := &Error{Retryable: true, Category: CategoryOverloaded}
	if wait, _ := want.after(1, left, busy); wait < time.Second || wait > 2*time.Second {
		t.Errorf("the first wait for an overloaded provider is %v, want between 1 and 2 s", wait)
	}
	if wait, _ := want.after(9, left, busy); wait < 16*time.Second || wait > 32*time.Second {
		t.Errorf("a late wait for an overloaded provider is %v, want between 16 and 32 s", wait)
	}
	if wait, _ := want.after(99, left, &Error{Retryable: true}); wait < 4*time.Second || wait > 8*time.Second {
		t.Errorf("the 99th wait is %v, want between 4 and 8 s", wait)
	}
}
