package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// TestADiskThatFailsNeverHangsARun fails each write in turn: the command that
// needed it says so, or the run ends with an error and exactly one idle.
func TestADiskThatFailsNeverHangsARun(t *testing.T) {
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("write %d", n), func(t *testing.T) {
			failing := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
				if op.Name == "write" && op.N >= n {
					hit = true
					return syscall.ENOSPC
				}
				return nil
			})
			inBubble(t, failing, func(d *desk) {
				c, err := d.reg.Create(context.Background(), tools("lookup"))
				if err != nil {
					if fault.KindOf(err) != fault.Unavailable {
						t.Errorf("Create = %v, want unavailable", err)
					}
					return
				}
				s := d.sit(c)
				if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "go"}); err != nil {
					if !strings.Contains(err.Error(), "no space") {
						t.Errorf("Send = %v, want it to say that there is no space", err)
					}
					return
				}
				synctest.Wait()
				if e := s.rest(); count(e, "external_tool.requested") == 1 {
					s.reply(field(last(t, e, "external_tool.requested"), "requestId"), `"result":"r"`)
				}
				events := s.rest()
				if count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want exactly one idle, last:\n%s", types(events))
				}
				if hit && count(events, "session.error") != 1 {
					t.Errorf("want one error:\n%s", types(events))
				}
				if a, b := persisted(events), d.stored("s1"); len(a) != len(b) {
					t.Errorf("%d persisted events were told, %d are stored", len(a), len(b))
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
		})
		if !hit {
			if n < 10 {
				t.Errorf("a run with a tool took %d writes; the test does not reach it", n-1)
			}
			return
		}
	}
}

func TestAnotherProcessThatWritesIsNoticed(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("session.idle")
		first := d.reg
		d.start(session.Options{})
		other := d.resume(wire.Config{SessionID: "s1"})
		other.send("two")
		other.until("session.idle")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "three"}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Send of the first process = %v, want a conflict", err)
		}
		if err := first.Close(context.Background()); err != nil {
			t.Error(err)
		}
		checkChain(t, d.stored("s1"))
		if n := count(d.stored("s1"), "user.message"); n != 2 {
			t.Errorf("%d messages are stored, want those that were accepted", n)
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}

func TestWhatIsTooLongHarmsNothingElse(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		huge := strings.Repeat("x", 65<<20)
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: huge}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send of 65 MiB = %v, want an invalid request", err)
		}
		s.send("go")
		s.answer(`"result":"` + huge + `"`)
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "tool: The tool's result is too long to be kept. Ask for less of it.\n") {
			t.Errorf("the model read:\n%.300s", got)
		}
		if a, b := count(s.rest(), "tool.execution_start"), count(s.told, "tool.execution_complete"); a != 1 || b != 1 {
			t.Errorf("%d calls started, %d completed", a, b)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}

func TestDamageIsRepairedAndToldOnce(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		const name = "/home/session-state/s1/events.jsonl"
		torn := append(snapshot(t, disk, name), "this is no event\n{\"type\":\"user.mess"...)
		if err := vfs.WriteFileAtomic(disk, name, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			s = d.resume(wire.Config{SessionID: "s1"})
			if err := s.client.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n := count(d.stored("s1"), "session.warning"); n != 1 {
				t.Errorf("after %d resumes there are %d warnings, want one", i+1, n)
			}
		}
		s = d.resume(wire.Config{SessionID: "s1"})
		s.send("still there?")
		s.until("session.idle")
		if got, want := d.conversation(), "user: hi\nassistant: hello\nuser: still there?\n"; got != want {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{Text: "hello"}, modeltest.Reply{Text: "yes"})
}

// slowly makes each write take a second of fake time once it is switched on.
type slowly struct{ on atomic.Bool }

func (s *slowly) rule(op vfs.Op) error {
	if op.Name == "write" && s.on.Load() {
		time.Sleep(time.Second)
	}
	return nil
}

func TestTheLastDetachReturnsWhenTheLogIsClosed(t *testing.T) {
	slow := &slowly{}
	inBubble(t, vfs.Fail(vfs.NewMem(), slow.rule), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		slow.on.Store(true)
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.s.Closed():
		default:
			t.Error("another process that opened the log now would meet this one")
		}
	})
}

func TestASessionThatIsCreatedWhileTheServerEndsEndsWithIt(t *testing.T) {
	slow := &slowly{}
	slow.on.Store(true)
	inBubble(t, vfs.Fail(vfs.NewMem(), slow.rule), func(d *desk) {
		created := make(chan error, 1)
		go func() {
			_, err := d.reg.Create(context.Background(), wire.Config{SessionID: "s1"})
			created <- err
		}()
		synctest.Wait()
		d.stop()
		<-created
		time.Sleep(time.Minute)
		if stored := d.stored("s1"); stored[len(stored)-1].Type != "session.shutdown" {
			t.Errorf("the log ends with:\n%s", types(stored))
		}
	})
}
