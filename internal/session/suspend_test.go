package session_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestASuspendedSessionIsAnsweredAfterAResume(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		before := d.stored("s1")
		if err := s.client.Suspend(context.Background()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.s.Closed():
		default:
			t.Error("the session is still in memory")
		}
		if diff := cmp.Diff(before, d.stored("s1")); diff != "" {
			t.Errorf("the log changed (-before +after):\n%s", diff)
		}

		cfg := tools("ask")
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		if ok, err := s.s.Permissions().Answer(context.Background(), id, permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.answer(`"result":"done"`)
		s.until("session.idle")
		if got, want := d.conversation(), "user: go\nassistant: [ask {\"q\":\"x\"}]\ntool: done\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
}

// A run that waits for no answer continues, and so does one that another client can answer.
func TestSuspendIsDetachWhereNothingWaitsForThatClient(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		other := d.resume(wire.Config{SessionID: "s1", RequestPermission: yes()})
		s.send("go")
		id := field(other.until("permission.requested"), "requestId")
		if err := s.client.Suspend(context.Background()); err != nil {
			t.Fatal(err)
		}
		if ok, err := other.s.Permissions().Answer(context.Background(), id, permit.Answer{}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		other.until("session.idle")
		if err := other.client.Suspend(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stored := d.stored("s1")
		if e := stored[len(stored)-1]; e.Type != "session.shutdown" {
			t.Errorf("the log ends with %s", e.Type)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
}

// When the last client leaves, a run that only waits for clients leaves memory with the log
// as it is: another process can open the session and answer.
func TestARunThatOnlyWaitsLeavesMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		until  wire.EventType
		config wire.Config
	}{
		"a permission":    {"permission.requested", tools("ask")},
		"a client's tool": {"external_tool.requested", wire.Config{SessionID: "s1", Tools: []wire.Tool{{Name: "ask", SkipPermission: true}}}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tc.config)
				s.send("go")
				s.until(tc.until)
				before := d.stored("s1")
				if err := s.client.Detach(context.Background()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				select {
				case <-s.s.Closed():
				default:
					t.Error("the session is still in memory")
				}
				if diff := cmp.Diff(before, d.stored("s1")); diff != "" {
					t.Errorf("the log changed (-before +after):\n%s", diff)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}})
		})
	}
}

// A run whose model is answering stays.
func TestARunThatWorksStays(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		s.until("assistant.turn_start")
		detached := make(chan error, 1)
		go func() { detached <- s.client.Detach(context.Background()) }()
		synctest.Wait()
		select {
		case <-s.s.Closed():
			t.Error("the session has left memory while the model was answering")
		default:
		}
		if err := <-detached; err != nil {
			t.Error(err)
		}
	}, modeltest.Silent())
}
