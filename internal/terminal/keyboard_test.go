package terminal

import (
	"context"
	"errors"
	"io"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A caller that gives up loses no keys: the read continues, and the next caller gets
// them.
func TestKeyboard(t *testing.T) {
	in, typist := io.Pipe()
	k := newKeyboard(in)
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if keys, err := k.next(gaveUp); !errors.Is(err, context.Canceled) {
			t.Fatalf("next after the end of its context is %q, %v", keys, err)
		}
	}
	for _, want := range []string{"one", "two"} {
		if _, err := typist.Write([]byte(want)); err != nil {
			t.Fatal(err)
		}
		if keys, err := k.next(t.Context()); string(keys) != want || err != nil {
			t.Errorf("next is %q, %v, want %q", keys, err, want)
		}
		_, _ = k.next(gaveUp) // wants the next
	}
	if err := typist.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if keys, err := k.next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("next at the end is %q, %v, want io.EOF", keys, err)
		}
	}
	k.stop()
}
