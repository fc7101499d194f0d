package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestAPanicIsAnInternalError(t *testing.T) {
	err := fault.Guard("room.Act", func() error { panic("boom") })
	if fault.KindOf(err) != fault.Internal || !strings.HasPrefix(err.Error(), "room.Act: panic: boom\n") || !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("Guard = %v, want the panic and its stack", err)
	}
	if got := fault.Message(fmt.Errorf("the run: %w", err)); got != "the run: panic: boom" {
		t.Errorf("Message = %q, want it without the stack", got)
	}
	if got := fault.ForClient(errors.Join(err, errors.New("more")), "room.act"); got != "room.act: panic: boom\nmore" {
		t.Errorf("ForClient = %q", got)
	}
	failure := errors.New("no luck")
	if !fault.IsPanic(fmt.Errorf("the run: %w", err)) || fault.IsPanic(failure) || fault.IsPanic(nil) {
		t.Error("IsPanic is wrong about a panic, another error or none")
	}
	if err := fault.Guard("room.Act", func() error { return failure }); err != failure {
		t.Errorf("Guard without a panic = %v, want the function's error", err)
	}
}
