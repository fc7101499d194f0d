package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestKindOf(t *testing.T) {
	conflict := fault.New(fault.Conflict, "eventlog.Append", "s1", "log is at 3, caller expected 2")
	for _, tc := range []struct {
		name string
		err  error
		want fault.Kind
	}{
		{"direct", conflict, fault.Conflict},
		{"behind a wrapper", fmt.Errorf("while saving: %w", conflict), fault.Conflict},
		{"the outermost kind counts", fault.New(fault.Denied, "x", "", "%w", conflict), fault.Denied},
		{"a canceled context", fmt.Errorf("x: %w", context.Canceled), fault.Canceled},
		{"a passed deadline", context.DeadlineExceeded, fault.Unavailable},
		{"anything else is ours", errors.New("boom"), fault.Internal},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := fault.KindOf(tc.err); got != tc.want {
				t.Errorf("KindOf(%v) = %v, want %v", tc.err, got, tc.want)
			}
		})
	}
}

func TestErrorSaysWhatOnWhatAndWhy(t *testing.T) {
	err := &fault.Error{Op: "files.Open", On: "/x", Kind: fault.Unavailable, Hint: "check the disk", Err: io.ErrUnexpectedEOF}
	if got, want := err.Error(), "files.Open /x: unexpected EOF (check the disk)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the reason is not reachable through errors.Is")
	}
	if got, want := fault.Message(err), "unexpected EOF (check the disk)"; got != want {
		t.Errorf("Message() = %q, want %q", got, want)
	}
	outer := &fault.Error{Op: "model.Stream", Err: fmt.Errorf("the stream was cut: %w", err)}
	if got, want := fault.Message(outer), "the stream was cut: unexpected EOF (check the disk)"; got != want {
		t.Errorf("Message() of a wrapped fault = %q, want %q", got, want)
	}
}
