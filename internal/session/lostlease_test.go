package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recordElsewhere has another owner take session s1 over, record lines and leave.
func (d *desk) recordElsewhere(store shared, lines ...[]byte) {
	d.t.Helper()
	stream, lease := store.TakeOver("s1", "node-b")
	if err := lease.Append(context.Background(), stream.Len(), lines, true); err != nil {
		d.t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// balanced checks that what began in the log of s1 has ended, once.
func (d *desk) balanced(began, ended wire.EventType) {
	d.t.Helper()
	events := d.stored("s1")
	if n, m := count(events, began), count(events, ended); n != m {
		d.t.Errorf("the log has %d %s and %d %s", n, began, m, ended)
	}
}

// A call is open when the lease is lost. The session then rests for longer than its idle
// timeout; the call is closed all the same, here or by the other owner.
func TestAnOpenCallOutlivesTheIdleTimeout(t *testing.T) {
	for _, completes := range []bool{false, true} {
		t.Run(fmt.Sprint("the other owner completes it ", completes), func(t *testing.T) {
			store := shared{&logtest.Memory{}}
			bubble(t, &desk{fs: vfs.NewMem(), store: store, opts: registry.Options{IdleTimeout: 10 * time.Minute}}, func(d *desk) {
				s := d.create(tools("lookup"))
				s.send("What is it?")
				s.until("external_tool.requested")
				other := d.takeOver(store)
				s.until("session.idle")
				time.Sleep(time.Hour)
				synctest.Wait()
				other.Close()
				if completes {
					d.recordElsewhere(store, line(100, "tool.execution_complete", `{"toolCallId":"c1","success":true,"result":{"content":"found"}}`),
						line(101, "assistant.turn_end", `{"turnId":"0"}`))
				}
				s.talk("And now?")
				live := d.conversation()
				d.balanced("tool.execution_start", "tool.execution_complete")
				d.stop()
				d.start(registry.Options{})
				d.resume(tools("lookup")).talk("And then?")
				if resumed := d.conversation(); !strings.HasPrefix(resumed, live) || strings.Contains(live, "found") != completes {
					t.Errorf("the model read before the resume:\n%s\nand after it:\n%s", live, resumed)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// The other owner removes history, begins a call and a summary, and dies. Both are closed
// once, whether the next command is a message or a removal of history.
func TestWhatADeadOwnerLeftOpenAfterARemovalIsClosed(t *testing.T) {
	for _, rewinds := range []bool{false, true} {
		t.Run(fmt.Sprint("removes history ", rewinds), func(t *testing.T) {
			inShared(t, func(d *desk, store shared) {
				s := d.create(brief)
				s.talk("one", "two")
				d.recordElsewhere(store,
					line(100, "session.info", fmt.Sprintf(`{"infoType":"history_truncated","message":"","truncated":{"eventId":%q,"from":9,"removed":1}}`, d.message("two").ID)),
					line(101, "user.message", `{"content":"b"}`), line(102, "assistant.turn_start", `{"turnId":"9"}`),
					line(103, "assistant.message", `{"messageId":"m","content":"","toolRequests":[{"toolCallId":"c1","name":"x","arguments":{}}]}`),
					line(104, "tool.execution_start", `{"toolCallId":"c1","toolName":"x"}`), line(105, "session.compaction_start", `{}`))
				if rewinds {
					s.truncate(d.message("one"))
				}
				s.talk("three")
				s.rest()
				if n, m := count(s.told, "session.compaction_complete"), count(s.told, "tool.execution_complete"); n != 1 || m != 1 {
					t.Errorf("clients saw %d ends of the summary and %d of the call, want one of each", n, m)
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// A compaction whose lease is lost has one end, also if another owner has recorded it.
func TestACompactionWhoseLeaseIsLostEndsOnce(t *testing.T) {
	silent := modeltest.Silent()
	silent.When = asksForSummary
	for name, meanwhile := range map[string]func(d *desk, store shared){
		"the other owner leaves": func(d *desk, store shared) { d.takeOver(store).Close() },
		"the other owner stays until the compaction here has ended": func(d *desk, store shared) {
			other := d.takeOver(store)
			synctest.Wait()
			other.Close()
		},
		"the other owner ends it": func(d *desk, store shared) {
			d.recordElsewhere(store, line(100, "session.compaction_complete", `{"success":false}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inShared(t, func(d *desk, store shared) {
				s := d.create(brief)
				s.talk("one", "two", "three")
				got := make(chan error, 1)
				go func() { _, err := s.s.Compaction().Run(context.Background(), ""); got <- err }()
				s.until("session.compaction_start")
				synctest.Wait()
				meanwhile(d, store)
				if err := <-got; err == nil {
					t.Error("the compaction succeeded")
				}
				s.rest()
				s.talk("four")
				if n := count(s.told, "session.compaction_complete"); n != 1 {
					t.Errorf("clients saw %d ends of the compaction, want 1", n)
				}
				d.balanced("session.compaction_start", "session.compaction_complete")
			}, silent, modeltest.Reply{When: talks, Text: "ok", Repeat: true})
		})
	}
}

// unreadable is a store whose streams cannot be read while fail reports so.
type unreadable struct {
	registry.Store
	fail *func(from uint64) bool
}

func (u unreadable) Create(ctx context.Context, id string) (eventlog.Stream, error) {
	s, err := u.Store.Create(ctx, id)
	return unreadableStream{s, u.fail}, err
}

type unreadableStream struct {
	eventlog.Stream
	fail *func(from uint64) bool
}

func (s unreadableStream) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	if (*s.fail)(from) {
		return func(yield func(eventlog.Record, error) bool) {
			yield(eventlog.Record{}, fault.New(fault.Unavailable, "test.Read", "s1", "%w", errors.New("input/output error")))
		}
	}
	return s.Stream.Read(ctx, from)
}

// Records of another owner are read again if they could not be read at first.
func TestWhatAnotherOwnerRecordedIsReadAgainAfterAFailure(t *testing.T) {
	fail := func(uint64) bool { return false }
	store := shared{&logtest.Memory{}}
	bubble(t, &desk{fs: vfs.NewMem(), store: unreadable{store, &fail}}, func(d *desk) {
		s := d.create(brief)
		s.talk("one")
		d.recordElsewhere(store, line(100, "user.message", `{"content":"there"}`), line(101, "assistant.message", `{"messageId":"m","content":"yes"}`))
		reads := 0
		fail = func(uint64) bool { reads++; return reads == 2 } // the log has read it, the session has not
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two"}); err == nil {
			t.Error("a message was accepted although the conversation could not be read")
		}
		s.talk("three")
		want := "user: one\nassistant: ok\nuser: there\nassistant: yes\nuser: three\n"
		if diff := cmp.Diff(want, d.conversation()); diff != "" {
			t.Errorf("the model read (-want +got):\n%s", diff)
		}
		s.truncate(d.message("three"))
		s.talk("four")
		if diff := cmp.Diff(strings.ReplaceAll(want, "three", "four"), d.conversation()); diff != "" {
			t.Errorf("after a rewind the model read (-want +got):\n%s", diff)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// Another process was killed at work, and this one takes the session over. The log says that the run was cut off,
// and a user interface holds it, as one that opens the session does.
func TestATakeoverSaysThatARunWasCutOff(t *testing.T) {
	for said, held := range map[string]bool{
		"The last run was cut off: its process ended, or another one took the session over.":  false,
		"The process ended while the agent worked. The run and the queued messages are held.": true,
	} {
		t.Run(fmt.Sprint("of a user interface ", held), func(t *testing.T) {
			inShared(t, func(d *desk, store shared) {
				cfg := brief
				cfg.HoldPendingWork = held
				s := d.create(cfg)
				s.talk("zero")
				d.recordElsewhere(store, line(100, "user.message", `{"content":"one"}`), line(101, "assistant.turn_start", `{"turnId":"1"}`),
					line(102, "session.info", `{"infoType":"message_queued","message":"","queued":{"messageId":"m2","prompt":"two"}}`))
				if err := s.s.Settings().SetMode(context.Background(), "plan"); err != nil { // which claims the session
					t.Fatal(err)
				}
				d.balanced("assistant.turn_start", "assistant.turn_end")
				info := last(t, d.stored("s1"), "session.info")
				p, err := s.s.Queue().Pending(context.Background())
				if err != nil || p.Held != held || p.Interrupted != held || field(info, "message") != said {
					t.Errorf("%+v, %v; the user reads %s", p, err, info.Data)
				}
				want := "user: zero\nassistant: ok\nuser: one\nuser: two\nassistant: ok\nuser: three\n"
				if held {
					want = "user: zero\nassistant: ok\nuser: one\nassistant: ok\nuser: two\nassistant: ok\nuser: three\n"
					if err := s.s.Queue().HandOver(context.Background()); err != nil { // first the run, then the queue
						t.Error(err)
					}
					s.until("session.idle")
				}
				s.talk("three")
				if diff := cmp.Diff(want, d.conversation()); diff != "" {
					t.Errorf("the model read (-want +got):\n%s", diff)
				}
				if n := count(d.stored("s1"), "abort"); n != 0 {
					t.Errorf("%d aborts", n)
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}
