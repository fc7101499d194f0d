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

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
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
				runOnAFailingDisk(d, &hit)
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`), call("c2", "ask", `{"q":"2"}`)}}, modeltest.Reply{Text: "ok"})
		})
		if !hit {
			if n < 10 {
				t.Errorf("a run with a tool took %d writes; the test does not reach it", n-1)
			}
			return
		}
	}
}

// runOnAFailingDisk runs two tool calls. hit is whether a write has failed.
func runOnAFailingDisk(d *desk, hit *bool) {
	d.t.Helper()
	c, err := d.reg.Create(context.Background(), tools("lookup", "ask"), nil)
	if err != nil {
		if fault.KindOf(err) != fault.Unavailable {
			d.t.Errorf("Create = %v, want unavailable", err)
		}
		return
	}
	s := d.sit(c)
	if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "go"}); err != nil {
		if !strings.Contains(err.Error(), "no space") {
			d.t.Errorf("Send = %v, want it to say that there is no space", err)
		}
		return
	}
	synctest.Wait()
	for _, e := range s.rest() {
		if e.Type == "external_tool.requested" {
			ok, err := s.tryReply(field(e, "requestId"), `"result":"r"`)
			kept := count(d.stored("s1"), "tool.execution_complete") == 1
			if ok != kept || err != nil && !strings.Contains(err.Error(), "no space") {
				d.t.Errorf("the result was answered with %v, %v; is it kept: %v", ok, err, kept)
			}
		}
	}
	for _, e := range s.rest() { // in a run that failed, nobody waits for it any more
		if e.Type == "permission.requested" {
			_, err := s.s.Permissions().Answer(context.Background(), field(e, "requestId"), permit.Answer{Outcome: permit.Rejected})
			if err != nil && !strings.Contains(err.Error(), "no space") {
				d.t.Errorf("AnswerPermission: %v", err)
			}
		}
	}
	events := s.rest()
	if count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
		d.t.Errorf("want exactly one idle, last:\n%s", types(events))
	}
	if *hit && count(events, "session.error") != 1 {
		d.t.Errorf("want one error:\n%s", types(events))
	}
	for _, e := range events {
		if text := field(e, "message"); e.Type == "session.error" && !strings.Contains(text, "events.jsonl: no space left on device") {
			d.t.Errorf("the error is %q, want it to name the file", text)
		}
	}
	if a, b := persisted(events), d.stored("s1"); len(a) != len(b) {
		d.t.Errorf("%d persisted events were told, %d are stored", len(a), len(b))
	}
}

// Two processes that have a session open take turns, and each tells its clients what
// the other recorded.
func TestTwoProcessesTakeTurnsAtASession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("session.idle")
		first := d.reg
		d.start(registry.Options{})
		other := d.resume(wire.Config{SessionID: "s1"})
		other.send("two")
		other.until("session.idle")
		s.send("three")
		s.until("session.idle")
		if got := len(messages(s.rest())); got != 3 {
			t.Errorf("the client of the first process was told of %d messages, want all 3", got)
		}
		if got, want := d.conversation(), "user: one\nassistant: 1\nuser: two\nassistant: 2\nuser: three\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		other.send("four")
		other.until("session.idle")
		if err := first.Close(context.Background()); err != nil {
			t.Error(err)
		}
		checkChain(t, d.stored("s1"))
		if got := len(messages(d.stored("s1"))); got != 4 {
			t.Errorf("%d messages are stored, want 4", got)
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"}, modeltest.Reply{Text: "3"}, modeltest.Reply{Text: "4"})
}

// While one process works in a session, or waits for a person, another is told so
// and changes nothing; when that process is gone, it takes over.
func TestASessionAtWorkIsLeftToItsProcess(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("one")
		idle := d.reg
		e := s.until("external_tool.requested")
		d.start(registry.Options{})
		_, err := d.reg.Resume(context.Background(), tools("lookup"), nil, nil)
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(fmt.Sprint(err), "at work in the session") {
			t.Errorf("Resume = %v, want a conflict that says who is at work", err)
		}
		if err := d.reg.Delete(context.Background(), "s1"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Delete = %v, want a conflict", err)
		}
		if !s.reply(field(e, "requestId"), `"result":"r"`) {
			t.Error("the answer was not taken")
		}
		s.until("session.idle")
		other := d.resume(tools("lookup"))
		other.send("two")
		other.until("external_tool.requested")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "three"}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Send = %v, want a conflict: the other is at work now", err)
		}
		if err := d.reg.Close(context.Background()); err != nil {
			t.Error(err)
		}
		s.send("four")
		s.until("session.idle")
		checkChain(t, d.stored("s1"))
		d.reg = idle
	},
		modeltest.Reply{When: modeltest.LastIs("one"), ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{When: modeltest.LastIs("two"), ToolCalls: []modeltest.ToolCall{call("c2", "lookup", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

func TestASessionThatAnotherProcessDeletedIsGone(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		first := d.reg
		s.send("one")
		s.until("session.idle")
		d.start(registry.Options{})
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two"}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Send = %v, want that the session is not found", err)
		}
		<-s.s.Closed()
		if err := first.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}, modeltest.Reply{Text: "1"})
}

func TestWhatIsTooLongHarmsNothingElse(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(whole(tools("lookup")))
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
		log, err := disk.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		torn := append(log, "this is no event\n{\"type\":\"user.mess"...)
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

// A line that is an object and no event is passed over, and said once.
func TestWhatIsNoEventIsPassedOverAndToldOnce(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		add := func(line string) {
			t.Helper()
			if err := s.client.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			const name = "/home/session-state/s1/events.jsonl"
			log, err := disk.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := vfs.WriteFileAtomic(disk, name, append(log, line...), 0o600); err != nil {
				t.Fatal(err)
			}
			s = d.resume(wire.Config{SessionID: "s1"})
		}
		for i, line := range []string{"{\"what\":1}\n", "", "{}\n{\"type\":7}\n"} {
			add(line)
			var warnings []string
			for line, err := range d.reg.History(context.Background(), "s1") {
				if err != nil {
					t.Fatal(err)
				}
				if e, err := wire.ParseEvent(line); err == nil && e.Type == "session.warning" {
					warnings = append(warnings, field(e, "message"))
				}
			}
			want := []string{"1 line of the session's log is not an event and is ignored.", "3 lines of the session's log are not events and are ignored."}
			if diff := cmp.Diff(want[:[]int{1, 1, 2}[i]], warnings); diff != "" {
				t.Errorf("warnings after resume %d (-want +got):\n%s", i+1, diff)
			}
		}
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
			_, err := d.reg.Create(context.Background(), wire.Config{SessionID: "s1"}, nil)
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
