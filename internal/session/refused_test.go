package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// refuse resumes a session, which must fail with an error of a kind.
func (d *desk) refuse(cfg wire.Config, replacing *seat, kind fault.Kind) {
	d.t.Helper()
	var earlier *session.Client
	if replacing != nil {
		earlier = replacing.client
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := d.reg.Resume(ctx, cfg, nil, earlier); err == nil || fault.KindOf(err) != kind || ctx.Err() != nil {
		d.t.Errorf("Resume = %v, want an error of kind %v", err, kind)
	}
}

// A client resumes while another process works in the session: it is refused, and its
// earlier attachment stays.
func TestARefusedResumeKeepsTheEarlierAttachment(t *testing.T) {
	store := shared{&logtest.Memory{}}
	bubble(t, &desk{fs: vfs.NewMem(), store: store}, func(d *desk) {
		s := d.create(tools("lookup"))
		other := d.takeOver(store)
		d.refuse(tools("lookup"), s, fault.Conflict)
		other.Close()
		s.send("go")
		s.answer(`"result":"found"`)
		s.until("session.idle")
	}, lookItUp()...)
}

// The configuration of a refused client has no effect.
func TestARefusedResumeConfiguresNothing(t *testing.T) {
	rude := brief
	rude.SystemMessage = &wire.SystemMessageSet{Mode: "replace", Content: "Be rude."}
	equipped(t, func(d *desk) {
		s := d.create(brief)
		ofATool, ofAnAgent := rude, rude
		ofATool.Tools = []wire.Tool{{Name: "ask_user"}}
		ofAnAgent.Agent = "nobody"
		d.refuse(ofATool, nil, fault.Invalid)
		d.refuse(ofAnAgent, nil, fault.NotFound)
		s.talk("hello")
		if system := d.model.Requests()[0].Messages[0].Content; strings.Contains(system, "rude") {
			t.Errorf("the system message is %q", system)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A run that waits for an answer, in a session without clients, waits on.
func TestARefusedResumeInterruptsNoRun(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		id := field(s.until("external_tool.requested"), "requestId")
		s.leave()
		d.refuse(tools("ask_user"), nil, fault.Invalid)
		cfg := tools()
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		if !s.reply(id, `"result":"found"`) {
			t.Error("the call was closed")
		}
		s.until("session.idle")
	}, lookItUp()...)
}

// A client that replaces its earlier attachment gets each event once.
func TestAResumeOnTheSameConnectionRepeatsNoEvent(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		old := d.create(brief)
		c, err := d.reg.Resume(context.Background(), brief, nil, old.client)
		if err != nil {
			t.Fatal(err)
		}
		s := d.sit(c)
		s.talk("hello")
		for _, kind := range []wire.EventType{"session.resume", "user.message", "session.idle"} {
			if n := count(old.rest(), kind) + count(s.rest(), kind); n > 1 {
				t.Errorf("the client got %s %d times", kind, n)
			}
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}
