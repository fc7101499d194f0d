package model_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// attempts makes a call in fake time to a server that answers r for ever, and
// returns the waits between the requests it got.
func attempts(t *testing.T, r modeltest.Reply) (waits []time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		r.Repeat = true
		r.When = func(*modeltest.Request) bool { at = append(at, time.Now()); return true }
		_, _, err = call(t, asking, r)
		for i := range at[1:] {
			waits = append(waits, at[i+1].Sub(at[i]))
		}
	})
	return waits, err
}

func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	for status, again := range map[int]bool{
		400: false, 401: false, 402: false, 403: false, 404: false, 408: true, 409: true, 413: false, 422: false,
		429: true, 500: true, 501: false, 502: true, 503: true, 504: true, 520: true, 524: true, 529: true,
	} {
		waits, err := attempts(t, modeltest.Failure(status, "", "no"))
		if want := map[bool]int{false: 0, true: 3}[again]; len(waits) != want || err == nil {
			t.Errorf("%d: %d retries, want %d", status, len(waits), want)
		}
	}
	for _, code := range []string{"insufficient_quota", "user_weekly_rate_limited"} {
		if waits, _ := attempts(t, modeltest.Failure(429, code, "no")); len(waits) != 0 {
			t.Errorf("429 %s: %d retries, want none", code, len(waits))
		}
	}
}

func TestWaitsGrowAndVary(t *testing.T) {
	var seen []time.Duration
	for range 20 {
		waits, _ := attempts(t, modeltest.Failure(503, "", "no"))
		for i, full := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
			if waits[i] < full/2 || waits[i] > full {
				t.Errorf("wait %d is %v, want between %v and %v", i+1, waits[i], full/2, full)
			}
		}
		seen = append(seen, waits[0])
	}
	if slices.Max(seen) == slices.Min(seen) {
		t.Error("20 first waits are all alike")
	}
}

func TestAWaitTheProviderAsksForIsKept(t *testing.T) {
	reply := modeltest.Failure(429, "", "later")
	reply.Header = map[string]string{"Retry-After": "20"}
	waits, _ := attempts(t, reply)
	if want := slices.Repeat([]time.Duration{20 * time.Second}, 3); !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
}

func TestWaitsTogetherAreBounded(t *testing.T) {
	reply := modeltest.Failure(429, "", "later")
	reply.Header = map[string]string{"Retry-After": "40"}
	waits, err := attempts(t, reply)
	if want := []time.Duration{40 * time.Second, 40 * time.Second}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v: a third would make two minutes", waits, want)
	}
	if e := failure(t, err); e.RetryAfter != 40*time.Second {
		t.Errorf("RetryAfter %v is lost", e.RetryAfter)
	}
}

func TestRetriesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type report struct {
			attempt int
			wait    time.Duration
			kind    fault.Kind
		}
		var got []report
		req := asking
		req.OnRetry = func(next, _ int, wait time.Duration, err error) {
			got = append(got, report{next, wait, fault.KindOf(err)})
		}
		busy := modeltest.Failure(529, "", "busy")
		busy.Header = map[string]string{"Retry-After": "3"}
		resp, deltas, err := call(t, req, busy, busy, modeltest.Reply{Text: "now"})
		want := []report{{2, 3 * time.Second, fault.Unavailable}, {3, 3 * time.Second, fault.Unavailable}}
		if err != nil || resp.Attempts != 3 || len(deltas) != 1 || !slices.Equal(got, want) {
			t.Errorf("%+v, %v; reports %v, want %v", resp, err, got, want)
		}
	})
}

func TestAnErrorInAStreamIsTriedAgainOnlyBeforeTheFirstDelta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := `{"error":{"message":"busy","code":503}}`
		if resp, _, err := call(t, asking, modeltest.Reply{Events: []string{busy}}, modeltest.Reply{Text: "now"}); err != nil || resp.Text != "now" {
			t.Errorf("before: %v, %v, want another try", resp, err)
		}
		text := `{"choices":[{"delta":{"content":"half"}}]}`
		if _, _, err := call(t, asking, modeltest.Reply{Events: []string{text, busy}}, modeltest.Reply{Text: "now"}); err == nil {
			t.Error("after: tried again, want the error")
		}
	})
}

// refuser is a transport that reaches nobody.
type refuser struct{ tries int }

func (r *refuser) RoundTrip(*http.Request) (*http.Response, error) {
	r.tries++
	return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
}

func TestAServerThatIsNotThereIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refuser{}
		_, err := model.New(model.Options{Transport: r, Logger: slog.New(slog.DiscardHandler)}, chat.New()).Stream(t.Context(), endpoint, asking, nil)
		e := failure(t, err)
		if r.tries != 4 || e.Category != model.CategoryNetwork || e.Message != "no answer: dial: connection refused" {
			t.Errorf("%d tries, %s: %v", r.tries, e.Category, err)
		}
	})
}

func TestACertificateNobodyVouchesForIsNotTriedAgain(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.StartTLS()
	defer srv.Close()
	client := model.New(model.Options{}, chat.New())
	defer client.Close()
	req := asking
	req.OnRetry = func(int, int, time.Duration, error) { t.Error("tried again") }
	_, err := client.Stream(t.Context(), model.Endpoint{BaseURL: srv.URL}, req, nil)
	if e := failure(t, err); e.Category != model.CategoryNetwork {
		t.Errorf("%s: %v", e.Category, err)
	}
}

func TestCancelEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		req := asking
		req.OnRetry = func(int, int, time.Duration, error) { time.AfterFunc(100*time.Millisecond, cancel) }
		start := time.Now()
		_, _, err := callIn(ctx, req, modeltest.Failure(503, "", "no"))
		if fault.KindOf(err) != fault.Canceled || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v, want Canceled after 100 ms", err, time.Since(start))
		}
	})
}
