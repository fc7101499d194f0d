package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A tool of a client gets the trace that its run belongs to: that of the message, else that of the
// create or resume. If spans are written, it gets the span of the call.
func TestToolsOfClientsGetTheTrace(t *testing.T) {
	const ofCreate, ofSend = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01"
	for _, tc := range []struct {
		name, create, send string
		together           bool // with session.sendMessages
		spans              bool
		want               string
	}{
		{"none", "", "", false, false, "null"},
		{"of the create", ofCreate, "", false, false, ofCreate},
		{"of the message", ofCreate, ofSend, false, false, ofSend},
		{"of messages", ofCreate, ofSend, true, false, ofSend},
		{"too long for one", strings.Repeat("x", 201), "", false, false, "null"},
		{"of the span", ofCreate, "", false, true, "s1 of " + ofCreate},
		{"of a span that belongs to none", "", "", false, true, "s1 of "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run := ""
			bubble(t, &desk{fs: vfs.NewMem()}, func(d *desk) {
				if tc.spans {
					d.stop()
					d.start(registry.Options{Trace: func(s, id, traceparent string) string { run = id; return s + " of " + traceparent }})
				}
				cfg := tools("lookup")
				cfg.Traceparent = tc.create
				s := d.create(cfg)
				send := func() error {
					_, err := s.s.Send(context.Background(), wire.Send{Prompt: "go", Traceparent: tc.send})
					return err
				}
				if tc.together {
					send = func() error {
						_, err := s.s.Queue().SendAll(context.Background(), "session.sendMessages", wire.SendMessages{Messages: []wire.Send{{Prompt: "go"}}, Traceparent: tc.send})
						return err
					}
				}
				if err := send(); err != nil {
					t.Fatal(err)
				}
				asked := s.answer(`"result":"it"`)
				s.until("session.idle")
				if got := field(asked, "traceparent"); got != tc.want {
					t.Errorf("the traceparent is %q, want %q", got, tc.want)
				}
				if id := field(last(t, s.told, "user.message"), "interactionId"); tc.spans && run != id {
					t.Errorf("the span is of the run %q, want %q", run, id)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}, modeltest.Reply{Text: "done"})
		})
	}
}
