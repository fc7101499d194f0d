package mailbox_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBubble runs a test with a mailbox whose goroutine ends with the test.
func inBubble(t *testing.T, f func(t *testing.T, m *mailbox.Mailbox)) {
	synctest.Test(t, func(t *testing.T) {
		m, end, ended := mailbox.New(), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			defer m.Close()
			for {
				select {
				case f := <-m.Functions():
					f.Run()
				case <-end:
					return
				}
			}
		}()
		f(t, m)
		close(end)
		<-ended
	})
}

// within is a context that ends after a second of the bubble.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

func slow() (string, error) {
	time.Sleep(time.Minute)
	return "late", nil
}

func TestAResultIsHandedOver(t *testing.T) {
	inBubble(t, func(t *testing.T, m *mailbox.Mailbox) {
		wrong := errors.New("wrong")
		got, err := mailbox.Ask(t.Context(), m.Post, func() (int, error) { return 7, wrong })
		if got != 7 || !errors.Is(err, wrong) {
			t.Errorf("Ask = %d, %v, want 7 and the error of the function", got, err)
		}
	})
}

// A caller whose context ends returns at once. The function that has begun runs to its
// end, once; one that waits behind it never runs.
func TestACallerNeedNotWait(t *testing.T) {
	inBubble(t, func(t *testing.T, m *mailbox.Mailbox) {
		runs, begin := make(chan string, 3), time.Now()
		got, err := mailbox.Ask(within(t), m.Post, func() (string, error) {
			runs <- "first"
			return slow()
		})
		if got != "" || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("after %v: Ask = %q, %v, want the error of the context after 1s", time.Since(begin), got, err)
		}
		if err := m.Post(within(t), func() error { runs <- "second"; return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Post = %v, want the error of the context", err)
		}
		if err := m.Post(t.Context(), func() error { runs <- "third"; return nil }); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("after %v: Post = %v, want nil after 1m", time.Since(begin), err)
		}
		if a, b := <-runs, <-runs; a != "first" || b != "third" || len(runs) > 0 {
			t.Errorf("%s and %s ran, and %d more; want the first and the third", a, b, len(runs))
		}
	})
}

func TestNothingBeginsForAContextThatHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, m *mailbox.Mailbox) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // the goroutine is ready too, and either may be chosen
			err := m.Post(ctx, func() error { t.Error("the function ran"); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Post = %v, want the error of the context", err)
			}
		}
	})
}

func TestAClosedMailboxRunsNothing(t *testing.T) {
	m := mailbox.New()
	m.Close()
	err := m.Post(t.Context(), func() error { t.Error("the function ran"); return nil })
	if !errors.Is(err, mailbox.ErrClosed) {
		t.Errorf("Post = %v, want ErrClosed", err)
	}
}

func TestAResultIsDeliveredOrAbandoned(t *testing.T) {
	inBubble(t, func(t *testing.T, m *mailbox.Mailbox) {
		abandoned := make(chan string, 2)
		abandon := func(result string) { abandoned <- result }
		got, err := mailbox.Deliver(t.Context(), m.Post, slow, abandon)
		if got != "late" || err != nil {
			t.Errorf("Deliver = %q, %v, want the result", got, err)
		}
		got, err = mailbox.Deliver(within(t), m.Post, slow, abandon)
		if got != "" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Deliver = %q, %v, want the error of the context", got, err)
		}
		if result := <-abandoned; result != "late" || len(abandoned) > 0 {
			t.Errorf("%q and %d more were abandoned, want one result", result, len(abandoned))
		}
		wrong := errors.New("wrong")
		_, err = mailbox.Deliver(t.Context(), m.Post, func() (string, error) { return "none", wrong }, abandon)
		if !errors.Is(err, wrong) || len(abandoned) > 0 {
			t.Errorf("Deliver = %v with %d abandoned, want only the error of the function", err, len(abandoned))
		}
	})
}
