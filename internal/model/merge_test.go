package model

import (
	"context"
	"encoding/binary"
	"testing"
	"time"
)

func TestAnAnswerIsBounded(t *testing.T) {
	m := merger{size: maxAnswer - 1}
	if err := m.add(&chunk{Choices: []choice{{Text: "a"}}}); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	if err := m.add(&chunk{Choices: []choice{{Text: "b"}}}); err == nil {
		t.Error("past the bound: no error")
	}
	m = merger{}
	if err := m.add(&chunk{Choices: make([]choice, maxCalls+1)}); err != nil {
		t.Errorf("one choice many times: %v", err)
	}
	many := make([]choice, maxCalls+1)
	for i := range many {
		many[i].Index = i
	}
	if err := m.add(&chunk{Choices: many}); err == nil {
		t.Error("too many choices: no error")
	}
}

func TestTheCatalogIsBounded(t *testing.T) {
	var c catalog
	fetch := func() ([]Info, error) { return nil, nil }
	for i := range 2*maxEndpoints + 1 {
		var key [32]byte
		binary.NativeEndian.PutUint32(key[:], uint32(i))
		if _, err := c.get(context.Background(), key, fetch); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.listings); n > maxEndpoints {
		t.Errorf("%d listings kept, want at most %d", n, maxEndpoints)
	}
	if c.listings[[32]byte{}] != nil {
		t.Error("the oldest listing is still there")
	}
}

func TestRetryDefaults(t *testing.T) {
	want := Retry{Attempts: 4, First: 500 * time.Millisecond, Most: 8 * time.Second, Asked: time.Minute, Total: 90 * time.Second}
	if got := (Retry{}).orDefault(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if wait, _ := want.after(3, 0, &Error{again: true}); wait < time.Second || wait > 2*time.Second {
		t.Errorf("third wait %v, want 1 to 2 s", wait)
	}
	want.Attempts = 100
	if wait, _ := want.after(99, 0, &Error{again: true}); wait < 4*time.Second || wait > 8*time.Second {
		t.Errorf("99th wait %v, want 4 to 8 s", wait)
	}
}
