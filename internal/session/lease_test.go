package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// shared is a store in memory, from which another node can take sessions over.
type shared struct{ *logtest.Memory }

func (shared) Dir(id string) string { return "/home/session-state/" + id }

// inShared is inBubble with such a store.
func inShared(t *testing.T, f func(d *desk, store shared), replies ...modeltest.Reply) {
	store := shared{&logtest.Memory{}}
	bubble(t, &desk{fs: vfs.NewMem(), store: store}, func(d *desk) { f(d, store) }, replies...)
}

// takeOver has node-b claim session s1 from its present owner.
func (d *desk) takeOver(store shared) *logtest.Writer {
	d.t.Helper()
	s, lease := store.TakeOver("s1", "node-b")
	w := logtest.Write(d.t, s, nil)
	w.Lease = lease
	return w
}

// log is what is stored of session s1.
func (d *desk) log(store shared) []string {
	return logtest.Collect(d.t, eventlog.Scan(context.Background(), store, "s1"))
}

// TestALostLeaseEndsTheRun: in every state, the run ends at once and names the owner
// that has taken the session over; nothing of it is recorded, and nothing that waits begins.
func TestALostLeaseEndsTheRun(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		reply modeltest.Reply
		until func(s *seat)
	}{
		{"a model call", modeltest.Silent(), func(s *seat) { s.until("assistant.turn_start") }},
		{"a tool", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}, func(s *seat) { s.until("external_tool.requested") }},
		{"a permission", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"it"}`)}}, func(s *seat) { s.until("permission.requested") }},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			inShared(t, func(d *desk, store shared) {
				s := d.create(tools("lookup", "ask"))
				s.send("What is it?")
				tc.until(s)
				s.send("And then?") // waits
				s.rest()
				told, before := len(s.told), d.log(store)
				other := d.takeOver(store)
				after := s.rest()[told:]
				for _, e := range after {
					if !e.Ephemeral {
						t.Errorf("%s was recorded after the lease was lost", e.Type)
					}
				}
				failure := last(t, after, "session.error")
				if message := field(failure, "message"); !strings.Contains(message, "taken over by node-b") || field(failure, "errorType") != "conflict" {
					t.Errorf("the error is %s", failure.Data)
				}
				if end := after[len(after)-1]; end.Type != "session.idle" || count(after, "session.idle") != 1 {
					t.Errorf("the run ends with:\n%s", types(after))
				}
				if diff := cmp.Diff(before, d.log(store)); diff != "" {
					t.Errorf("the log (-before +after the loss):\n%s", diff)
				}
				_, err := s.s.Send(context.Background(), wire.Send{Prompt: "Are you there?"})
				if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "node-b") {
					t.Errorf("Send while node-b works = %v", err)
				}
				other.Close()
			}, tc.reply)
		})
	}
}

// TestTheNextCommandClaimsAnew, takes in what the other owner has recorded, and closes
// what the lost run had left open.
func TestTheNextCommandClaimsAnew(t *testing.T) {
	for _, records := range []int{0, 1} { // by the other owner
		inShared(t, func(d *desk, store shared) {
			s := d.create(tools("lookup"))
			s.send("What is it?")
			s.until("external_tool.requested")
			other := d.takeOver(store)
			s.until("session.idle")
			if n := int(other.Len()); records > 0 {
				logtest.Append(t, other, n+1, n+records)
			}
			other.Close()
			s.send("And now?")
			told := s.rest()
			if n := count(told, "session.info") - 1; n != records || field(last(t, told, "session.info"), "infoType") != wire.InfoRunEnded {
				t.Errorf("%d records of the other owner were sent, want %d, and then the end of the run", n, records)
			}
			if got := last(t, told, "assistant.message"); field(got, "content") != "It is over." {
				t.Errorf("the answer is %s", got.Data)
			}
			if done := last(t, told, "tool.execution_complete"); field(done, "toolCallId") != "c1" || done.Ephemeral {
				t.Errorf("the open call was closed with %+v", done)
			}
			if n, m := count(told, "tool.execution_start"), count(told, "tool.execution_complete"); n != m {
				t.Errorf("%d calls began and %d ended", n, m)
			}
			if d.log(store)[0] == "" || len(d.log(store)) != len(persisted(told)) {
				t.Errorf("%d events are stored, %d persisted ones were sent", len(d.log(store)), len(persisted(told)))
			}
		},
			modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
			modeltest.Reply{Text: "It is over."},
		)
	}
}

// TestAnIdleSessionThatWasTakenOverIsNotDisturbed: it holds no lease.
func TestAnIdleSessionThatWasTakenOverIsNotDisturbed(t *testing.T) {
	inShared(t, func(d *desk, store shared) {
		s := d.create(tools())
		s.send("hi")
		s.until("session.idle")
		told := len(s.rest())
		d.takeOver(store).Close()
		if after := s.rest()[told:]; len(after) > 0 {
			t.Errorf("sent:\n%s", types(after))
		}
		s.send("hi again")
		s.until("session.idle")
	}, modeltest.Reply{Text: "hello", Repeat: true})
}

// TestLongEvents are stored beside the log, and look to clients, to models and to forks
// like all others.
func TestLongEvents(t *testing.T) {
	long := strings.Repeat("long-", eventlog.MaxRecord/5+1)
	roomy := provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: 1 << 20}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: roomy}}, func(d *desk) {
		s := d.create(whole(tools("lookup")))
		s.send(long)
		s.answer(`"result":"` + long + `"`)
		s.until("session.idle")
		if got := d.conversation(); strings.Count(got, long) != 2 {
			t.Errorf("the model read the long text %d times, want 2", strings.Count(got, long))
		}
		told := persisted(s.rest())
		stored := d.stored("s1")
		if diff := cmp.Diff(told, stored); diff != "" {
			t.Errorf("the sent and the stored events differ (-sent +stored):\n%.2000s", diff)
		}
		fork, err := d.reg.Fork(context.Background(), "s1", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		texts := func(events []wire.Event) (n int) {
			for _, e := range events {
				n += strings.Count(string(e.Data), long)
			}
			return n
		}
		if got := texts(d.stored(fork)); got != texts(told) || got < 2 {
			t.Errorf("the fork has the long text %d times, its source had it %d times", got, texts(told))
		}
		again := d.resume(wire.Config{SessionID: fork})
		again.send("And?")
		again.until("session.idle")
		if got := d.conversation(); strings.Count(got, long) != 2 {
			t.Errorf("in the fork the model read the long text %d times, want 2", strings.Count(got, long))
		}
		synctest.Wait()
		log, err := d.fs.ReadFile("/home/session-state/" + fork + "/events.jsonl")
		if err != nil || len(log) > eventlog.MaxRecord {
			t.Errorf("the log has %d bytes, %v; want the long events beside it", len(log), err)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "Well.", Repeat: true},
	)
}
