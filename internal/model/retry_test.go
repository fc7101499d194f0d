package model_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
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
		if again != (len(waits) > 5) || !again && len(waits) > 0 || err == nil {
			t.Errorf("%d: %d retries, want retries %v", status, len(waits), again)
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

func TestAProviderCannotAskForMoreCallsThanUsual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := slices.Repeat([]modeltest.Reply{modeltest.Failure(429, "", "Rate limit reached: please try again in 0.0001ms.")}, 8)
		start := time.Now()
		_, _, err := call(t, asking, append(replies, modeltest.Reply{Text: "now"})...)
		if took := time.Since(start); err != nil || took < 8*250*time.Millisecond {
			t.Errorf("eight waits took %v: %v", took, err)
		}
	})
}

func TestACallIsTriedForTwoMinutes(t *testing.T) {
	for _, status := range []int{500, 503, 529} {
		waits, err := attempts(t, modeltest.Failure(status, "", "no"))
		var all time.Duration
		for _, w := range waits {
			all += w
		}
		e := failure(t, err)
		if all != 2*time.Minute || e.TriedFor != all || e.Tried != len(waits)+1 || !strings.Contains(err.Error(), "times in 2m0s") {
			t.Errorf("%d: tried for %v, want two minutes and an error that says so: %v", status, all, err)
		}
	}
}

func TestACallSucceedsAfterABadMinute(t *testing.T) {
	for _, reply := range []modeltest.Reply{modeltest.Failure(503, "", "no"), modeltest.Failure(529, "", "busy"), modeltest.Failure(429, "", "later")} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			reply.Repeat = true
			reply.When = func(*modeltest.Request) bool { return time.Since(start) < time.Minute }
			resp, _, err := call(t, asking, reply, modeltest.Reply{Text: "now", Repeat: true})
			if err != nil || resp.Text != "now" || resp.Attempts < 4 {
				t.Errorf("%d: %+v, %v", reply.Status, resp, err)
			}
		})
	}
}

func TestAHurriedCallIsTriedForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, req := time.Now(), asking
		req.Hurried = true
		busy := modeltest.Failure(503, "", "no")
		busy.Repeat = true
		if _, _, err := call(t, req, busy); err == nil || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v, want the error after 10 s", err, time.Since(start))
		}
	})
}

func TestAWaitTheProviderAsksForIsKept(t *testing.T) {
	for header, value := range map[string]string{"Retry-After": "20", "Retry-After-Ms": "20000"} {
		reply := modeltest.Failure(429, "", "later")
		reply.Header = map[string]string{header: value}
		waits, err := attempts(t, reply)
		if want := slices.Repeat([]time.Duration{20 * time.Second}, 6); !slices.Equal(waits, want) {
			t.Errorf("%s: waits %v, want %v", header, waits, want)
		}
		if e := failure(t, err); e.RetryAfter != 20*time.Second {
			t.Errorf("RetryAfter %v is lost", e.RetryAfter)
		}
	}
}

func TestAWaitThatIsTooLongEndsACallAtOnce(t *testing.T) {
	reply := modeltest.Failure(429, "", "later")
	reply.Header = map[string]string{"Retry-After": "121"}
	waits, err := attempts(t, reply)
	if want := "retry after 2m1s (a call is tried again for 2m0s at most)"; len(waits) != 0 || !strings.Contains(err.Error(), want) {
		t.Errorf("%d retries, %v, want %q at once", len(waits), err, want)
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
		req.OnRetry = func(next int, wait, _ time.Duration, err error) {
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

// breaking are answers that break off after text.
var breaking = map[string]modeltest.Reply{
	"an error in the stream":  {Events: []string{half, `{"error":{"message":"busy","code":503}}`}},
	"a stream without an end": {Events: []string{half}},
	"silence":                 {Text: "half", StallAfter: 1},
}

const half = `{"choices":[{"delta":{"content":"half"}}]}`

func TestAnErrorInAStreamBeforeTheFirstDeltaIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := `{"error":{"message":"busy","code":503}}`
		if resp, _, err := call(t, asking, modeltest.Reply{Events: []string{busy}}, modeltest.Reply{Text: "now"}); err != nil || resp.Text != "now" {
			t.Errorf("%v, %v, want another try", resp, err)
		}
	})
}

func TestAnAnswerThatBreaksOffIsAskedForAgainOnlyIfTheCallerDropsIt(t *testing.T) {
	for name, reply := range breaking {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if _, _, err := call(t, asking, reply, modeltest.Reply{Text: "now"}); err == nil {
					t.Error("tried again, want the error")
				}
				req, broken := asking, 0
				req.OnBroken = func(err error) {
					broken++
					if e := failure(t, err); !e.Delivered {
						t.Errorf("%v", err)
					}
				}
				if resp, _, err := call(t, req, reply, modeltest.Reply{Text: "now"}); err != nil || resp.Text != "now" || resp.Attempts != 2 || broken != 1 {
					t.Errorf("%+v, %v after %d reports, want another try and one report", resp, err, broken)
				}
			})
		})
	}
}

func TestAnAnswerThatBreaksOffIsAskedForThreeTimesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req, broken := asking, 0
		req.OnBroken = func(error) { broken++ }
		reply := breaking["a stream without an end"]
		reply.Repeat = true
		_, _, err := call(t, req, reply)
		if e := failure(t, err); broken != 3 || e.Tried != 4 || !e.Delivered {
			t.Errorf("%d reports, %v, want 3 and the error", broken, err)
		}
	})
}

// refuser is a transport that reaches nobody.
type refuser struct{ tries int }

func (r *refuser) RoundTrip(*http.Request) (*http.Response, error) {
	r.tries++
	return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
}

func TestAServerThatIsNotThereIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refuser{}
		_, err := model.New(model.Options{Transport: r, Logger: slog.New(slog.DiscardHandler)}, chat.New()).Stream(t.Context(), endpoint, asking, nil)
		e := failure(t, err)
		if r.tries < 10 || e.TriedFor != 2*time.Minute || e.Category != model.CategoryNetwork || e.Message != "no answer: dial: connection refused" {
			t.Errorf("%d tries, %s: %v", r.tries, e.Category, err)
		}
	})
}

// A server elsewhere may be behind something that starts it again; one on this machine is most likely not running.
func TestAServerOfThisMachineThatIsNotThereIsTriedAFewTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refuser{}
		here := model.Endpoint{BaseURL: "http://127.0.0.1:11434/v1"}
		_, err := model.New(model.Options{Transport: r, Logger: slog.New(slog.DiscardHandler)}, chat.New()).Stream(t.Context(), here, asking, nil)
		if e := failure(t, err); r.tries != 5 || e.TriedFor > 10*time.Second || e.Category != model.CategoryNetwork {
			t.Errorf("%d tries in %v, %v, want 5", r.tries, e.TriedFor, err)
		}
	})
}

// lost is a transport whose name server does not know the host.
type lost struct{ tries int }

func (r *lost) RoundTrip(*http.Request) (*http.Response, error) {
	r.tries++
	return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "model.test", IsNotFound: true}}
}

func TestAHostWithoutAnAddressIsTriedAFewTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &lost{}
		_, err := model.New(model.Options{Transport: r, Logger: slog.New(slog.DiscardHandler)}, chat.New()).Stream(t.Context(), endpoint, asking, nil)
		if e := failure(t, err); r.tries != 5 || e.Category != model.CategoryNetwork {
			t.Errorf("%d tries, %v, want 5", r.tries, err)
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
	req.OnRetry = func(int, time.Duration, time.Duration, error) { t.Error("tried again") }
	_, err := client.Stream(t.Context(), model.Endpoint{BaseURL: srv.URL}, req, nil)
	if e := failure(t, err); e.Category != model.CategoryNetwork {
		t.Errorf("%s: %v", e.Category, err)
	}
}

func TestCancelEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		req := asking
		req.OnRetry = func(int, time.Duration, time.Duration, error) { time.AfterFunc(100*time.Millisecond, cancel) }
		start := time.Now()
		_, _, err := callIn(ctx, req, modeltest.Failure(503, "", "no"))
		if fault.KindOf(err) != fault.Canceled || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v, want Canceled after 100 ms", err, time.Since(start))
		}
	})
}
