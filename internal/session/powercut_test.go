package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// cutPower ends the process and the machine, so that only what was synced is there, and
// starts both again.
func (d *desk) cutPower() {
	d.fs.(*vfs.Mem).Crash()
	d.stop() // it cannot write any more
	d.start(d.opts)
}

// infos are the kinds of session.info events in the log.
func infos(events []wire.Event) (kinds []string) {
	for _, e := range events {
		if e.Type == "session.info" {
			kinds = append(kinds, field(e, "infoType"))
		}
	}
	return kinds
}

// An event of these kinds that a client has received survives a loss of power: with the
// durability "turn", it is synced before it is sent.
func TestWhatAPowerCutLeaves(t *testing.T) {
	ctx := context.Background()
	twice := modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "one", `{"q":"x"}`), call("c2", "two", `{"q":"x"}`)}}
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		until func(s *seat) // the power cut
		left  wire.EventType
		info  string // of a session.info
	}{
		{"a message", modeltest.Silent(), func(s *seat) { s.until("user.message") }, "user.message", ""},
		{"the start of a call", twice, func(s *seat) { s.until("external_tool.requested") }, "tool.execution_start", ""},
		{"the end of a call", twice, func(s *seat) { s.answer(`"result":"r"`); s.until("tool.execution_complete") }, "tool.execution_complete", ""},
		{"the end of a turn", modeltest.Reply{Text: "ok"}, func(s *seat) { s.until("assistant.turn_end") }, "assistant.turn_end", ""},
		{"a message that waits", modeltest.Silent(), func(s *seat) { s.queue(wire.Send{Prompt: "later"}) }, "session.info", wire.InfoMessageQueued},
		{"its removal", modeltest.Silent(), func(s *seat) {
			s.queue(wire.Send{Prompt: "later"})
			if ok, err := s.s.Queue().RemoveLast(ctx); !ok || err != nil {
				s.d.t.Fatal(ok, err)
			}
		}, "session.info", wire.InfoMessagesDropped},
		{"a rewind", modeltest.Reply{Text: "ok"}, func(s *seat) { s.until("session.idle"); s.truncate(s.d.message("go")) }, "session.info", wire.InfoHistoryTruncated},
		{"a command of the user", modeltest.Reply{Text: "ok"}, func(s *seat) {
			s.until("session.idle")
			if _, err := s.s.Send(ctx, wire.Send{Prompt: "ls", AgentMode: "shell"}); err != nil {
				s.d.t.Fatal(err)
			}
			s.until("tool.user_requested")
		}, "tool.user_requested", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			box := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{stuck{}}} }
			bubble(t, &desk{fs: vfs.NewMem(), tools: box}, func(d *desk) {
				s := d.create(tools("one", "two"))
				s.send("go")
				tc.until(s)
				sent := persisted(s.rest())
				d.cutPower()
				left := d.stored("s1")
				if diff := cmp.Diff(sent[:min(len(left), len(sent))], left); diff != "" {
					t.Errorf("the log is not what was sent first (-sent +left):\n%s", diff)
				}
				if n := count(sent, tc.left); n == 0 || n != count(left, tc.left) || tc.info != "" && !slices.Contains(infos(left), tc.info) {
					t.Errorf("%d events of type %s were sent; left are:\n%s%s", n, tc.left, types(left), strings.Join(infos(left), " "))
				}
			}, tc.reply)
		})
	}
}
