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
	want := Retry{Attempts: 4, First: 500 * time.Millisecond, Most: 8 * time.Second, Overloaded: 2 * time.Second, Asked: time.Minute, Total: 90 * time.Second}
	if got := (Retry{}).orDefault(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if wait, _ := want.after(3, 0, &Error{Retryable: true}); wait < time.Second || wait > 2*time.Second {
		t.Errorf("third wait %v, want 1 to 2 s", wait)
	}
	busy := &Error{Retryable: true, Category: CategoryOverloaded}
	if wait, _ := want.after(1, 0, busy); wait < time.Second || wait > 2*time.Second {
		t.Errorf("first wait for an overloaded provider %v, want 1 to 2 s", wait)
	}
	want.Attempts = 100
	if wait, _ := want.after(99, 0, busy); wait < 16*time.Second || wait > 32*time.Second {
		t.Errorf("99th wait for an overloaded provider %v, want 16 to 32 s", wait)
	}
	if wait, _ := want.after(99, 0, &Error{Retryable: true}); wait < 4*time.Second || wait > 8*time.Second {
		t.Errorf("99th wait %v, want 4 to 8 s", wait)
	}
}
