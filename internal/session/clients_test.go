package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestTwoClientsShareASession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		a := d.create(tools("lookup"))
		cfg := tools("other")
		b := d.resume(cfg)
		if got := field(b.rest()[0], "sessionWasActive"); got != "true" {
			t.Errorf("sessionWasActive is %s", got)
		}
		b.send("go")
		e := a.until("external_tool.requested")
		if !b.reply(field(e, "requestId"), `"result":"from b"`) {
			t.Error("a client that did not bring the tool cannot answer for it")
		}
		a.until("session.idle")
		b.until("session.idle")
		if diff := cmp.Diff([]string{"lookup", "other"}, d.model.Requests()[0].Tools); diff != "" {
			t.Errorf("tools on offer (-want +got):\n%s", diff)
		}
		if err := a.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		b.send("again")
		b.until("session.idle")
		if got := len(d.model.Requests()[2].Tools); got != 1 {
			t.Errorf("%d tools on offer after one client left", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

func TestARunOutlivesItsClientAndTheSessionLeavesAfterIt(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-s.s.Closed()
		if n := count(d.stored("s1"), "assistant.message"); n != 1 {
			t.Errorf("%d answers are stored, want the one that was under way", n)
		}
	}, modeltest.Reply{Text: "done", Delay: 10 * time.Second})
}

func TestAQuestionIsNotRepeatedToWhoHasItAlready(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		a := d.create(tools("ask"))
		a.send("go")
		a.until("permission.requested")
		d.resume(wire.Config{SessionID: "s1", RequestPermission: yes()})
		if n := count(a.rest(), "permission.requested"); n != 1 {
			t.Errorf("the first client was asked %d times", n)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}})
}

func TestAClientThatDoesNotReadMissesNoIdleAndNothingPersisted(t *testing.T) {
	const runs = 600 // more than a queue holds of events that may be dropped
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Streaming: yes()})
		slow, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range runs {
			s.send("hi")
			s.until("session.idle")
		}
		events := d.sit(slow).rest()
		if n := count(events, "session.idle"); n != runs {
			t.Errorf("%d idles reached the slow client, want %d", n, runs)
		}
		if n := count(events, "assistant.usage"); n == runs {
			t.Error("nothing was dropped: the test does not make the client late")
		}
		stored := d.stored("s1")
		if diff := cmp.Diff(stored[1:], persisted(events)); diff != "" { // it came after session.start
			t.Errorf("persisted events that reached the slow client (-stored +sent):\n%.2000s", diff)
		}
	}, modeltest.Reply{Text: "hello", Repeat: true})
}

func TestAClientThatLeavesLateLeavesNoDescriptor(t *testing.T) {
	var opened, closed atomic.Int64
	counting := func(op vfs.Op) error {
		if strings.HasSuffix(op.Path, "events.jsonl") {
			switch op.Name {
			case "open":
				opened.Add(1)
			case "close":
				closed.Add(1)
			}
		}
		return nil
	}
	inBubble(t, vfs.Fail(vfs.NewMem(), counting), func(d *desk) {
		d.create(wire.Config{SessionID: "s1"})
		late, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil, nil) // and never reads
		if err != nil {
			t.Fatal(err)
		}
		if err := late.Session().Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := late.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if o, c := opened.Load(), closed.Load(); o == 0 || o != c {
			t.Errorf("the log was opened %d times and closed %d times", o, c)
		}
	})
}
