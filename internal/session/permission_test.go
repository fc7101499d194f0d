package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestPermissions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer permit.Answer
		kind   string
		read   string // "" if the model is not asked again
	}{
		{"approved once", permit.Answer{Outcome: permit.Approved}, "approved", "done"},
		{"approved for the session", permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}, "approved-for-session", "done"},
		{"rejected", permit.Answer{Outcome: permit.Rejected, Feedback: "not today"}, "denied-interactively-by-user", ""},
		{"no client", permit.Answer{}, "denied-no-approval-rule-and-could-not-request-from-user", "Permission denied and could not request permission from user"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("ask"))
				s.send("go")
				id := field(s.until("permission.requested"), "requestId")
				if ok, err := s.s.Permissions().Answer(context.Background(), id, tc.answer); !ok || err != nil {
					t.Fatalf("AnswerPermission = %v, %v", ok, err)
				}
				if ok, _ := s.s.Permissions().Answer(context.Background(), id, tc.answer); ok {
					t.Error("the same question was answered twice")
				}
				if tc.answer.Outcome == permit.Approved {
					s.answer(`"result":"done"`)
				}
				s.until("session.idle")
				if got := field(last(t, s.rest(), "permission.completed"), "result", "kind"); got != tc.kind {
					t.Errorf("permission.completed has %s, want %s", got, tc.kind)
				}
				if tc.read == "" {
					if msg := field(last(t, s.told, "tool.execution_complete"), "error", "message"); !strings.Contains(msg, "user rejected") || !strings.Contains(msg, "not today") {
						t.Errorf("the event has %q, want that the user rejected it, and why", msg)
					}
					if n := len(d.model.Requests()); n != 1 {
						t.Errorf("the model was asked %d times after a rejection", n)
					}
				} else if got := d.conversation(); !strings.HasSuffix(got, "tool: "+tc.read+"\n") {
					t.Errorf("the model read:\n%s", got)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestAnApprovalForTheSessionIsAskedForOnceAlsoAfterAResume(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		_, _ = s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession})
		s.answer(`"result":"1"`)
		s.answer(`"result":"2"`)
		s.until("session.idle")
		if n := count(s.rest(), "permission.requested"); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = d.resume(tools("ask"))
		s.send("again")
		s.answer(`"result":"3"`)
		s.until("session.idle")
		if n := count(s.rest(), "permission.requested"); n != 0 {
			t.Errorf("asked again after the resume")
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok"},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"3"}`)}},
		modeltest.Reply{Text: "ok"},
	)
}

func TestIfNoClientCanDecideTheAnswerIsNoAtOnce(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("ask")
		cfg.RequestPermission = nil
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "tool: Permission denied and could not request permission from user\n") {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
}

func TestARejectionInterruptsTheOtherCalls(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask", "slow"))
		s.send("go")
		s.until("external_tool.requested") // slow is under way and never answers
		id := field(last(t, s.rest(), "permission.requested"), "requestId")
		if ok, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Rejected}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.until("session.idle")
		if got := count(s.rest(), "tool.execution_complete"); got != 2 {
			t.Errorf("%d calls were completed, want both:\n%s", got, types(s.told))
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`), call("c2", "slow", `{"q":"x"}`)}})
}

// An approval answers the other open requests that it covers.
func TestAnApprovalAnswersTheOthersThatWaitForTheSame(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		s.until("permission.requested")
		id := field(s.until("permission.requested"), "requestId")
		if ok, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.answer(`"result":"1"`)
		s.answer(`"result":"2"`)
		s.until("session.idle")
		if n := count(s.told, "permission.completed"); n != 2 {
			t.Errorf("%d questions were reported as answered, want both:\n%s", n, types(s.told))
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`), call("c2", "ask", `{"q":"2"}`)}}, modeltest.Reply{Text: "ok"})
}

func TestAllowAllAnswersWhatWaitsAndDenyStillWins(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask", "ask2"))
		if err := s.s.Permissions().Configure(context.Background(), wire.PermissionsPatch{
			Rules: &wire.PermissionRules{Denied: []wire.PermissionRule{{Kind: "custom-tool", Argument: new("ask2")}}},
		}); err != nil {
			t.Fatal(err)
		}
		s.send("go")
		s.until("permission.requested")
		if mode, err := s.s.Permissions().SetMode(context.Background(), wire.ModeAllowAll); mode != wire.ModeAllowAll || err != nil {
			t.Fatalf("SetPermissionMode = %v, %v", mode, err)
		}
		s.answer(`"result":"1"`)
		s.until("session.idle")
		if n := count(s.told, "permission.requested"); n != 1 {
			t.Errorf("%d questions, want one: what is denied is not asked", n)
		}
		if got := d.conversation(); !strings.Contains(got, "tool: Permission denied by ask2 (session.permissions.configure).") {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`), call("c2", "ask2", `{"q":"2"}`)}}, modeltest.Reply{Text: "ok"})
}

// An approval for a location, or for always, that loses against a denial is not saved.
func TestOnlyTheAnswerThatCountsIsSaved(t *testing.T) {
	var deny func()
	disk := &interrupted{FS: vfs.NewMem(), f: func() { deny() }}
	inBubble(t, disk, func(d *desk) {
		d.stop()
		d.start(registry.Options{Permissions: "/home/permissions.json"})
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		denied := make(chan bool, 1)
		deny = func() {
			go func() {
				ok, _ := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Rejected})
				denied <- ok
			}()
			synctest.Wait()
		}
		approved, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation})
		if err != nil || approved == <-denied {
			t.Fatalf("Answer = %v, %v; one of the two has to count", approved, err)
		}
		loaded, err := s.s.Permissions().ApplyLocation(context.Background(), "")
		if err != nil || (loaded.AppliedRuleCount == 1) != approved {
			t.Errorf("%d rules are saved, %v, of an approval that counted: %v", loaded.AppliedRuleCount, err, approved)
		}
		if approved {
			s.answer(`"result":"1"`)
		}
		s.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}

// interrupted is a disk that calls f once, when the file of grants is about to be replaced.
type interrupted struct {
	vfs.FS
	f      func()
	called atomic.Bool
}

func (d *interrupted) Rename(from, to string) error {
	if strings.HasSuffix(to, "permissions.json") && !d.called.Swap(true) {
		d.f()
	}
	return d.FS.Rename(from, to)
}

// An approval for a location holds for the next session there, in another process.
func TestAnApprovalForALocation(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Permissions: "/home/permissions.json"})
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		if ok, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.answer(`"result":"1"`)
		s.until("session.idle")
		d.stop()
		d.start(registry.Options{Permissions: "/home/permissions.json"})
		cfg := tools("ask")
		cfg.SessionID = "s2"
		s = d.create(cfg)
		loaded, err := s.s.Permissions().ApplyLocation(context.Background(), "")
		if err != nil || loaded.AppliedRuleCount != 1 || loaded.LocationKey != "/work" {
			t.Fatalf("ApplyLocation = %+v, %v", loaded, err)
		}
		s.send("again")
		s.answer(`"result":"2"`)
		s.until("session.idle")
		if n := count(s.told, "permission.requested"); n != 0 {
			t.Error("asked again in the same place")
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"2"}`)}}, modeltest.Reply{Text: "ok"},
	)
}
