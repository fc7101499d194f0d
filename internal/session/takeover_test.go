package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// seen are the events of a type that the relay of package server sends to a client.
func (s *seat) seen(t wire.EventType) (n int) {
	for _, e := range s.rest() {
		if e.Type == t && !s.withheld[e.ID] {
			n++
		}
	}
	return n
}

// A client that lost its network resumes while its old connection is still attached.
func TestTheNewestClientTakesOverATool(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		older := d.create(tools("lookup"))
		older.send("go")
		id := field(older.until("external_tool.requested"), "requestId")
		newer := d.resume(tools("lookup", "other"))

		if got := field(last(t, older.rest(), "session.warning"), "warningType"); got != "tool_taken_over" {
			t.Errorf("the older client was warned of %q", got)
		}
		if n := older.seen("external_tool.completed"); n != 1 {
			t.Errorf("the older client was informed %d times that its call is over", n)
		}
		again := newer.until("external_tool.requested")
		if !again.Ephemeral || field(again, "requestId") != id {
			t.Errorf("the newer client got %+v, want the open call once more", again)
		}
		if older.reply(id, `"result":"from the older"`) {
			t.Error("the older client's answer counted")
		}
		if !newer.reply(id, `"result":"from the newer"`) {
			t.Error("the newer client's answer did not count")
		}
		newer.answer(`"result":"second"`)
		newer.until("session.idle")
		if n := older.seen("external_tool.requested"); n != 1 {
			t.Errorf("the older client saw %d calls, want its own alone", n)
		}
		if n := newer.seen("session.warning") + newer.seen("external_tool.requested") - 2; n != 0 {
			t.Errorf("the newer client got %s", types(newer.told))
		}
		if diff := cmp.Diff([]string{"lookup", "other"}, d.model.Requests()[1].Tools); diff != "" {
			t.Errorf("tools on offer (-want +got):\n%s", diff)
		}
		if n := count(d.stored("s1"), "external_tool.requested"); n != 2 {
			t.Errorf("%d calls are stored, want two", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

// The client that lost a tool provides it again when it resumes, and keeps its others.
func TestAToolGoesBackToAClientThatResumes(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		first := d.create(tools("lookup", "other"))
		second := d.resume(tools("lookup"))
		again, err := d.reg.Resume(context.Background(), tools("lookup", "other"), nil, first.client)
		if err != nil {
			t.Fatal(err)
		}
		first = d.sit(again)
		first.send("go")
		first.answer(`"result":"1"`)
		first.until("session.idle")
		if n := second.seen("external_tool.requested"); n != 0 {
			t.Errorf("the second client saw %d calls of a tool that it has lost", n)
		}
		if n := len(d.model.Requests()[0].Tools); n != 2 {
			t.Errorf("%d tools on offer, want each once", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

// lookItUp is a model that calls the tool lookup once.
func lookItUp() []modeltest.Reply {
	return []modeltest.Reply{{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}, {Text: "ok", Repeat: true}}
}

// A client loses its connection while its tool runs, and resumes while another client is
// attached: it gets the call again, whether its old connection ends before or after that.
func TestAClientThatComesBackGetsItsOpenCallAgain(t *testing.T) {
	for _, leavesFirst := range []bool{false, true} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			keeper := d.create(tools())
			old := d.resume(tools("lookup"))
			keeper.send("go")
			id := field(old.until("external_tool.requested"), "requestId")
			if leavesFirst {
				old.leave()
			}
			back := d.resume(tools("lookup"))
			if !leavesFirst {
				old.leave()
			}
			if n := back.seen("external_tool.requested"); n != 1 {
				t.Errorf("leaves first %v: the client got the call %d times after it came back, want once", leavesFirst, n)
			}
			if !back.reply(id, `"result":"found"`) {
				t.Error("its answer did not count")
			}
			keeper.until("session.idle")
			if n := count(d.stored("s1"), "external_tool.requested"); n != 1 {
				t.Errorf("the log holds the call %d times", n)
			}
		}, lookItUp()...)
	}
}

// The client that took a tool over leaves. The one that had it before is still there.
func TestAfterTheNewOwnerLeftTheOldOneCanAnswer(t *testing.T) {
	for _, resumes := range []bool{false, true} {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			older := d.create(tools("lookup"))
			older.send("go")
			id := field(older.until("external_tool.requested"), "requestId")
			d.resume(tools("lookup")).leave()
			if resumes {
				c, err := d.reg.Resume(context.Background(), tools("lookup"), nil, older.client)
				if err != nil {
					t.Fatal(err)
				}
				older = d.sit(c)
				if n := older.seen("external_tool.requested"); n != 1 {
					t.Errorf("the client that resumed got the call %d times, want once", n)
				}
			}
			if !older.reply(id, `"result":"found"`) {
				t.Errorf("resumes %v: the answer of the only client did not count", resumes)
				_ = older.s.Abort(context.Background(), "")
			}
			older.until("session.idle")
		}, lookItUp()...)
	}
}

// A client that resumes on the connection on which its handler runs does not get the call
// again: the handler would run twice.
func TestAClientThatReplacesItselfKeepsItsCall(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		id := field(s.until("external_tool.requested"), "requestId")
		c, err := d.reg.Resume(context.Background(), tools("lookup"), nil, s.client)
		if err != nil {
			t.Fatal(err)
		}
		s = d.sit(c)
		if n := s.seen("external_tool.requested"); n != 0 {
			t.Errorf("the client got the call %d times again", n)
		}
		if !s.reply(id, `"result":"found"`) {
			t.Error("its answer did not count")
		}
		s.until("session.idle")
	}, lookItUp()...)
}

// When no client was attached, the call is not sent again, as the protocol has it: the client that
// got it may have acted on it, and its answer under the same request id counts.
func TestAResumeOfADesertedSessionDoesNotRepeatItsCall(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		id := field(s.until("external_tool.requested"), "requestId")
		s.leave()
		cfg := tools("lookup")
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		if n := s.seen("external_tool.requested"); n != 0 {
			t.Errorf("the client got the call %d times again", n)
		}
		if !s.reply(id, `"result":"found"`) {
			t.Error("its answer did not count")
		}
		s.until("session.idle")
	}, lookItUp()...)
}
