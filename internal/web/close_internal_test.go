package web

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Close waits for the answers under way, but not longer than its context.
func TestCloseWaitsForAnswersWithinItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(Options{Logger: slog.New(slog.DiscardHandler)})
		stuck := make(chan struct{})
		d.runs.Go(func() { <-stuck })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := d.Close(ctx); fault.KindOf(err) != fault.Unavailable || time.Since(began) != time.Second {
			t.Errorf("Close = %v after %s", err, time.Since(began))
		}
		close(stuck)
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
