package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func (s *seat) clear(first string) int64 {
	s.d.t.Helper()
	n, err := s.s.History().Clear(context.Background(), first)
	if err != nil {
		s.d.t.Fatalf("ClearContext: %v", err)
	}
	return n
}

var twoCalls = modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "wipe", `{"q":"x"}`), call("c2", "other", `{"q":"x"}`)}}

// clearing brings the session to where a tool clears the conversation, beside another
// call, with a message that waits; request is that of the tool's call.
func (d *desk) clearing(terminal bool) (s *seat, request, other string) {
	cfg := tools("wipe", "other")
	cfg.Tools[0].Terminal = terminal
	s = d.create(cfg)
	s.talk("one")
	s.send("two")
	for range 2 {
		e := s.until("external_tool.requested")
		if field(e, "toolName") == "wipe" {
			request = field(e, "requestId")
		} else {
			other = field(e, "requestId")
		}
	}
	s.queue(wire.Send{Prompt: "later"})
	if n := s.clear("no"); n != 4 {
		d.t.Errorf("%d messages went, want two and the answer to the first, and the calls", n)
	}
	if n := s.clear("afresh"); n != 0 {
		d.t.Errorf("%d messages went the second time", n)
	}
	return s, request, other
}

// The model reads nothing of the earlier conversation, whether or not the tool ends the
// run, and messages that waited come after the first message of the new one.
func TestAToolBeginsTheConversationAnew(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		t.Run(fmt.Sprint("terminal=", terminal), func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s, request, other := d.clearing(terminal)
				s.reply(other, `"result":"noise"`)
				s.reply(request, `"result":"done"`)
				s.until("session.idle")
				if diff := cmp.Diff("user: afresh\nassistant: new\nuser: later\n", d.conversation()); diff != "" {
					t.Errorf("the model read (-want +got):\n%s", diff)
				}
				if n := count(s.told, "tool.execution_complete"); n != 2 {
					t.Errorf("%d calls were completed, want both", n)
				}
				e := last(t, s.told, "session.context_cleared")
				if field(e, "initialMessage") != "afresh" || field(e, "messagesCleared") != "0" {
					t.Errorf("sent: %s", e.Data)
				}
				d.crash() // a replay comes to the same
				s = d.resume(tools("wipe", "other"))
				s.talk("again")
				if want := "user: afresh\nassistant: new\nuser: later\nassistant: after\nuser: again\n"; d.conversation() != want {
					t.Errorf("after a crash the model read:\n%s", d.conversation())
				}
			}, modeltest.Reply{Text: "1"}, twoCalls, modeltest.Reply{Text: "new"}, modeltest.Reply{Text: "after"}, modeltest.Reply{Text: "ok"})
		})
	}
}

// If the process dies with the calls under way, the first message is still sent after a
// resume, and nothing that was cleared returns.
func TestAClearedConversationSurvivesACrash(t *testing.T) {
	for _, goOn := range []bool{false, true} {
		t.Run(fmt.Sprint("continue=", goOn), func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				_, request, other := d.clearing(false)
				d.crash()
				cfg := tools("wipe", "other")
				cfg.ContinuePendingWork = goOn
				s := d.resume(cfg)
				if goOn {
					s.reply(other, `"result":"noise"`)
					s.reply(request, `"result":"done"`)
				} else {
					s.send("go on")
				}
				s.until("session.idle")
				read := d.conversation()
				if !strings.HasPrefix(read, "user: afresh\n") || !strings.Contains(read, "user: later\n") {
					t.Errorf("the model read:\n%s", read)
				}
				for _, cleared := range []string{"two", "wipe", "noise", "interrupted", "user: no\n"} {
					if strings.Contains(read, cleared) {
						t.Errorf("the model read %q:\n%s", cleared, read)
					}
				}
			}, modeltest.Reply{Text: "1"}, twoCalls, modeltest.Reply{Text: "new"}, modeltest.Reply{Text: "after"})
		})
	}
}

// Cleared messages return when a rewind removes the clearing.
func TestAClearingCanBeTakenBack(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s, request, other := d.clearing(true)
		s.reply(other, `"result":"noise"`)
		s.reply(request, `"result":"done"`)
		s.until("session.idle")
		s.truncate(d.message("two"))
		s.talk("three")
		if want := "user: one\nassistant: 1\nuser: three\n"; d.conversation() != want {
			t.Errorf("the model read:\n%s", d.conversation())
		}
	}, modeltest.Reply{Text: "1"}, twoCalls, modeltest.Reply{Text: "new"}, modeltest.Reply{Text: "after"}, modeltest.Reply{Text: "ok"})
}

func TestOnlyAToolClearsAConversation(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(brief)
		s.talk("one")
		for first, want := range map[string]fault.Kind{"afresh": fault.Conflict, "": fault.Invalid} {
			if _, err := s.s.History().Clear(context.Background(), first); err == nil || fault.KindOf(err) != want {
				t.Errorf("ClearContext(%q): %v, want a fault of kind %v", first, err, want)
			}
		}
		s.talk("two")
		if want := "user: one\nassistant: 1\nuser: two\n"; d.conversation() != want {
			t.Errorf("the model read:\n%s", d.conversation())
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}
