package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionEnd hooks get why the session ends.
func TestEndHooksGetTheReason(t *testing.T) {
	const slow = 20 * time.Second
	for _, tc := range []struct {
		want  string
		name  string
		reply modeltest.Reply
		opts  registry.Options
		do    func(s *seat) // before the end
		shut  wire.ShutdownType
	}{
		{want: "complete", name: "the run is over", reply: modeltest.Reply{Text: "hi"}},
		{want: "error", name: "the run has failed", reply: modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}},
		{want: "abort", name: "the run was aborted", reply: modeltest.Reply{Text: "hi", Delay: slow}, do: func(s *seat) {
			s.until("assistant.turn_start")
			_ = s.s.Abort(context.Background(), "")
		}},
		{want: "timeout", name: "the time of the run is over", reply: modeltest.Reply{Text: "hi", Delay: slow}},
		{want: "abort", name: "closed during a run", reply: modeltest.Reply{Text: "hi", Delay: slow}, do: func(s *seat) {
			s.until("assistant.turn_start")
			_ = s.s.Close(context.Background())
		}},
		{want: "error", name: "a client says so", reply: modeltest.Reply{Text: "hi"}, shut: "error"},
		{want: "user_exit", name: "the user leaves", reply: modeltest.Reply{Text: "hi"}, opts: registry.Options{UserLeaves: true}},
		{want: "error", name: "the user leaves, but a client says so", reply: modeltest.Reply{Text: "hi"}, shut: "error", opts: registry.Options{UserLeaves: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, calls := hooking(nil)
			bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
				d.stop()
				d.start(tc.opts)
				cfg := hookedTools()
				cfg.Budget = &wire.Budget{TimeoutMs: 10_000}
				s := d.createWith(cfg, client)
				s.send("go")
				if tc.do != nil {
					tc.do(s)
				}
				s.until("session.idle")
				if err := s.s.Shutdown(context.Background(), tc.shut, "broken"); err != nil && fault.KindOf(err) != fault.NotFound {
					t.Error(err)
				}
				<-s.s.Closed()
				if got := (*calls)[len(*calls)-1]; got != "sessionEnd "+tc.want {
					t.Errorf("the last hook is %q, want the reason %q", got, tc.want)
				}
			}, tc.reply)
		})
	}
}
