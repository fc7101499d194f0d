package front

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Retries that the interface does not read keep no question back.
func TestRetriesKeepNoQuestionBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		calls, retries, to := make(chan *tui.Call, 1), make(chan tui.Retry), newRelay()
		go passOn(ctx, to, calls, func(c *tui.Call) *tui.Call { return c }, retries, func(r tui.Retry) tui.Retry { return r })
		for n := range 2 * cap(to.retries) {
			retries <- tui.Retry{Next: n}
		}
		asked := &tui.Call{Ctx: t.Context(), Method: "userInput.request"}
		calls <- asked
		if got := <-to.calls; got != asked {
			t.Errorf("the question is %+v", got)
		}
		if len(to.retries) != cap(to.retries) {
			t.Errorf("%d retries wait", len(to.retries))
		}
	})
}

// A request that another client has answered is forgotten.
func TestRequestsOfOthersAreForgotten(t *testing.T) {
	g := newAnswering()
	for _, id := range []string{"p1", "p2"} {
		g.question(timeline.Request{ID: id}, "/w", "", approval.Offer{Again: true})
	}
	var events iter.Seq2[follow.Event, error] = func(yield func(follow.Event, error) bool) {
		yield(follow.Event{Event: wire.Event{Header: wire.Header{Type: "permission.completed"}, Data: []byte(`{"requestId":"p1"}`)}}, nil)
	}
	passed := 0
	for range g.watch(events) {
		passed++
	}
	if passed != 1 || len(g.again) != 1 || !g.again["p2"] {
		t.Errorf("%d events were passed on; %v is known", passed, g.again)
	}
}
