package model_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// silences are the places where a provider can fall silent.
var silences = map[string]modeltest.Reply{
	"before the status":    modeltest.Silent(),
	"before the first":     {StallAfter: -1},
	"in the middle":        {Text: "abc", Piece: 1, StallAfter: 2},
	"before the very end":  {Text: "a", StallAfter: 2},
	"before an error body": {Status: 400, StallAfter: -1},
}

func TestSilenceIsBounded(t *testing.T) {
	for name, reply := range silences {
		if reply.Status != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, tries := time.Now(), 0
				reply.Repeat, reply.When = true, func(*modeltest.Request) bool { tries++; return true }
				_, _, err := call(t, asking, reply)
				e := failure(t, err)
				if e.Category != model.CategoryTimeout || fault.KindOf(err) != fault.Unavailable || !strings.Contains(e.Message, "silent for 5m0s") {
					t.Errorf("%s: %v, want a timeout that names its limit", e.Category, err)
				}
				want := 2 // the budget is over when the second ends
				if e.Delivered {
					want = 1
				}
				least := time.Duration(want) * 5 * time.Minute
				if took := time.Since(start); tries != want || took < least || took > least+time.Second {
					t.Errorf("%d tries in %v, want %d in %v", tries, took, want, least)
				}
			})
		})
	}
}

func TestSilenceIsMeasuredBetweenEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := modeltest.Reply{Text: "abcdef", Piece: 1, Delay: 4 * time.Minute, Gap: 4 * time.Minute}
		if resp, _, err := call(t, asking, slow); err != nil || resp.Text != "abcdef" {
			t.Errorf("%v, %v: no gap was too long", resp, err)
		}
	})
}

func TestTheCallersOwnTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := modeltest.NewServer(modeltest.Reply{Text: "abc", Piece: 1})
		defer srv.Close()
		busy := func(model.Delta) { <-time.After(time.Hour) }
		if _, err := newClient(srv).Stream(t.Context(), endpoint, asking, busy); err != nil {
			t.Errorf("a slow listener was taken for a silent provider: %v", err)
		}
	})
}

func TestAnErrorDoesNotWaitLongForItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, _, err := call(t, asking, silences["before an error body"])
		if e := failure(t, err); e.Status != 400 || fault.KindOf(err) != fault.Invalid || time.Since(start) != 5*time.Second {
			t.Errorf("%v after %v, want the status after 5 s", err, time.Since(start))
		}
	})
}

func TestCancelEndsACallWhereverItIs(t *testing.T) {
	stop := errors.New("the user pressed stop")
	for name, reply := range silences {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(stop) })
				start := time.Now()
				_, _, err := callIn(ctx, asking, reply)
				if fault.KindOf(err) != fault.Canceled || !errors.Is(err, stop) || time.Since(start) != time.Second {
					t.Errorf("%v after %v, want Canceled with its cause after 1 s", err, time.Since(start))
				}
			})
		})
	}
}

func TestCancelOverASocketIsHeardAtOnce(t *testing.T) {
	for name, reply := range silences {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var canceled time.Time
			reply.When = func(*modeltest.Request) bool {
				time.AfterFunc(20*time.Millisecond, func() { canceled = time.Now(); cancel() })
				return true
			}
			srv := modeltest.NewServer(reply)
			defer srv.Close()
			client := model.New(model.Options{}, chat.New())
			defer client.Close()
			_, err := client.Stream(ctx, model.Endpoint{BaseURL: srv.URL()}, asking, nil)
			if took := time.Since(canceled); fault.KindOf(err) != fault.Canceled || took > 5*time.Second { // some milliseconds, but for a busy machine
				t.Errorf("%v %v after the cancel", err, took)
			}
		})
	}
}

func TestTheCallersDeadlineIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, _, err := callIn(ctx, asking, modeltest.Silent())
		e := failure(t, err)
		if e.Category != model.CategoryTimeout || fault.KindOf(err) != fault.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", e.Category, err)
		}
	})
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	srv := modeltest.NewServer(modeltest.Reply{Text: "x", Repeat: true})
	defer srv.Close()
	dials := 0
	client := model.New(model.Options{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials++
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}, chat.New())
	defer client.Close()
	for range 5 {
		for _, req := range []model.Request{asking, asked} {
			if _, err := client.Stream(t.Context(), model.Endpoint{BaseURL: srv.URL()}, req, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if dials != 1 {
		t.Errorf("10 calls took %d connections, want 1", dials)
	}
}
